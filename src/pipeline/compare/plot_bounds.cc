#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/difference.h"
#include "pipeline/compare/plot_parts.h"
#include "pipeline/correct/truth_comparison.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr int kParts = 240;

// One clock over its traced interval, in the time of its reference. Readings of a clock that was
// set back stand for the epoch that reaches as far first.
class ClockChart {
 public:
  ClockChart(const LoadedTraces& loaded, std::span<const MethodRun> runs, const Truth* truth,
             ClockId clock)
      : loaded_(loaded), runs_(runs), truth_(truth), id_(clock), clock_(ClockOf(clock)) {
    const ClockSpan& span = loaded.spans[clock.index()];
    for (const int64_t ticks : EvenlySpaced(span.first.ticks, span.last.ticks, kParts)) {
      times_.push_back({ticks});
    }
    for (const MethodRun& run : runs) {
      if (base_ == nullptr && run.solution && RootOf(run) != clock) base_ = &run;
    }
  }

  std::optional<Chart> Bounds() {
    if (base_ == nullptr) return std::nullopt;
    Begin(fmt::format("Bounds of clock {} over time", clock_.name),
          fmt::format("0: clock {} as {} corrects it to the time of {}", clock_.name,
                      base_->method.name, ClockOf(RootOf(*base_)).name),
          "true − corrected time");
    AddBroadcasts();
    AddBounds();
    AddTruth();
    if (chart_.series.empty()) return std::nullopt;
    return Finish();
  }

  std::optional<Chart> Errors() {
    if (base_ == nullptr || !TruthOf(*base_).IsKnown()) return std::nullopt;
    Begin(fmt::format("Error of clock {} after correction", clock_.name),
          fmt::format("to the time of {}; above 0: later than the truth",
                      ClockOf(RootOf(*base_)).name),
          "corrected − true time");
    MethodLines lines;
    for (const MethodRun& run : runs_) {
      if (IsComparable(run)) lines.Add(run.method, ErrorsOf(run));
    }
    chart_.series = lines.Series();
    for (const ChartSeries& series : chart_.series) seen_.push_back(series.points);
    return Finish();
  }

 private:
  const Clock& ClockOf(ClockId clock) const { return loaded_.traces.clocks[clock.index()]; }
  const ClockEstimate& EstimateOf(const MethodRun& run) const {
    return run.solution->group.clocks[id_.index()];
  }
  ClockId RootOf(const MethodRun& run) const {
    return run.solution->group.roots[EstimateOf(run).component];
  }
  // Relative to the same clock as the first method.
  bool IsComparable(const MethodRun& run) const {
    return run.solution && EstimateOf(run).quality != Quality::kAbsent &&
           RootOf(run) == RootOf(*base_);
  }
  TruthComparison TruthOf(const MethodRun& run) const {
    return {truth_, loaded_, run.solution->group, id_};
  }
  double SinceFirst(LocalTime t) const {
    return DifferenceOf(clock_.NominalNs(t), clock_.NominalNs(times_.front()));
  }
  uint32_t EpochAt(LocalTime t) const { return EpochNear(EstimateOf(*base_), t); }
  int64_t CorrectedBy(const MethodRun& run, LocalTime t, uint32_t epoch) const {
    return CorrectionOf(EstimateOf(run), epoch)(t).ns;
  }
  int64_t Base(LocalTime t) const { return CorrectedBy(*base_, t, EpochAt(t)); }

  void Begin(std::string title, std::string subtitle, std::string y_label) {
    chart_.title = std::move(title);
    chart_.subtitle = std::move(subtitle);
    chart_.x_label = fmt::format("time since the first event, by {}", clock_.name);
    chart_.y_label = std::move(y_label);
    chart_.x_range = Widened({0, SinceFirst(times_.back())}, 0.01);
  }

  // Lines that are ten times as far away as another would hide all others; they leave the chart.
  std::optional<Chart> Finish() {
    std::vector<double> reaches;
    for (const auto& points : seen_) {
      const auto range = RangeOf(points);
      if (range) reaches.push_back(std::max(std::abs(range->first), std::abs(range->second)));
    }
    if (reaches.empty()) return std::nullopt;
    const double most = *std::ranges::min_element(reaches) * 10;
    std::vector<ChartPoint> shown = {{0, 0}};
    for (const auto& points : seen_) {
      for (const ChartPoint& p : points) {
        if (std::isfinite(p.y)) shown.push_back({p.x, std::clamp(p.y, -most, most)});
      }
    }
    chart_.y_range = Widened(*RangeOf(shown), 0.06);
    return std::move(chart_);
  }

