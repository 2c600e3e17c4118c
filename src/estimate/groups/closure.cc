#include "estimate/groups/closure.h"

#include <cmath>
#include <vector>

#include "base/int128.h"

namespace syncline {
namespace {

// A least-squares line through points that are added one by one, in nanoseconds from `origin`.
class Fit {
 public:
  explicit Fit(int64_t origin) : origin_(origin) {}

  void Add(int64_t t, int64_t value) {
    const double x = Since(t);
    const auto y = static_cast<double>(value);
    ++count_;
    const double dx = x - mean_x_;
    mean_x_ += dx / count_;
    mean_y_ += (y - mean_y_) / count_;
    xx_ += dx * (x - mean_x_);
    xy_ += dx * (y - mean_y_);
  }
  bool has_points() const { return count_ > 0; }
  int64_t At(int64_t t) const {
    const double slope = xx_ > 0 ? xy_ / xx_ : 0;
    return std::llround(mean_y_ + slope * (Since(t) - mean_x_));
  }

 private:
  double Since(int64_t t) const { return static_cast<double>(static_cast<Int128>(t) - origin_); }

  int64_t origin_;
  double count_ = 0, mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0;
};

class ClosureMethod : public IntervalMethod {
 public:
  CorridorPlaces Places() const override { return CorridorPlaces::kIntervals; }
  // An interval without messages is left out of the fit.
  size_t Complete(const ComponentMessages&, Corridors&) const override { return 0; }

  ClockShift ShiftOf(const ComponentMessages& component, const Corridors& corridors,
                     size_t place) const override {
    Fit fit(corridors.grid.first_ns);
    for (size_t j = 0; j < corridors.closed.size(); ++j) {
      const OffsetClosure& closed = corridors.closed[j];
      if (closed.IsBounded(0, place)) fit.Add(corridors.TimeOf(j), closed.Middle(0, place));
    }
    ClockShift shift;
    if (!fit.has_points()) return shift;
    const TraceEnds ends = EndsOf(component.clocks[place]);
    shift.nodes = {{ends.first_ns, fit.At(ends.first_ns)}, {ends.last_ns, fit.At(ends.last_ns)}};
    for (size_t j = 0; j < corridors.closed.size(); ++j) {
      const OffsetClosure& closed = corridors.closed[j];
      if (!closed.IsBounded(0, place)) continue;
      const int64_t value = fit.At(corridors.TimeOf(j));
      if (value < *closed.Lower(0, place) || value > *closed.Upper(0, place)) ++shift.outside;
    }
    return shift;
  }
};

}  // namespace

Result<IntervalEstimate> EstimateClosure(std::span<const ClockInput> clocks,
                                         std::span<const PairInput> pairs,
                                         const MessagePass& messages,
                                         const IntervalOptions& options) {
  return EstimateByIntervals(clocks, pairs, messages, options, ClosureMethod());
}

}  // namespace syncline
