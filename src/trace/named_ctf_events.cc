#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "read/ctf/ctf_child.h"
#include "trace/kept_ctf.h"
#include "trace/load_ctf.h"
#include "trace/named_events.h"

namespace syncline {
namespace {

tl::unexpected<Error> HasChanged(const std::string& file) {
  return Fail(ErrorCode::kMalformed, "has changed while it was read", file);
}

// Times are on the host's clock, as those that were kept.
Result<void> VisitStream(const LoadedInput& input, size_t number, const CtfTraceInfo& info,
                         CtfChild& child, const VisitNamedEvent& visit) {
  const uint64_t events = CtfTimes(input, number).size();
  std::span<const CtfMessageSize> sizes = CtfMessageSizes(input, number);
  uint64_t next = 0;
  for (;;) {
    auto batch = child.Next();
    if (!batch) return tl::unexpected(batch.error());
    if (!*batch) break;
    const std::span<const LocalTime> times = (*batch)->times();
    if (times.size() > events - next) return HasChanged(info.streams[number].file);
    for (size_t i = 0; i < times.size(); ++i, ++next) {
      NamedEvent named{.event = {.time = times[i], .process = input.processes[number]},
                       .index = next,
                       .name = info.classes[(*batch)->class_numbers()[i]].name};
      if (!sizes.empty() && sizes.front().event == next) {
        named.event.bytes = sizes.front().bytes;
        sizes = sizes.subspan(1);
      }
      visit(named);
    }
  }
  if (next == events) return {};
  return HasChanged(info.streams[number].file);
}

}  // namespace

Result<void> ForEachNamedCtfEvent(const LoadedInput& input, const VisitNamedEvent& visit) {
  const ReadableFolders folders = {input.ctf->readable};
  auto child = CtfChild::Start(folders, {}, CtfChildLimits(folders, 1));
  if (!child) return tl::unexpected(child.error());
  const auto info = child->Describe();
  if (!info) return tl::unexpected(info.error());
  if (input.processes.empty()) return {};  // a trace without clocks
  if (info->streams.size() != input.processes.size()) return HasChanged(input.input.path);
  CtfRequest request{.class_numbers = CtfRequest::Numbers::kOfAllEvents};
  for (const CtfClock& clock : input.ctf->clocks) request.origins.push_back(clock.origin);
  child->BeginTrace(*info, std::move(request));
  for (size_t i = 0; i < info->streams.size(); ++i) {
    if (auto done = VisitStream(input, i, *info, *child, visit); !done) return done;
  }
  return {};
}

}  // namespace syncline
