#include "trace/coarse_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace syncline {
namespace {

// H. Chernoff's bound: by chance there are so many with a probability of at most exp(−kLeastLog).
bool IsBeyondChance(uint64_t whole, double expected) {
  constexpr double kLeastLog = 9;
  const auto seen = static_cast<double>(whole);
  return seen > expected && seen * std::log(seen / expected) - (seen - expected) > kLeastLog;
}

}  // namespace

void CoarseTimes::Add(int64_t ns) {
  if (ns == std::exchange(latest_ns_, ns)) return;
  ++times_;
  for (size_t i = kUnits.size(); i-- > 0 && ns % kUnits[i] == 0;) ++whole_[i];
}

int64_t CoarseTimes::ReadingNs(int64_t form_ns) const {
  for (size_t i = 0; i < kUnits.size(); ++i) {
    if (kUnits[i] <= form_ns) break;
    const uint64_t of_finer = MultiplesOf(FinerNs(i));
    const bool is_named_and_all = IsNamed(i) && whole_[i] > 0 && whole_[i] == of_finer;
    const bool may_be_coarse = IsNamed(i) || whole_[i] == times_;
    const double share = static_cast<double>(FinerNs(i)) / static_cast<double>(kUnits[i]);
    const bool is_coarse =
        is_named_and_all ||
        (may_be_coarse && IsBeyondChance(whole_[i], share * static_cast<double>(of_finer)));
    if (is_coarse) return kUnits[i] + form_ns;
  }
  return form_ns;
}

int64_t CoarseTimes::TickNs(int64_t written_ns, bool is_of_all) const {
  constexpr uint64_t kHandful = 5;
  // Of floating-point numbers, whose last digits are the same for many.
  constexpr double kOfFloats = 2.5;
  for (size_t i = 0; i < kUnits.size(); ++i) {
    const int64_t unit_ns = kUnits[i];
    if (unit_ns <= written_ns) break;
    const int64_t finer_ns = std::max(FinerNs(i), written_ns);
    const double share = kOfFloats * static_cast<double>(finer_ns) / static_cast<double>(unit_ns);
    const uint64_t whole = whole_[i];
    // Much is timed to begin with a second, or by tens of milliseconds, and shows nothing else in
    // milliseconds.
    const bool needs_all = is_of_all || i == 0 || !IsNamed(i);
    if (whole <= kHandful || (needs_all && whole < times_)) continue;
    if (IsBeyondChance(whole, share * static_cast<double>(MultiplesOf(finer_ns)))) return unit_ns;
  }
  return written_ns;
}

uint64_t CoarseTimes::MultiplesOf(int64_t unit_ns) const {
  const auto* const unit = std::ranges::find(kUnits, unit_ns);
  return unit == kUnits.end() ? times_ : whole_[static_cast<size_t>(unit - kUnits.begin())];
}

}  // namespace syncline
