#include "live/character/allan.h"

#include <cmath>

#include "base/int128.h"

namespace syncline {
namespace {

AllanPoint DeviationAt(std::span<const int64_t> x, size_t m, int64_t interval_ns) {
  AllanPoint point;
  point.tau_ns = Saturate(static_cast<Int128>(m) * interval_ns);
  point.terms = x.size() - 2 * m;
  double squares = 0;
  for (size_t i = 0; i + 2 * m < x.size(); ++i) {
    const Int128 second = static_cast<Int128>(x[i + 2 * m]) - 2 * static_cast<Int128>(x[i + m]) +
                          static_cast<Int128>(x[i]);
    squares += static_cast<double>(second) * static_cast<double>(second);
  }
  point.deviation = std::sqrt(squares / (2 * static_cast<double>(point.terms))) /
                    static_cast<double>(point.tau_ns);
  return point;
}

}  // namespace

std::vector<AllanPoint> AllanDeviations(std::span<const int64_t> offsets_ns, int64_t interval_ns) {
  std::vector<AllanPoint> points;
  for (size_t decade = 1; 2 * decade < offsets_ns.size(); decade *= 10) {
    for (const size_t m : {decade, 2 * decade, 5 * decade}) {
      if (2 * m >= offsets_ns.size()) return points;
      points.push_back(DeviationAt(offsets_ns, m, interval_ns));
    }
  }
  return points;
}

}  // namespace syncline
