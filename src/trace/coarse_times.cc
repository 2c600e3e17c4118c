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
  for (size_t i = 0; i < kUnits.size(); ++i) whole_[i] += ns % kUnits[i] == 0 ? 1 : 0;
}

int64_t CoarseTimes::ReadingNs(int64_t form_ns) const {
  for (size_t i = 0; i < kUnits.size(); ++i) {
    if (kUnits[i] <= form_ns) break;
    const uint64_t of_finer = i + 1 < kUnits.size() ? whole_[i + 1] : times_;
    // Of times that are multiples of a unit those of one a thousand times as long.
    const bool is_coarse = whole_[i] == of_finer
                               ? whole_[i] > 0
                               : IsBeyondChance(whole_[i], static_cast<double>(of_finer) / 1000);
    if (is_coarse) return kUnits[i] + form_ns;
  }
  return form_ns;
}

int64_t CoarseTimes::TickNs(int64_t written_ns) const {
  constexpr uint64_t kHandful = 5;
  // Of floating-point numbers, whose last digits are the same for many.
  constexpr double kOfFloats = 2.5;
  for (size_t i = 0; i < kUnits.size(); ++i) {
    const int64_t unit_ns = kUnits[i];
    if (unit_ns <= written_ns) break;
    const int64_t finer_ns = std::max(unit_ns / 1000, written_ns);
    const double share = kOfFloats * static_cast<double>(finer_ns) / static_cast<double>(unit_ns);
    const uint64_t whole = whole_[i];
    // Much is timed to begin with a second, and shows nothing else in milliseconds.
    if (whole <= kHandful || (i == 0 && whole < times_)) continue;
    if (IsBeyondChance(whole, share * static_cast<double>(MultiplesOf(finer_ns)))) return unit_ns;
  }
  return written_ns;
}

uint64_t CoarseTimes::MultiplesOf(int64_t unit_ns) const {
  const auto* const unit = std::ranges::find(kUnits, unit_ns);
  return unit == kUnits.end() ? times_ : whole_[static_cast<size_t>(unit - kUnits.begin())];
}

}  // namespace syncline
