#include <algorithm>
#include <cmath>
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

void AddReadings(const Clock& clock, const ReadingSpan& span, const ClockEstimate& estimate,
                 uint32_t epoch, size_t readings, ReportTrace::Clock& curve) {
  const Correction& correction = CorrectionOf(estimate, epoch);
  const TimeBounds& bounds = BoundsOf(estimate, epoch);
  std::vector<int64_t> bends;
  for (const Correction::Knot& knot : correction.knots()) bends.push_back(knot.local.ticks);
  for (const LocalTime bend : bounds.Bends()) bends.push_back(bend.ticks);
  for (const int64_t ticks :
       Instants(span.first.ticks, span.last.ticks, readings, std::move(bends))) {
    const LocalTime t{ticks};
    ReportTrace::Reading reading{.recorded_ns = clock.NominalNs(t),
                                 .corrected_ns = correction(t).ns};
    if (const auto lower = bounds.Lower(t)) reading.lower_ns = lower->ns;
    if (const auto upper = bounds.Upper(t)) reading.upper_ns = upper->ns;
    curve.readings.push_back(reading);
  }
}

// One epoch after the other, so in order of corrected time.
ReportTrace::Clock CurveOf(const Clock& clock, const ClockSpan& span,
                           std::span<const ReadingSpan> epochs, const ClockEstimate& estimate,
                           size_t readings) {
  ReportTrace::Clock curve{.first_recorded_ns = clock.NominalNs(span.first)};
  if (span.events == 0) return curve;
  if (epochs.empty() || estimate.later_epochs.empty()) {
    AddReadings(clock, {span.first, span.last}, estimate, 0, readings, curve);
    return curve;
  }
  constexpr size_t kFewest = 3;
  const size_t of_each = std::max(kFewest, readings / epochs.size());
  for (uint32_t k = 0; k < epochs.size(); ++k) {
    AddReadings(clock, epochs[k], estimate, k, of_each, curve);
  }
  return curve;
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
  for (size_t i = 0; i < clocks; ++i) {
    const auto epochs = loaded.EpochSpansOf(ClockId(static_cast<uint32_t>(i)));
    trace.clocks.push_back(CurveOf(loaded.traces.clocks[i], loaded.spans[i], epochs,
                                   solution.group.clocks[i], readings));
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
