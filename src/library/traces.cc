#include "syncline/traces.h"

#include <algorithm>
#include <utility>

#include "base/progress.h"
#include "base/try.h"
#include "library/refusals.h"
#include "match/rules/rule.h"
#include "trace/event_cursor.h"
#include "trace/inputs.h"
#include "trace/load.h"

namespace syncline {
namespace {

std::string_view ClockPerName(LoadOptions::ClockPer clock_per) {
  switch (clock_per) {
    case LoadOptions::ClockPer::kDefault: break;
    case LoadOptions::ClockPer::kProcess: return "process";
    case LoadOptions::ClockPer::kNode: return "node";
    case LoadOptions::ClockPer::kLocation: return "location";
  }
  return "";
}

Result<Traces> LoadInputs(std::span<const InputSpec> inputs, const LoadOptions& options) {
  std::vector<NamedPath> paths;
  for (const InputSpec& input : inputs) {
    if (input.clock.find('/') != std::string::npos) {
      return Fail(ErrorCode::kUsage, "the name of a clock holds no /: " + input.clock);
    }
    if (input.path.find('\0') != std::string::npos) {
      return Fail(ErrorCode::kUsage, "a path holds no zero byte", input.path);
    }
    paths.push_back({input.clock, input.path});
  }
  SYNCLINE_ASSIGN(RuleSet rules, GatherRules(options.match, {}));
  SYNCLINE_ASSIGN(ResolvedInputs resolved, ResolvePaths(paths, std::move(rules)));
  resolved.clock_per = ClockPerName(options.clock_per);
  resolved.clock_by = options.clock_by;
  Progress progress(options.progress);
  SYNCLINE_ASSIGN(LoadedTraces loaded, LoadTraces(resolved, progress));
  SYNCLINE_TRY(progress.CheckGoesOn());
  return Traces(std::make_shared<const LoadedTraces>(std::move(loaded)));
}

}  // namespace

const std::vector<Clock>& Traces::clocks() const { return loaded_->traces.clocks; }
const std::vector<Process>& Traces::processes() const { return loaded_->traces.processes; }
uint64_t Traces::messages() const { return loaded_->messages.messages(); }
const Diagnostics& Traces::diagnostics() const { return loaded_->diagnostics; }

std::optional<ClockId> Traces::FindClock(std::string_view name) const {
  const auto found = std::ranges::find(clocks(), name, &Clock::name);
  if (found == clocks().end()) return std::nullopt;
  return ClockId(static_cast<uint32_t>(found - clocks().begin()));
}

uint64_t Traces::events() const {
  uint64_t events = 0;
  for (const LoadedInput& input : loaded_->inputs) events += input.events;
  return events;
}

Result<void> Traces::ForEachMessage(const std::function<void(const Message&)>& visit) const {
  return WithRefusals([&] { return loaded_->messages.ForEach(visit); });
}

Result<void> Traces::ForEachEvent(const EventVisitor& visit) const {
  return WithRefusals([&]() -> Result<void> {
    for (const LoadedInput& input : loaded_->inputs) {
      SYNCLINE_TRY(syncline::ForEachEvent(
          *loaded_, input, EventDetail::kNames,
          [&](const TraceEvent& event) { visit(event.event, event.index, event.name); }));
    }
    return {};
  });
}

Result<Traces> Load(std::span<const InputSpec> inputs, const LoadOptions& options) {
  return WithRefusals([&] { return LoadInputs(inputs, options); });
}

Result<Traces> FromMessages(TraceSet set, std::span<const Message> messages) {
  return WithRefusals([&]() -> Result<Traces> {
    SYNCLINE_ASSIGN(LoadedTraces loaded, LoadMessages(std::move(set), messages));
    return Traces(std::make_shared<const LoadedTraces>(std::move(loaded)));
  });
}

}  // namespace syncline
