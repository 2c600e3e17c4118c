#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "pipeline/page/report_trace.h"
#include "pipeline/summary/rate_stretches.h"

namespace syncline {
namespace {

constexpr size_t kMostCorridors = 100;
// Readings per clock and pair, besides the places where something bends.
constexpr size_t kReadings = 129;
constexpr size_t kFewReadings = 33;  // where there are many clocks
constexpr size_t kManyClocks = 32;
constexpr size_t kMostBends = 256;

// `count` values from first to last, and those of `others` between them.
std::vector<int64_t> Instants(int64_t first, int64_t last, size_t count,
                              std::vector<int64_t> others) {
  if (others.size() > kMostBends) others.clear();
  std::vector<int64_t> instants;
  for (const int64_t other : others) {
    if (other > first && other < last) instants.push_back(other);
  }
  const Int128 length = static_cast<Int128>(last) - first;
  for (size_t i = 0; i < count; ++i) {
    const Int128 part = length * static_cast<int64_t>(i) / static_cast<int64_t>(count - 1);
    instants.push_back(static_cast<int64_t>(first + part));
  }
  std::ranges::sort(instants);
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
  return instants;
}

// How far the true time may be from the corrected one; none: that side is open.
using Distance = std::optional<int64_t>;

// A clock in one epoch.
struct Curve {
  const Clock& clock;
  const Correction& correction;
  const TimeBounds& bounds;
  int64_t rounding_ns;  // of written times

  Distance Below(LocalTime t) const {
    const auto lower = bounds.Lower(t);
    if (!lower) return std::nullopt;
    return SaturatedSum((correction(t) - *lower).ns, rounding_ns);
  }
  Distance Above(LocalTime t) const {
    const auto upper = bounds.Upper(t);
    if (!upper) return std::nullopt;
    return SaturatedSum((*upper - correction(t)).ns, rounding_ns);
  }
};

// A distance at some readings such that the lines from one to the next are never shorter than it
// is between them, where it bends or jumps: by as much as it is longer there, both ends are.
// `bends` are known to a tick. Both ascend.
template <typename DistanceAt>
std::vector<Distance> LinesAround(std::span<const int64_t> at, std::span<const int64_t> bends,
                                  const DistanceAt& distance_at) {
  std::vector<Distance> ends;
  for (const int64_t ticks : at) ends.push_back(distance_at(LocalTime{ticks}));
  std::vector<Distance> longer(at.size(), 0);  // by the end of the line
  for (const int64_t bend : bends) {
    for (const int64_t by : {-1, 0, 1}) {
      const int64_t ticks = SaturatedSum(bend, by);
      const auto end = static_cast<size_t>(std::ranges::lower_bound(at, ticks) - at.begin());
      if (end == 0 || end == at.size() || at[end] == ticks || !longer[end]) continue;
      const Distance there = distance_at(LocalTime{ticks});
      if (!there || !ends[end - 1] || !ends[end]) {
        longer[end].reset();
        continue;
      }
      const auto part = static_cast<long double>(ticks - at[end - 1]) /
                        static_cast<long double>(at[end] - at[end - 1]);
      const auto rise = static_cast<long double>(*ends[end]) - *ends[end - 1];
      const auto line = static_cast<int64_t>(std::floor(*ends[end - 1] + part * rise));
      longer[end] = std::max(*longer[end], SaturatedDifference(*there, line));
    }
  }
  std::vector<Distance> around = ends;
  for (size_t end = 1; end < at.size(); ++end) {
    for (const size_t i : {end - 1, end}) {
      if (!longer[end] || !around[i]) {
        around[i].reset();
      } else {
        around[i] = std::max(*around[i], SaturatedSum(*ends[i], *longer[end]));
      }
    }
  }
  return around;
}

void AddReadings(const Curve& curve, const ReadingSpan& span, size_t readings,
                 ReportTrace::Clock& shown) {
  std::vector<int64_t> bends;
  std::vector<LocalTime> knots;
  for (const Correction::Knot& knot : curve.correction.knots()) knots.push_back(knot.local);
  curve.bounds.VisitBends(std::move(knots), [&](std::span<const LocalTime> some) {
    for (const LocalTime bend : some) bends.push_back(bend.ticks);
  });
  const std::vector<int64_t> at = Instants(span.first.ticks, span.last.ticks, readings, bends);
  const auto below = LinesAround(at, bends, [&](LocalTime t) { return curve.Below(t); });
  const auto above = LinesAround(at, bends, [&](LocalTime t) { return curve.Above(t); });
  for (size_t i = 0; i < at.size(); ++i) {
    const LocalTime t{at[i]};
    const GlobalTime corrected = curve.correction(t);
    ReportTrace::Reading& reading = shown.readings.emplace_back();
    reading.recorded_ns = curve.clock.NominalNs(t);
    reading.corrected_ns = corrected.ns;
    if (below[i]) reading.lower_ns = (corrected - Duration{*below[i]}).ns;
    if (above[i]) reading.upper_ns = (corrected + Duration{*above[i]}).ns;
  }
}

// One epoch after the other, so in order of corrected time.
ReportTrace::Clock CurveOf(const Clock& clock, const ClockSpan& span,
                           std::span<const ReadingSpan> epochs, const ClockEstimate& estimate,
                           int64_t rounding_ns, size_t readings) {
  ReportTrace::Clock shown{.first_recorded_ns = clock.NominalNs(span.first)};
  if (span.events == 0) return shown;
  // Nothing relates other components to the time that the page shows.
  const TimeBounds open;
  const auto of_epoch = [&](uint32_t k) {
    const TimeBounds& bounds = estimate.component > 0 ? open : BoundsOf(estimate, k);
    return Curve{clock, CorrectionOf(estimate, k), bounds, rounding_ns};
  };
  if (epochs.empty() || estimate.later_epochs.empty()) {
    AddReadings(of_epoch(0), {span.first, span.last}, readings, shown);
    return shown;
  }
  constexpr size_t kFewest = 3;
  const size_t of_each = std::max(kFewest, readings / epochs.size());
  for (uint32_t k = 0; k < epochs.size(); ++k) AddReadings(of_epoch(k), epochs[k], of_each, shown);
  return shown;
}

class CorridorMaker {
 public:
  CorridorMaker(const LoadedTraces& loaded, const Solution& solution)
      : loaded_(loaded), solution_(solution) {}

