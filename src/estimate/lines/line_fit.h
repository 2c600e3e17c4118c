// What a method is that takes its line from the messages themselves: fed one by one, then asked.
//
// An upper point is a message a → b, a lower point one b → a (see pair_points.h), minimum delays
// already taken off. Order does not matter: the same points give the same line. Units: nominal
// nanoseconds. Ownership: a fit keeps what its frame says, nothing else. Memory: bounded, whatever
// the number of messages. Used by: src/estimate/pair_fit.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/hulls/corridor.h"
#include "estimate/point.h"

namespace syncline {

// What is known of a pair's points before they come.
struct FitFrame {
  Point origin;         // differences from it are below 2^61 in x, 2^62 in y
  int64_t first_x = 0;  // of all points
  int64_t last_x = 0;
  long double drift = 0;      // slope − 1 of the line the hulls give
  MinDelays min_delays;       // taken off the points
  uint64_t fewer_points = 0;  // of the direction that has fewer

  // p.y − p.x, counted from the origin.
  int64_t Difference(Point p) const { return (p.y - origin.y) - (p.x - origin.x); }
  // What is left of that at the hulls' rate: of one direction's messages, the delays and a constant
  // that is the same for both directions.
  double Residual(Point p) const {
    return static_cast<double>(static_cast<long double>(Difference(p)) -
                               drift * static_cast<long double>(p.x - origin.x));
  }
};

// How far a line of least squares is to be trusted, by the statistics of its residuals
// (regression.h). Deviations are standard deviations; `student` and `chebyshev` are half-widths of
// two-sided confidence intervals. No guarantee: unlike bounds they take residuals for independent
// and, for Student's, normal, which delays are not.
struct RegressionFigures {
  uint64_t messages = 0;
  double residual_deviation_ns = 0;  // σ, with n − 2 degrees of freedom
  struct Parameter {
    double deviation = 0;
    double student = 0;
    double chebyshev = 0;
  };
  Parameter offset_ns;    // α: of the line at the first message's time
  Parameter drift_ppm;    // β
  double confidence = 0;  // the level of both intervals
};

struct FittedLine {
  Line line;
  std::optional<RegressionFigures> regression;
};

// So many of them, spread evenly, both ends among them; all where they are no more.
template <typename T>
std::vector<T> Thinned(const std::vector<T>& all, size_t most) {
  if (all.size() <= most) return all;
  std::vector<T> thinned;
  for (size_t i = 0; i < most; ++i) thinned.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return thinned;
}

class LineFit {
 public:
  virtual ~LineFit() = default;

  virtual void AddUpper(Point p) = 0;
  virtual void AddLower(Point p) = 0;
  // None where the points do not tell a line by this method. Where they tell no rate, it is the one
  // of `allowed` that is nearest to 1.
  virtual std::optional<FittedLine> Fit(SlopeRange allowed) const = 0;
};

}  // namespace syncline
