// Random numbers that are the same for the same seed with every compiler.
// Method: splitmix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cmath>
#include <cstdint>

namespace syncline::sweep {

class Random {
 public:
  // Streams of one seed are independent of each other.
  Random(uint64_t seed, uint64_t stream) : state_(seed) { state_ = Next() ^ (stream * kStride); }

  uint64_t Next() {
    uint64_t z = state_ += kStride;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t n) { return Next() % n; }
  // Above 0, at most 1.
  double Uniform() { return (static_cast<double>(Next() >> 11) + 1) * 0x1p-53; }
  double Between(double low, double high) { return low + (high - low) * Uniform(); }
  bool Happens(double share) { return share > 0 && Uniform() <= share; }
  double Exponential(double mean) { return -mean * std::log(Uniform()); }
  // From 0 on (Lomax): half of the values are below scale · (2^(1/shape) − 1).
  double Pareto(double scale, double shape) {
    return scale * (std::pow(Uniform(), -1 / shape) - 1);
  }
  double Normal(double deviation) {
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    return deviation * radius * std::cos(2 * M_PI * Uniform());
  }

 private:
  static constexpr uint64_t kStride = 0x9e3779b97f4a7c15;
  uint64_t state_;
};

}  // namespace syncline::sweep