  ReportTrace::Corridor Make(const PairInput& pair) const {
    const Line& trend = *pair.estimate.line;
    const Clock& a = loaded_.traces.clocks[pair.a.index()];
    const ClockSpan& span = loaded_.spans[pair.a.index()];
    ReportTrace::Corridor corridor{.a = static_cast<uint32_t>(pair.a.index()),
                                   .b = static_cast<uint32_t>(pair.b.index()),
                                   .x_ns = trend.at.x,
                                   .y_ns = trend.at.y,
                                   .drift = static_cast<double>(trend.slope.Drift())};
    std::vector<int64_t> bends;
    for (const auto* curve : {&pair.estimate.bounds.upper, &pair.estimate.bounds.lower}) {
      if (!*curve) continue;
      for (const Point& vertex : (*curve)->vertices()) bends.push_back(vertex.x);
    }
    const Correction& own = solution_.group.clocks[pair.a.index()].correction;
    const Correction& other = solution_.group.clocks[pair.b.index()].correction;
    for (const auto* correction : {&own, &other}) {
      for (const Correction::Knot& knot : correction->knots()) {
        bends.push_back(a.NominalNs(own.Inverse(knot.global)));
      }
    }
    for (const int64_t x : Instants(a.NominalNs(span.first), a.NominalNs(span.last), kFewReadings,
                                    std::move(bends))) {
      corridor.at.push_back(At(pair, trend, x));
    }
    return corridor;
  }

 private:
  ReportTrace::Corridor::At At(const PairInput& pair, const Line& trend, int64_t x) const {
    ReportTrace::Corridor::At at{.x_ns = x};
    const Bounds& bounds = pair.estimate.bounds;
    // Whole nanoseconds, and shorter numbers in the page.
    if (bounds.lower) at.lower_ns = std::floor(trend.Residual({x, bounds.lower->Floor(x)}));
    if (bounds.upper) at.upper_ns = std::ceil(trend.Residual({x, bounds.upper->Ceil(x)}));
    at.chosen_ns = std::round(trend.Residual({x, Chosen(pair, x)}));
    return at;
  }

  int64_t Chosen(const PairInput& pair, int64_t x) const {
    const Clock& a = loaded_.traces.clocks[pair.a.index()];
    const Clock& b = loaded_.traces.clocks[pair.b.index()];
    const ClockEstimate& own = solution_.group.clocks[pair.a.index()];
    const LocalTime t = a.FromNominalNs(x);
    // Of a clock that was set back, the epoch that reaches as far first.
    const GlobalTime global = CorrectionOf(own, EpochNear(own, t))(t);
    return b.NominalNs(ReadingAt(solution_.group.clocks[pair.b.index()], global));
  }

  const LoadedTraces& loaded_;
  const Solution& solution_;
};

}  // namespace

void AddReportCurves(const LoadedTraces& loaded, const Solution& solution, ReportTrace& trace) {
  const size_t clocks = loaded.traces.clocks.size();
  const size_t readings = clocks > kManyClocks ? kFewReadings : kReadings;
  const std::vector<int64_t> rounding_ns = RoundingOfClocks(loaded);
  for (size_t i = 0; i < clocks; ++i) {
    const auto epochs = loaded.EpochSpansOf(ClockId(static_cast<uint32_t>(i)));
    trace.clocks.push_back(CurveOf(loaded.traces.clocks[i], loaded.spans[i], epochs,
                                   solution.group.clocks[i], rounding_ns[i], readings));
    trace.clocks.back().rates =
        RateStretchesOf(loaded, solution.group, ClockId(static_cast<uint32_t>(i)));
  }
  std::vector<const PairInput*> pairs;
  for (const PairInput& pair : solution.pairs) {
    if (pair.estimate.line) pairs.push_back(&pair);
  }
  const auto messages = [](const PairInput* pair) {
    return pair->estimate.messages_ab + pair->estimate.messages_ba;
  };
  std::ranges::stable_sort(
      pairs, [&](const PairInput* p, const PairInput* q) { return messages(p) > messages(q); });
  const size_t kept = std::min(pairs.size(), kMostCorridors);
  trace.corridors_left_out = pairs.size() - kept;
  pairs.resize(kept);
  const CorridorMaker maker(loaded, solution);
  for (const PairInput* pair : pairs) trace.corridors.push_back(maker.Make(*pair));
}

}  // namespace syncline
