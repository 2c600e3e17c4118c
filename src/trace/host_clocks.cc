#include "trace/host_clocks.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/quantity_text.h"

namespace syncline {
namespace {

std::optional<ClockId> Find(const TraceSet& traces, const std::string& name) {
  const auto it = std::ranges::find(traces.clocks, name, &Clock::name);
  if (it == traces.clocks.end()) return std::nullopt;
  return ClockId(static_cast<uint32_t>(it - traces.clocks.begin()));
}

}  // namespace

ClockId HostClocks::Join(const std::string& host, CtfClock& clock, const std::string& trace) {
  std::string name = host;
  for (int number = 2;; ++number) {
    const std::optional<ClockId> known = Find(loaded_.traces, name);
    if (!known) return Define(name, clock);
    if (JoinAs(*known, clock, trace)) return *known;
    if (number == 2) {
      loaded_.diagnostics.Count("host-clocks-differ", Severity::kWarning, 1,
                                fmt::format("{}: clock {} of {} Hz is another one than {}", trace,
                                            clock.name, clock.frequency, name));
    }
    name = fmt::format("{}-{}", host, number);
  }
}

ClockId HostClocks::Define(const std::string& name, const CtfClock& clock) {
  const ClockId id = loaded_.ClockNamed(clock.ToClock(name));
  first_.emplace(id, clock);
  return id;
}

bool HostClocks::JoinAs(ClockId known, CtfClock& clock, const std::string& trace) {
  const Clock& host = loaded_.traces.clocks[known.index()];
  if (static_cast<uint64_t>(host.ticks_per_second) != clock.frequency) return false;
  const Clock own = clock.ToClock(host.name);
  const Int128 later = static_cast<Int128>(own.offset_ticks) - host.offset_ticks;
  const auto first = first_.find(known);
  const bool have_uuids =
      first != first_.end() && !first->second.uuid.empty() && !clock.uuid.empty();
  if (have_uuids && first->second.uuid != clock.uuid) return false;
  if (!have_uuids) {
    const Int128 origin = clock.origin - later;
    if (Saturate(origin) != origin) return false;
    clock.origin = static_cast<int64_t>(origin);
    return true;
  }
  // Of one frequency and about one offset: the origins are the same but in freak cases.
  const Int128 claimed = later + first->second.origin - clock.origin;
  clock.origin = first->second.origin;
  if (claimed != 0) {
    const Clock ticks{.name = "", .ticks_per_second = host.ticks_per_second};
    loaded_.diagnostics.Count(
        "host-clock-offsets-differ", Severity::kInfo, 1,
        fmt::format("{}: {} from the first trace of {}", trace,
                    FormatDuration(ticks.NominalNs({Saturate(claimed)})), host.name));
  }
  return true;
}

}  // namespace syncline
