// A counter of known frequency and drift beside a clock of known truth, for tests: nothing in it
// depends on real time.
//
// Every reading takes a random time, some as long as an interruption; the counter and the clocks
// show the instant at which that time has passed, cut to whole steps.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "record/counter/time_sources.h"

namespace syncline {

struct SimulatedCounter {
  double hz = 2.4e9;
  double drift_per_s = 0;   // relative change of the frequency per second
  double origin_ticks = 0;  // below 2^40, so that doubles hold the ticks of tests exactly enough
  int64_t step_ticks = 1;
  int64_t reference_step_ns = 1;
  int64_t system_at_start_ns = 1'750'000'000'000'000'000;
  double interruption_share = 0.02;
  int64_t interruption_ns = 50'000;
};

class SimulatedTime final : public TimeSources {
 public:
  SimulatedTime(const SimulatedCounter& model, uint64_t seed) : model_(model), random_(seed) {}

  int64_t Counter() override {
    Pass();
    const int64_t ticks = static_cast<int64_t>(std::floor(TicksAt(true_ns_)));
    return ticks - ticks % model_.step_ticks;
  }
  int64_t ReferenceNs() override {
    Pass();
    last_reference_true_ns_ = true_ns_;
    return true_ns_ - true_ns_ % model_.reference_step_ns;
  }
  Steps GetSteps() const override { return {model_.step_ticks, model_.reference_step_ns}; }
  int64_t SystemNs() override {
    Pass();
    return model_.system_at_start_ns + true_ns_;
  }
  void Sleep(int64_t ns) override {
    slept_ns_ += ns;
    true_ns_ += ns + Uniform(0, 60'000);
  }

  double TicksAt(int64_t true_ns) const {
    const double s = static_cast<double>(true_ns) * 1e-9;
    return model_.origin_ticks + model_.hz * s * (1 + model_.drift_per_s * s / 2);
  }
  int64_t true_ns() const { return true_ns_; }
  int64_t slept_ns() const { return slept_ns_; }
  // The readings taken and the instant at which the last one of the reference was.
  int64_t last_reference_true_ns() const { return last_reference_true_ns_; }
  void Let(int64_t ns) { true_ns_ += ns; }

 private:
  int64_t Uniform(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  void Pass() {
    true_ns_ += Uniform(5, 40);
    if (std::bernoulli_distribution(model_.interruption_share)(random_)) {
      true_ns_ += Uniform(0, model_.interruption_ns);
    }
  }

  SimulatedCounter model_;
  std::mt19937_64 random_;
  int64_t true_ns_ = 1'000'000;
  int64_t slept_ns_ = 0;
  int64_t last_reference_true_ns_ = 0;
};

}  // namespace syncline
