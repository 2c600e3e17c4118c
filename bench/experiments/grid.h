// The fictitious finite-element computation on a grid, with clocks that are wrong in several ways.
//
// Method: Rabenseifner 1997, chapter 6. 4 × 5 processes, border 200…400 µs, rest 2…4 ms, delay
// 250…500 µs, µ = 250 µs, δ = 1 µs. Tested by: logical_experiments_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "experiments/recording.h"

namespace syncline {

enum class GridClock { kInput, kSimple, kOriginal, kRevised, kAmortized };
inline constexpr size_t kGridClocks = 5;

struct GridCase {
  std::string name;
  std::vector<std::string> clocks = {};  // as the options --clock of syncline simulate
  uint64_t steps = 120;
  Range rest_ns = {2'000'000, 4'000'000};
  double gamma_floor = 0.98;  // of the revised controller; 0 for coarse ticks
  uint64_t seed = 1;
};

struct GridOutcome {
  GridCase of;
  uint64_t messages = 0;
  uint64_t too_fast = 0;        // before
  uint64_t too_fast_after = 0;  // of all four logical clocks together
  std::array<Deviations, kGridClocks> clocks = {};

  const Deviations& operator[](GridClock clock) const { return clocks[static_cast<size_t>(clock)]; }
};

// What the original controller is held to.
struct GridCriteria {
  double fast_ratio = 0;  // F(LC') / F(LC), < 2; not a number where LC is never fast
  double slow_ratio = 0;  // S(LC') / S(LC), < 1
  double relative = 0;    // A(LC'), < 5 %
};
GridCriteria CriteriaOf(const GridOutcome& outcome);

// The kinds of wrong clocks of the paper, and right ones.
std::vector<GridCase> GridCases();
// Process 7 is ahead by this.
GridCase OneWrongClock(int64_t ahead_us);  // negative: slow

Result<GridOutcome> RunGrid(const GridCase& grid_case);

}  // namespace syncline
