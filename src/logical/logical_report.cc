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
  if (jump_ns > start_difference_ns) NoteExceeded({process, tag, before, jump_ns});
}

void LogicalReport::NoteExceeded(const Exceeded& here) {
  const auto place = [](const Exceeded& e) { return std::tuple(e.before, e.process, e.tag); };
  if (!exceeded || place(here) < place(*exceeded)) exceeded = here;
}

// Processes without events are as they were.
void LogicalReport::Put(Parcel& parcel) const {
  std::vector<uint32_t> numbers;
  std::vector<ProcessReport> reports;
  for (uint32_t p = 0; p < processes.size(); ++p) {
    if (processes[p].events == 0) continue;
    numbers.push_back(p);
    reports.push_back(processes[p]);
  }
  parcel.Put(processes.size(), numbers, reports, messages, collective_leaves, largest_jump_ns,
             exceeded, gamma.events, gamma.smallest, gamma.smallest_at, jumps, jumps_amortized,
             largest_slope, largest_slope_edge, largest_slope_process, largest_slope_tag, to_itself,
             ambiguous, saturated, peak_buffered);
}

void LogicalReport::Adopt(ParcelReader& parcel) {
  LogicalReport other;
  std::vector<uint32_t> numbers;
  std::vector<ProcessReport> reports;
  processes.resize(parcel.Take<size_t>());
  parcel.Take(numbers, reports, other.messages, other.collective_leaves, other.largest_jump_ns,
              other.exceeded, other.gamma.events, other.gamma.smallest, other.gamma.smallest_at,
              other.jumps, other.jumps_amortized, other.largest_slope, other.largest_slope_edge,
              other.largest_slope_process, other.largest_slope_tag, other.to_itself,
              other.ambiguous, other.saturated, other.peak_buffered);
  for (size_t i = 0; i < numbers.size(); ++i) processes[numbers[i]] = reports[i];
  messages += other.messages;
  collective_leaves += other.collective_leaves;
  largest_jump_ns = std::max(largest_jump_ns, other.largest_jump_ns);
  if (other.exceeded) NoteExceeded(*other.exceeded);
  gamma.Adopt(other.gamma);
  jumps += other.jumps;
  jumps_amortized += other.jumps_amortized;
  if (other.IsSteeper(*this)) {
    largest_slope = other.largest_slope;
    largest_slope_edge = other.largest_slope_edge;
    largest_slope_process = other.largest_slope_process;
    largest_slope_tag = other.largest_slope_tag;
  }
  to_itself += other.to_itself;
  ambiguous += other.ambiguous;
  saturated += other.saturated;
  peak_buffered += other.peak_buffered;
}

// Of equal ones the one of the smaller process.
bool LogicalReport::IsSteeper(const LogicalReport& than) const {
  if (!largest_slope_tag || !than.largest_slope_tag) return largest_slope_tag.has_value();
  const auto order = CompareSlopes(largest_slope_edge, than.largest_slope_edge);
  return order > 0 || (order == 0 && largest_slope_process < than.largest_slope_process);
}

void GammaReport::Adopt(const GammaReport& other) {
  for (size_t i = 0; i < events.size(); ++i) events[i] += other.events[i];
  if (other.smallest < smallest) smallest_at.reset();
  if (other.smallest <= smallest && other.smallest_at &&
      (!smallest_at || *other.smallest_at < *smallest_at)) {
    smallest_at = other.smallest_at;
  }
  smallest = std::min(smallest, other.smallest);
}

void LogicalReport::Cycles::Add(const SetAside& set_aside, bool is_of_collective) {
  if (!first) first = set_aside;
  if (is_of_collective) {
    ++ends;
  } else {
    ++messages;
  }
}

void CountFindings(const LogicalReport& report, Diagnostics& diagnostics) {
  diagnostics.Count("unmatched-send", Severity::kInfo, report.unmatched_sends);
  diagnostics.Count("unmatched-receive", Severity::kInfo, report.unmatched_receives);
  diagnostics.Count("receives-forgotten", Severity::kWarning, report.forgotten_receives);
  diagnostics.Count("message-to-itself", Severity::kInfo, report.to_itself);
  diagnostics.Count("ambiguous-message", Severity::kWarning, report.ambiguous);
  diagnostics.Count("late-partner", Severity::kInfo, report.late_partners);
  diagnostics.Count("broken-constraint", Severity::kError, report.broken);
  diagnostics.Count("out-of-order", Severity::kWarning, report.out_of_order);
  diagnostics.Count("time-saturated", Severity::kError, report.saturated);
}

}  // namespace syncline
