// How coarsely times were stamped that a file holds in finer units.
//
// Of exact times one in a thousand is a multiple of the next unit (microsecond, millisecond,
// second) by chance. Where more are than chance explains, or all that are multiples of the finer
// one, some were cut off, and all may be late by that unit: of spans, children begin as exactly
// after a start that was cut off as they did. A time that repeats the one before it tells nothing.
// Units: nanoseconds. Tested by: coarse_times_test.cc.
#pragma once

#include <array>
#include <cstdint>

namespace syncline {

class CoarseTimes {
 public:
  void Add(int64_t ns);
  // How far behind its instant such a time may be. `form_ns`: what the file's form cuts off by
  // itself; units up to it tell nothing.
  int64_t ReadingNs(int64_t form_ns) const;
  // The tick of times whose digits end with one of `written_ns`: the longest unit that more than a
  // handful of them are multiples of, and more than chance explains (a second: all); else that.
  int64_t TickNs(int64_t written_ns) const;
  uint64_t MultiplesOf(int64_t unit_ns) const;

 private:
  static constexpr std::array<int64_t, 3> kUnits = {1'000'000'000, 1'000'000, 1'000};
  int64_t latest_ns_ = 0;
  uint64_t times_ = 0;
  std::array<uint64_t, 3> whole_ = {};  // multiples of each unit
};

}  // namespace syncline
