// A clock as a function of true time, known exactly: integer knots, straight lines between them.
//
// Units and signs: as in clock_model.h; true and local times count from the epoch. The readings are
// those of a clock of nanoseconds, rounded down. Cost: a knot per change of the rate.
// Tested by: clock_sweep_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "clock_model.h"
#include "random.h"

namespace syncline::sweep {

struct TrueClock {
  struct Knot {
    int64_t true_ns = 0;
    int64_t local_ns = 0;
    double ppm = 0;        // the rate from here on
    bool is_jump = false;  // from here to the next knot the clock is set, or sleeps
  };
  std::vector<Knot> knots;
  std::vector<Sleep> sleeps;  // with true times since the epoch
  int64_t ticks_per_second = kNsPerSecond;

  int64_t LocalNs(int64_t true_ns) const;
  int64_t Ticks(int64_t true_ns) const;
  bool IsAsleep(int64_t true_ns) const;
};

TrueClock MakeClock(const ClockModel& model, int64_t start_ns, int64_t end_ns, Random random);

// The extremes of d(global)/d(local) − 1 where `reference` shows the global time, in ppm, outside
// of jumps: what a limit of the rates has to allow.
struct RateRange {
  double least_ppm = 0;
  double greatest_ppm = 0;
};
RateRange RatesAgainst(const TrueClock& reference, const TrueClock& clock);

}  // namespace syncline::sweep
