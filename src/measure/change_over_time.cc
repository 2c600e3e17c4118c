#include "measure/change_over_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "syncline/time.h"

#include "base/difference.h"
#include "base/int128.h"

namespace syncline {
namespace {

bool IsBefore(const IntervalPlace& a, const IntervalPlace& b) {
  return std::pair(a.process, a.index) < std::pair(b.process, b.index);
}

}  // namespace

void ChangeBin::AddInterval(const IntervalPlace& interval) {
  ++intervals;
  if (interval.original == interval.corrected) return;
  ChangeBin changed_one{.changed = 1};
  if (interval.original.ns != 0) {
    changed_one.largest_change =
        std::abs(DifferenceOf(interval.corrected.ns, interval.original.ns) /
                 static_cast<double>(interval.original.ns));
    changed_one.where = interval;
  }
  Merge(changed_one);
}

void ChangeBin::Merge(const ChangeBin& other) {
  intervals += other.intervals;
  changed += other.changed;
  largest_advance_ns = std::max(largest_advance_ns, other.largest_advance_ns);
  if (!other.where || other.largest_change < largest_change) return;
  const bool is_first = !where || other.largest_change > largest_change;
  if (is_first || IsBefore(*other.where, *where)) where = other.where;
  largest_change = other.largest_change;
}

void ChangeOverTime::Add(ProcessId process, uint64_t index, int64_t before_ns, int64_t after_ns) {
  if (processes_.size() <= process.index()) processes_.resize(process.index() + 1);
  first_ns_ = std::min(first_ns_, before_ns);
  last_ns_ = std::max(last_ns_, before_ns);
  ChangeBin& bin = bins_.At(before_ns);
  bin.largest_advance_ns =
      std::max(bin.largest_advance_ns, SaturatedDifference(after_ns, before_ns));
  Last& last = processes_[process.index()];
  if (last.has_events) {
    bin.AddInterval({process,
                     index,
                     {SaturatedDifference(before_ns, last.before_ns)},
                     {SaturatedDifference(after_ns, last.after_ns)}});
  }
  last = {true, before_ns, after_ns};
}

std::optional<int64_t> ChangeOverTime::first_ns() const {
  return bins_.bins().empty() ? std::nullopt : std::optional(first_ns_);
}

std::optional<int64_t> ChangeOverTime::last_ns() const {
  return bins_.bins().empty() ? std::nullopt : std::optional(last_ns_);
}

}  // namespace syncline
