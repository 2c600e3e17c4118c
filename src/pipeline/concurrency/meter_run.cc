#include "pipeline/concurrency/meter_run.h"

#include <utility>

#include "base/try.h"
#include "pipeline/concurrency/meter_feeds.h"
#include "pipeline/correct/cycle_messages.h"

namespace syncline {
namespace {

// A round in which all wait for one another goes on all the same: events wait inside the meter.
Result<void> ReadAll(MeterFeeds& feeds) {
  for (bool is_stuck = false; feeds.has_more();) {
    SYNCLINE_ASSIGN(const uint64_t read, feeds.Read(is_stuck ? 1 : 0, [] {}));
    is_stuck = read == 0;
  }
  return {};
}

}  // namespace

std::vector<std::vector<ProcessId>> MembersOfGroups(const TraceSet& traces) {
  std::vector<std::vector<ProcessId>> members;
  for (const Group& group : traces.groups) members.push_back(group.members);
  return members;
}

Result<std::optional<MeasuredComputation>> RunMeter(const LoadedTraces& loaded,
                                                    std::span<const CycleMessage> set_aside,
                                                    WaitRule rule, ConcurrencyOptions options,
                                                    ConcurrencyMeter::OnRegion on_region) {
  SYNCLINE_ASSIGN(auto links, MessageLinks::Of(loaded));
  const auto members = MembersOfGroups(loaded.traces);
  ConcurrencyMeter meter(loaded.traces.processes.size(), members, std::move(options),
                         std::move(on_region));
  MeterFeeds feeds(loaded, rule, links, meter);
  feeds.SetAside(set_aside);
  SYNCLINE_TRY(feeds.Open(std::vector<bool>(loaded.traces.processes.size(), true)));
  SYNCLINE_TRY(ReadAll(feeds));
  auto measured = meter.Finish();
  return measured ? std::optional(std::move(*measured)) : std::nullopt;
}

Result<void> SetLateAside(LoadedTraces& loaded, const SolveOptions& options) {
  if (loaded.likely_messages.messages() == 0) return {};
  if (const auto solution = Solve(loaded, options)) {
    loaded.likely_messages.SetAside(solution->late);
    return {};
  }
  std::vector<Message> all;
  SYNCLINE_TRY(loaded.likely_messages.ForEach([&](const Message& m) { all.push_back(m); }));
  loaded.likely_messages.SetAside(all);
  return {};
}

Result<std::vector<CycleMessage>> SetCyclesAside(LoadedTraces& loaded,
                                                 const SolveOptions& options) {
  const auto solution = Solve(loaded, options);
  return SetCyclesAside(
      loaded, MakeRetiming(loaded, solution ? solution->group : Uncorrected(loaded.traces)));
}

}  // namespace syncline
