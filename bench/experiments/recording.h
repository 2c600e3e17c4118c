// Simulated runs in memory, before and after a logical clock, and how far clocks are from true
// time.
//
// Units: nanoseconds; times are numbered by event. Sign: a clock that is fast is ahead of true
// time. Errors: those of the simulation and of the filter. Memory: the whole run. Method:
// Rabenseifner 1997, chapter 6.4. Tested by: logical_experiments_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "logical/logical_filter.h"
#include "simulate/simulation.h"

namespace syncline {

struct Recording {
  uint32_t processes = 0;
  std::vector<LogicalEvent> events;  // in order of true time; the tag is the number
  std::vector<int64_t> true_ns;      // T
  std::vector<int64_t> shown_ns;     // C
};

// Requires: a scenario without collectives. Only messages are recorded.
Result<Recording> Record(ScenarioOptions options);

struct Retimed {
  std::vector<int64_t> after_ns;
  LogicalReport report;
};

// µ is the same for all messages.
Result<Retimed> Retime(const Recording& recording, const LogicalOptions& options, int64_t mu_ns);

// By process.
struct Deviations {
  std::vector<double> fast_ns;  // F: mean over its events of max(LC − T, 0)
  std::vector<double> slow_ns;  // S: mean over its events of max(T − LC, 0)
  std::vector<double> relative;  // A: sum over successive events of |ΔLC − ΔT|, by the run's length
};
Deviations Compare(const Recording& recording, std::span<const int64_t> clock_ns);

double Mean(std::span<const double> values);
double Largest(std::span<const double> values);

// Messages that take less than µ, inverted ones among them. Requires sends before their receives.
uint64_t TooFast(const Recording& recording, std::span<const int64_t> clock_ns, int64_t mu_ns);

}  // namespace syncline
