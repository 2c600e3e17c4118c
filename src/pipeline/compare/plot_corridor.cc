#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/difference.h"
#include "estimate/hulls/corridor.h"
#include "pipeline/compare/plot_parts.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr const char* kForward = "#b35900";   // a → b
constexpr const char* kBackward = "#2a6f97";  // b → a

// The plane of two clocks with a straight trend taken off the ordinates.
class Plane {
 public:
  Plane(const Line& trend, int64_t first_x) : trend_(trend), first_x_(first_x) {}

  ChartPoint operator()(Point p) const { return {DifferenceOf(p.x, first_x_), trend_.Residual(p)}; }
  std::vector<ChartPoint> operator()(std::span<const Point> points) const {
    std::vector<ChartPoint> drawn;
    for (const Point& p : points) drawn.push_back((*this)(p));
    return drawn;
  }

 private:
  const Line& trend_;
  int64_t first_x_;
};

// The pair as the first method has it; the corridor is the same for all.
const PairInput* FindPair(std::span<const MethodRun> runs, std::pair<ClockId, ClockId> clocks) {
  for (const MethodRun& run : runs) {
    if (!run.solution) continue;
    for (const PairInput& pair : run.solution->pairs) {
      if (pair.a == clocks.first && pair.b == clocks.second) return &pair;
    }
  }
  return nullptr;
}

class CorridorChart {
 public:
  CorridorChart(const LoadedTraces& loaded, std::span<const MethodRun> runs, const Truth* truth,
                const PairInput& pair)
      : runs_(runs),
        truth_(truth),
        pair_(pair),
        estimate_(pair.estimate),
        a_(loaded.traces.clocks[pair.a.index()]),
        b_(loaded.traces.clocks[pair.b.index()]),
        points_(loaded.pairs.at({pair.a, pair.b})),
        hulls_(ShiftedHulls(points_, estimate_.min_delays)),
        first_x_(std::min(FirstOf(hulls_.upper), FirstOf(hulls_.lower))),
        last_x_(std::max(LastOf(hulls_.upper), LastOf(hulls_.lower))),
        xs_(EvenlySpaced(first_x_, last_x_, 200)),
        plane_(*estimate_.line, first_x_) {}

  Chart Run() {
    chart_.title = fmt::format("Corridor of the clocks {} and {}", a_.name, b_.name);
    chart_.subtitle = fmt::format("{}; a straight trend of {:+.3f} ppm is taken out",
                                  QualityName(estimate_.quality),
                                  static_cast<double>(estimate_.line->slope.Drift()) * 1e6);
    chart_.x_label = fmt::format("time since the first message, by {}", a_.name);
    chart_.y_label = fmt::format("time at {} − trend", b_.name);
    chart_.x_range = Widened({0, DifferenceOf(last_x_, first_x_)}, 0.01);
    AddCorridor();
    AddMessages();
    AddExtremeLines();
    AddMethods();
    AddTruth();
    chart_.y_range = OrdinateRange();
    return std::move(chart_);
  }

 private:
  static int64_t FirstOf(const std::vector<Point>& hull) {
    return hull.empty() ? std::numeric_limits<int64_t>::max() : hull.front().x;
  }
  static int64_t LastOf(const std::vector<Point>& hull) {
    return hull.empty() ? std::numeric_limits<int64_t>::min() : hull.back().x;
  }

  void AddCorridor() {
    const Bounds& bounds = estimate_.bounds;
    if (!bounds.upper || !bounds.lower) return;
    for (const int64_t x : xs_) corridor_.push_back(plane_({x, bounds.upper->Ceil(x)}));
    for (auto x = xs_.rbegin(); x != xs_.rend(); ++x) {
      corridor_.push_back(plane_({*x, bounds.lower->Floor(*x)}));
    }
    chart_.series.push_back({.label = "corridor",
                             .kind = ChartSeries::Kind::kArea,
                             .color = "#f2cc60",
                             .opacity = 0.45,
                             .points = corridor_});
  }

  // A sample of them, moved by the minimum delay like the hulls.
  void AddMessages() {
    forward_ = plane_(points_.SampleAToB().points());
    backward_ = plane_(points_.SampleBToA().points());
    for (ChartPoint& p : forward_) p.y -= static_cast<double>(estimate_.min_delays.ab_ns);
    for (ChartPoint& p : backward_) p.y += static_cast<double>(estimate_.min_delays.ba_ns);
    AddDirection(a_.name, b_.name, estimate_.messages_ab, kForward, forward_, hulls_.upper);
    AddDirection(b_.name, a_.name, estimate_.messages_ba, kBackward, backward_, hulls_.lower);
  }

