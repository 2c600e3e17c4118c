// How coarsely times were stamped that a file holds in finer units.
//
// Of exact times one in a thousand is a multiple of the next unit (microsecond, millisecond,
// second) by chance. Where more are than chance explains, or all that are multiples of the finer
// one, some were cut off, and all may be late by that unit: of spans, children begin as exactly
// after a start that was cut off as they did. Ticks of ten or a hundred such units show only where
// all times are multiples of them. A time that repeats the one before it tells nothing.
// Units: nanoseconds. Tested by: coarse_times_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace syncline {

class CoarseTimes {
 public:
  void Add(int64_t ns);
  // How far behind its instant such a time may be. `form_ns`: what the file's form cuts off by
  // itself; units up to it tell nothing.
  int64_t ReadingNs(int64_t form_ns) const;
  // The tick of times whose digits end with one of `written_ns`: the longest unit that more than a
  // handful of them are multiples of, and more than chance explains (but for milliseconds and
  // microseconds: all); else that.
  int64_t TickNs(int64_t written_ns) const { return TickNs(written_ns, /*is_of_all=*/false); }
  // The same, where all of them have to be: of durations, of which many may be round.
  int64_t TickOfAllNs(int64_t written_ns) const { return TickNs(written_ns, /*is_of_all=*/true); }
  uint64_t MultiplesOf(int64_t unit_ns) const;

 private:
  static constexpr std::array<int64_t, 9> kUnits = {
      1'000'000'000, 100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10};
  // A second, a millisecond or a microsecond: what times are told in.
  static bool IsNamed(size_t unit) { return unit % 3 == 0; }
  int64_t TickNs(int64_t written_ns, bool is_of_all) const;
  // What is no multiple of the unit is one of this.
  static int64_t FinerNs(size_t unit) { return kUnits[unit] / (IsNamed(unit) ? 1000 : 10); }

  int64_t latest_ns_ = 0;
  uint64_t times_ = 0;
  std::array<uint64_t, 9> whole_ = {};  // multiples of each unit
};

}  // namespace syncline
