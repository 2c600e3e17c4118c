#include "trace/coarse_times.h"

#include <cmath>

namespace syncline {
namespace {

// Of times that are multiples of a unit those of one a thousand times as long. H. Chernoff's bound:
// by chance there are so many with a probability of at most exp(−kLeastLog).
bool IsBeyondChance(uint64_t whole, uint64_t of_finer) {
  constexpr double kLeastLog = 9;
  if (whole == 0 || whole == of_finer) return whole > 0;
  const double expected = static_cast<double>(of_finer) / 1000;
  const auto seen = static_cast<double>(whole);
  return seen > expected && seen * std::log(seen / expected) - (seen - expected) > kLeastLog;
}

}  // namespace

void CoarseTimes::Add(int64_t ns) {
  ++times_;
  for (size_t i = 0; i < kUnits.size(); ++i) whole_[i] += ns % kUnits[i] == 0 ? 1 : 0;
}

int64_t CoarseTimes::ReadingNs(int64_t form_ns) const {
  for (size_t i = 0; i < kUnits.size(); ++i) {
    if (kUnits[i] <= form_ns) break;
    const uint64_t of_finer = i + 1 < kUnits.size() ? whole_[i + 1] : times_;
    if (IsBeyondChance(whole_[i], of_finer)) return kUnits[i] + form_ns;
  }
  return form_ns;
}

}  // namespace syncline