  // Had the broadcasts reached both receivers at once, these were the truth.
  void AddBroadcasts() {
    std::vector<ChartPoint> points;
    for (const Broadcast& broadcast : loaded_.messages.broadcasts()) {
      const EventRef* own = ReceiveOf(broadcast, id_);
      const EventRef* other = ReceiveOf(broadcast, RootOf(*base_));
      if (own == nullptr || other == nullptr) continue;
      const auto at = [&](const EventRef& event) {
        return CorrectedTime(loaded_, base_->solution->group, event).ns;
      };
      points.push_back({SinceFirst(own->time), DifferenceOf(at(*other), at(*own))});
    }
    if (points.empty()) return;
    const std::string label = FormatCount(points.size(), "broadcast");
    const ChartPoint low{0, QuantileOf(points, 0.05)};
    const ChartPoint high{0, QuantileOf(points, 0.95)};
    seen_.push_back({low, high});
    chart_.series.push_back({.label = label + ":\nat the reference − here",
                             .kind = ChartSeries::Kind::kPoints,
                             .color = "#8c959f",
                             .width = 3.4,
                             .opacity = 0.7,
                             .points = Thinned(std::move(points))});
  }

  // At most some thousand, evenly.
  static std::vector<ChartPoint> Thinned(std::vector<ChartPoint> points) {
    constexpr size_t kMost = 2000;
    const size_t every = points.size() / kMost + 1;
    std::vector<ChartPoint> kept;
    for (size_t i = 0; i < points.size(); i += every) kept.push_back(points[i]);
    return kept;
  }

  const EventRef* ReceiveOf(const Broadcast& broadcast, ClockId clock) const {
    for (const EventRef& event : broadcast.receives) {
      if (loaded_.ClockOf(event) == clock) return &event;
    }
    return nullptr;
  }

  void AddBounds() {
    MethodLines lines;
    for (const MethodRun& run : runs_) {
      if (!IsComparable(run)) continue;
      std::vector<ChartPoint> points = BoundsOf(run);
      if (!RangeOf(points)) continue;
      seen_.push_back(points);
      lines.Add(run.method, std::move(points));
    }
    for (ChartSeries& series : lines.Series()) chart_.series.push_back(std::move(series));
  }

  // The upper bound, a gap, and the lower.
  std::vector<ChartPoint> BoundsOf(const MethodRun& run) const {
    const auto bounds = [&](LocalTime t) -> const TimeBounds& {
      return syncline::BoundsOf(EstimateOf(run), EpochAt(t));
    };
    std::vector<ChartPoint> points;
    const auto add = [&](LocalTime t, std::optional<GlobalTime> bound) {
      points.push_back({SinceFirst(t), bound ? DifferenceOf(bound->ns, Base(t)) : kGap});
    };
    for (const LocalTime t : times_) add(t, bounds(t).Upper(t));
    points.push_back({SinceFirst(times_.back()), kGap});
    for (const LocalTime t : times_) add(t, bounds(t).Lower(t));
    return points;
  }

  void AddTruth() {
    const TruthComparison comparison = TruthOf(*base_);
    std::vector<ChartPoint> points;
    for (const LocalTime t : times_) {
      const auto expected = comparison.Expected(t, EpochAt(t));
      if (expected) points.push_back({SinceFirst(t), DifferenceOf(expected->ns, Base(t))});
    }
    if (points.empty()) return;
    seen_.push_back(points);
    chart_.series.push_back({.label = "the truth", .width = 2.5, .points = std::move(points)});
  }

  std::vector<ChartPoint> ErrorsOf(const MethodRun& run) const {
    const TruthComparison comparison = TruthOf(run);
    std::vector<ChartPoint> points;
    for (const LocalTime t : times_) {
      const uint32_t epoch = EpochAt(t);
      const auto expected = comparison.Expected(t, epoch);
      points.push_back({SinceFirst(t),
                        expected ? DifferenceOf(CorrectedBy(run, t, epoch), expected->ns) : kGap});
    }
    return points;
  }

  const LoadedTraces& loaded_;
  std::span<const MethodRun> runs_;
  const Truth* truth_;
  ClockId id_;
  const Clock& clock_;
  std::vector<LocalTime> times_;
  const MethodRun* base_ = nullptr;            // the first for which the clock is not the reference
  std::vector<std::vector<ChartPoint>> seen_;  // what the axis has to hold
  Chart chart_;
};

}  // namespace

std::optional<Chart> BoundsPlot(const LoadedTraces& loaded, std::span<const MethodRun> runs,
                                const Truth* truth, ClockId clock) {
  return ClockChart(loaded, runs, truth, clock).Bounds();
}

std::optional<Chart> ErrorPlot(const LoadedTraces& loaded, std::span<const MethodRun> runs,
                               const Truth* truth, ClockId clock) {
  return ClockChart(loaded, runs, truth, clock).Errors();
}

}  // namespace syncline
