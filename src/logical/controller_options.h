// What the controllers of the controlled logical clock can be told.
//
// Units: fractions of one; nanoseconds. The defaults are the papers' recommendations.
#pragma once

#include <cstdint>

namespace syncline {

enum class ControllerKind { kRevised, kOriginal };

// Rabenseifner 2000, chapter 4.4.
struct RevisedControllerOptions {
  double gamma_max = 1 - 2e-5;  // A; enough for drifts up to ½(1 − γmax)
  double gamma_floor = 0.98;    // D; 0 is off
  double q_low = 1.2;           // C acts from here on …
  double q_high = 3.0;          // … and stops the clock here
  friend bool operator==(const RevisedControllerOptions&,
                         const RevisedControllerOptions&) = default;
};

// Rabenseifner 1997, algorithm 3.
struct OriginalControllerOptions {
  int64_t q_init_ns = 250'000;
  int64_t q_min_ns = 250'000;  // deviations up to this are tolerated
  double q_factor = 0.9;       // how slowly old deviations are forgotten
  double gamma_max = 0.95;
  double gamma_step = 0.9;  // γdeg
  double l_up = 2.0;
  double l_low = 1.8;
  friend bool operator==(const OriginalControllerOptions&,
                         const OriginalControllerOptions&) = default;
};

}  // namespace syncline
