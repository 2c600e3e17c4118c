// A counter's frequency, with a bound that holds whatever delayed the readings.
//
// Units: ticks of the counter, nanoseconds of the reference clock, hertz against that clock.
// Method: Tinetti and Romero, Sincronización de Relojes en Ambientes Distribuidos, 2.3, equations
// 1 to 4: the error of (tsc2 − tsc1) / (t2 − t1) is at most (t_get + t_d) / (t2 − t1). Departures:
// t_get is not estimated but seen in each reading, by reading the counter on both sides of the
// clock, of several readings the narrowest counts, and t_d is 0, because no message carries the
// time. So the bound holds for the mean frequency between two sightings even where the program was
// interrupted or the frequency changed meanwhile.
// Example: the counter shows 100 before and 140 after the clock shows 0 ns, later 2300 and 2330
// around 1000 ns, in steps of 1 tick and 1 ns. 2300 − 141 to 2331 − 100 ticks passed in 999 to 1001
// ns: the frequency lies between 2159 / 1001 = 2.1568 and 2231 / 999 = 2.2332 GHz.
// Tested by: frequency_test.cc (against simulated counters of known frequency).
#pragma once

#include <cstdint>
#include <optional>

#include "record/counter/time_sources.h"

namespace syncline {

// The clock was read at an instant at which the counter stood between the two.
struct Sighting {
  int64_t ticks_before = 0;
  int64_t clock_ns = 0;
  int64_t ticks_after = 0;
  // How far the counter went meanwhile.
  uint64_t Width() const {
    return static_cast<uint64_t>(ticks_after) - static_cast<uint64_t>(ticks_before);
  }
  // Half way between, rounded down.
  int64_t Middle() const {
    return static_cast<int64_t>(static_cast<uint64_t>(ticks_before) + Width() / 2);
  }
};

inline constexpr int kSightingsPerBurst = 32;

// The narrowest of a burst.
Sighting SeeReference(TimeSources& sources, int readings = kSightingsPerBurst);
Sighting SeeSystemClock(TimeSources& sources, int readings = kSightingsPerBurst);

struct Frequency {
  int64_t hz = 0;          // the middle of the bounds, rounded to nearest
  int64_t low_hz = 0;      // rounded down
  int64_t high_hz = 0;     // rounded up
  int64_t elapsed_ns = 0;  // between the sightings
  friend bool operator==(const Frequency&, const Frequency&) = default;

  // The largest relative error of hz, in parts in 10^9, rounded up. Requires low_hz > 0.
  int64_t BoundPpb() const;
};

// How long the sightings must be apart for the wanted bound: (t_get + t_d) / T = bound.
int64_t ElapsedNsFor(int64_t wanted_ppb, const Frequency& known);

// Of sightings of the reference; none where they are too close for bounds, or contradict a counter
// that counts forwards.
std::optional<Frequency> FrequencyBetween(const Sighting& early, const Sighting& late,
                                          const Steps& steps);
// The same, or exactly 10^9 where the counter is the reference.
std::optional<Frequency> FrequencyBetween(const Sighting& early, const Sighting& late,
                                          const TimeSources& sources);

struct Patience {
  int64_t wanted_bound_ppb = 1000;
  int64_t max_wait_ns = 1'000'000'000;
};
struct Calibration {
  Sighting late;
  std::optional<Frequency> frequency;
};
// Sights the reference, and again after sleeping as long as equation 4 says, until the bound is as
// wanted or the waits add up to the longest.
Calibration Calibrate(TimeSources& sources, const Sighting& early, const Patience& patience);

// Readings of the counter as nanoseconds since the epoch: the system's clock as it stood at the
// anchor, and from there on as the counter counted. Saturates. Monotone.
class EpochLine {
 public:
  // Between the sightings of the reference the counter went `ticks` in `ns`.
  // Requires: both above 0, where readings other than the anchor are to be converted.
  EpochLine(const Sighting& anchor, int64_t ticks, int64_t ns)
      : anchor_ticks_(anchor.Middle()), anchor_ns_(anchor.clock_ns), ticks_(ticks), ns_(ns) {}
  int64_t ToNs(int64_t counter) const;

 private:
  int64_t anchor_ticks_;
  int64_t anchor_ns_;
  int64_t ticks_;
  int64_t ns_;
};

}  // namespace syncline
