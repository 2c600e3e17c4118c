#include "logical/logical_report.h"

#include <algorithm>
#include <tuple>

namespace syncline {

void DelayClasses::Add(int64_t ns) {
  ++count[static_cast<size_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(0, ns))))];
  largest_ns = std::max(largest_ns, ns);
}

int64_t DelayClasses::MedianAtMost() const {
  uint64_t total = 0;
  for (const uint64_t n : count) total += n;
  uint64_t sum = 0;
  for (size_t k = 0; k < count.size(); ++k) {
    sum += count[k];
    if (count[k] == 0 || 2 * sum < total) continue;
    const int64_t end = k >= 63 ? INT64_MAX : int64_t{1} << k;
    return k == 0 ? 0 : std::min(end, largest_ns);
  }
  return 0;
}

void LogicalReport::AddJump(ProcessId process, uint64_t tag, GlobalTime before, int64_t jump_ns) {
  ++jumps;
  largest_jump_ns = std::max(largest_jump_ns, jump_ns);
  if (jump_ns <= start_difference_ns) return;
  const auto place = [](const Exceeded& e) { return std::tuple(e.before, e.process, e.tag); };
  const Exceeded here{process, tag, before, jump_ns};
  if (!exceeded || place(here) < place(*exceeded)) exceeded = here;
}

void LogicalReport::Cycles::Add(const SetAside& set_aside, bool is_of_collective) {
  if (!first) first = set_aside;
  if (is_of_collective) {
    ++ends;
  } else {
    ++messages;
    inverted += set_aside.delay_ns < 0 ? 1 : 0;
  }
}

void CountFindings(const LogicalReport& report, Diagnostics& diagnostics) {
  const auto count = [&](std::string_view name, Severity severity, uint64_t n) {
    if (n > 0) diagnostics.Count(name, severity, n);
  };
  count("unmatched-send", Severity::kInfo, report.unmatched_sends);
  count("unmatched-receive", Severity::kInfo, report.unmatched_receives);
  count("receives-forgotten", Severity::kWarning, report.forgotten_receives);
  count("message-to-itself", Severity::kInfo, report.to_itself);
  count("ambiguous-message", Severity::kWarning, report.ambiguous);
  count("late-partner", Severity::kInfo, report.late_partners);
  count("broken-constraint", Severity::kError, report.broken);
  count("out-of-order", Severity::kWarning, report.out_of_order);
  count("time-saturated", Severity::kError, report.saturated);
}

}  // namespace syncline
