// Elapsed wall time for the summary's timing figures.
#pragma once

#include <chrono>

namespace syncline {

class Stopwatch {
 public:
  // Seconds since construction or the last restart.
  double Restart() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> elapsed = now - start_;
    start_ = now;
    return elapsed.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace syncline