  void AddDirection(const std::string& from, const std::string& to, uint64_t messages,
                    const char* color, const std::vector<ChartPoint>& points,
                    std::span<const Point> hull) {
    if (messages == 0) return;
    chart_.series.push_back(
        {.label = fmt::format("{} → {}: {}", from, to, FormatCount(messages, "message")),
         .kind = ChartSeries::Kind::kPoints,
         .color = color,
         .width = 2.6,
         .opacity = 0.55,
         .points = points});
    chart_.series.push_back(
        {.label = "their hull", .color = color, .width = 1.4, .points = plane_(hull)});
  }

  void AddExtremeLines() {
    if (estimate_.quality != Quality::kAccurate) return;
    std::string label = "least and greatest slope";
    for (const Slope slope : {estimate_.slopes->min, estimate_.slopes->max}) {
      const Line line{hulls_.upper[SupportOfUpper(hulls_.upper, slope)], slope};
      chart_.series.push_back({.label = std::exchange(label, ""),
                               .color = "#57606a",
                               .width = 1,
                               .dash = "5 4",
                               .points = {plane_({first_x_, line.Nearest(first_x_)}),
                                          plane_({last_x_, line.Nearest(last_x_)})}});
    }
  }

  void AddMethods() {
    MethodLines lines;
    for (const MethodRun& run : runs_) {
      if (!run.solution) continue;
      const auto& clocks = run.solution->group.clocks;
      const ClockEstimate& a = clocks[pair_.a.index()];
      const ClockEstimate& b = clocks[pair_.b.index()];
      if (a.component != b.component) continue;
      std::vector<ChartPoint> points;
      for (const int64_t x : xs_) {
        // Of a clock that was set back, the epoch that reaches as far first.
        const LocalTime at_a = a_.FromNominalNs(x);
        const LocalTime at_b = ReadingAt(b, CorrectionOf(a, EpochNear(a, at_a))(at_a));
        points.push_back(plane_({x, b_.NominalNs(at_b)}));
      }
      lines.Add(run.method, std::move(points));
    }
    for (ChartSeries& series : lines.Series()) chart_.series.push_back(std::move(series));
  }

  void AddTruth() {
    if (truth_ == nullptr) return;
    const auto a = truth_->clocks.find(a_.name);
    const auto b = truth_->clocks.find(b_.name);
    if (a == truth_->clocks.end() || b == truth_->clocks.end()) return;
    std::vector<ChartPoint> points;
    for (const int64_t x : xs_) {
      const GlobalTime instant = TruthAt(a->second, {0, a->second.size() - 1}, x)({x});
      points.push_back(plane_({x, ShownAt(b->second, instant)}));
    }
    chart_.series.push_back({.label = "the truth", .width = 2.5, .points = std::move(points)});
  }

  // The corridor and the fast half of the messages, or most where there is none: a slow one may be
  // far away.
  std::pair<double, double> OrdinateRange() const {
    std::vector<ChartPoint> seen = corridor_;
    for (const double share : {0.02, corridor_.empty() ? 0.85 : 0.5}) {
      if (!forward_.empty()) seen.push_back({0, QuantileOf(forward_, share)});
      if (!backward_.empty()) seen.push_back({0, QuantileOf(backward_, 1 - share)});
    }
    return Widened(RangeOf(seen).value_or(std::pair(0.0, 1.0)), 0.12);
  }

  std::span<const MethodRun> runs_;
  const Truth* truth_;
  const PairInput& pair_;
  const PairEstimate& estimate_;
  const Clock& a_;
  const Clock& b_;
  const PairPoints& points_;
  Hulls hulls_;
  int64_t first_x_;
  int64_t last_x_;
  std::vector<int64_t> xs_;
  Plane plane_;
  std::vector<ChartPoint> corridor_, forward_, backward_;
  Chart chart_;
};

}  // namespace

std::optional<Chart> CorridorPlot(const LoadedTraces& loaded, std::span<const MethodRun> runs,
                                  const Truth* truth, std::pair<ClockId, ClockId> clocks) {
  const PairInput* pair = FindPair(runs, clocks);
  if (pair == nullptr || !pair->estimate.line) return std::nullopt;
  return CorridorChart(loaded, runs, truth, *pair).Run();
}

}  // namespace syncline
