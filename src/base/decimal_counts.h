// Tells how coarse the times of a file are whose numbers of decimals differ.
//
// Writers that leave out zeros at the end write times of one precision with different decimals: one
// decimal less in a tenth of them, two less in a hundredth, and in up to a quarter where numbers
// were floating-point. Shorter times that this explains are exact to the longer one's last decimal,
// unless some time does end with the zeros that would have been left out. All others were written
// with that precision, cut off behind it.
// Cost: one division per time and decimal that is zero. Tested by: decimal_counts_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace syncline {

class DecimalCounts {
 public:
  static constexpr int kMost = 9;

  // A time of so many decimals, 0 to kMost, in units of the last. A zero tells nothing.
  void Add(int decimals, int64_t units) {
    if (units == 0) return;
    ++times_[decimals];
    for (int d = decimals - 1; d >= 0 && units % 10 == 0; --d, units /= 10)
      ends_with_zeros_[d] = true;
  }

  // Some may have been floating-point numbers.
  void AllowForFloats() { may_be_floats_ = true; }

  // Of the longest time; kMost without times.
  int Most() const {
    const auto longest =
        std::find_if(times_.rbegin(), times_.rend(), [](uint64_t n) { return n > 0; });
    return longest == times_.rend() ? kMost : static_cast<int>(times_.rend() - longest) - 1;
  }

  // The decimals that all times are exact to; kMost without times.
  int Certain() const {
    int certain = Most();
    for (int d = certain - 1; d >= 0; --d) {
      if (times_[d] > 0 && !AreZerosLeftOut(certain, d)) certain = d;
    }
    return certain;
  }

  uint64_t UpTo(int decimals) const {
    return std::accumulate(times_.begin(), times_.begin() + decimals + 1, uint64_t{0});
  }

 private:
  bool AreZerosLeftOut(int decimals, int shorter) const {
    constexpr double kOfFloats = 2.5;
    constexpr double kDeviations = 3;
    if (ends_with_zeros_[shorter]) return false;
    const double share = (may_be_floats_ ? kOfFloats : 1) * std::pow(10.0, shorter - decimals);
    const double expected = share * static_cast<double>(UpTo(decimals));
    return static_cast<double>(UpTo(shorter)) <= expected + kDeviations * std::sqrt(expected);
  }

  std::array<uint64_t, kMost + 1> times_{};        // by decimals
  std::array<bool, kMost + 1> ends_with_zeros_{};  // behind so many decimals
  bool may_be_floats_ = false;
};

}  // namespace syncline
