#include "write/exported_times.h"

namespace syncline {

Result<ExportFindings> FindShift(const ExportedTrace& trace) {
  const int64_t origin = ExportedOrigin(trace);
  const uint64_t shift = origin < 0 ? -static_cast<uint64_t>(origin) : 0;
  for (const ExportedProcess& process : trace.processes) {
    for (const ExportedEvent& event : process.events) {
      if (static_cast<uint64_t>(event.time.ns) + shift <= uint64_t{INT64_MAX}) continue;
      return Fail(ErrorCode::kUnsupported,
                  "times are more than 292 years apart, which the format's readers do not take");
    }
  }
  return ExportFindings{.shift_ns = shift};
}

}  // namespace syncline
