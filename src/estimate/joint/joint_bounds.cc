#include "estimate/joint/joint_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "estimate/joint/linear_programme.h"

namespace syncline {
namespace {

constexpr size_t kClocksAtOnce = 24;
constexpr size_t kLongestWay = 2 * kClocksAtOnce;
constexpr Int128 kMostRise = Int128{1} << 62;

// Sums of up to 2^10 products of extended precision are good to this part of the sum of their
// sizes, with room to spare.
constexpr long double kRoundOff = 0x1p-50L;

// The column of a row's multiplier.
LinearProgramme::Line InMicroseconds(const JointRow& row) {
  LinearProgramme::Line column{
      row.Entries(), {0, kUnlimited}, static_cast<double>(row.constant_ns / 1000)};
  for (auto& [unknown, weight] : column.entries) weight = -weight;
  return column;
}

// Certified upper bounds of linear functions of all clocks' unknowns.
// Maximises over the rows of joint_programme.h and turns whatever multipliers λ come back into a
// bound that holds. The programme that is solved is the dual one: its columns are multipliers, its
// rows the unknowns, which are few. Of the rows of joint_programme.h few ever count, so it begins
// with the limits of JointPaths alone and takes in those that the solution violates until it
// violates none; what one objective needed is there for the next.
class DualBound {
 public:
  static constexpr long double kAnything = 0x1p64L;

  DualBound(const JointProblem& problem, const JointPaths& paths) {
    const size_t n = problem.clocks.size();
    box_.resize(StartOf(n));
    for (size_t i = 1; i < n; ++i) {
      if (!paths.HasBoth(i)) continue;
      const auto interval = [&](Point p) {
        const auto low = paths.Lower(i, p.x);
        const auto high = paths.Upper(i, p.x);
        return Interval{
            low ? static_cast<long double>(static_cast<Int128>(*low) - p.y) : -kAnything,
            high ? static_cast<long double>(static_cast<Int128>(*high) - p.y) : kAnything};
      };
      box_[StartOf(i)] = interval(problem.anchors[i].first);
      box_[EndOf(i)] = interval(problem.anchors[i].last);
    }
    for (const std::vector<JointRow>& rows :
         {MessageRows(problem, Readings::kAsLateAsPossible), RateRows(problem)}) {
      std::copy_if(rows.begin(), rows.end(), std::back_inserter(rows_), [&](const JointRow& row) {
        return paths.HasBoth(row.earlier) && paths.HasBoth(row.later);
      });
    }

    is_taken_.resize(rows_.size());
    for (size_t r = 0; r < rows_.size(); ++r) {
      const JointRow& last = rows_[r > 0 ? r - 1 : 0];
      const bool is_same = rows_[r].kind == last.kind && rows_[r].pair == last.pair &&
                           rows_[r].earlier == last.earlier;
      if (r > 0 && !is_same) ++groups_;
      group_.push_back(groups_);
    }
    ++groups_;

    // Row k is the unknown's; its price is the unknown. The first columns are multipliers of
    // limits.
    LinearProgramme programme;
    for (const Interval& of_unknown : box_) {
      const size_t high =
          programme.AddColumn({0, kUnlimited}, static_cast<double>(of_unknown.high / 1000));
      const size_t low =
          programme.AddColumn({0, kUnlimited}, static_cast<double>(-of_unknown.low / 1000));
      programme.AddRow({{high, 1}, {low, -1}}, {0, 0});
    }
    solver_.emplace(programme);
  }

  struct Maximum {
    long double at_most_ns = 0;              // certified
    std::array<double, 2> unknowns_ns = {};  // u and v of a line that about attains it
  };
  // The maximum of weights[0] · u + weights[1] · v of one clock.
  // Requires a clock that both sides of the paths reach, not the root.
  Maximum Of(size_t clock, std::array<long double, 2> weights) {
    using Method = LinearSolver::Method;
    constexpr int kRounds = 100;
    const auto set_objective = [&](size_t unknown, double weight) {
      solver_->SetRow(unknown, {weight, weight});
    };
    set_objective(StartOf(clock), static_cast<double>(weights[0]));
    set_objective(EndOf(clock), static_cast<double>(weights[1]));
    // Whatever the rounds reach is a bound.
    bool goes_on = solver_->Solve(Method::kDual);
    for (int i = 0; i < kRounds && goes_on && TakeInViolated(); ++i) {
      goes_on = solver_->Solve(Method::kPrimal);
    }
    const std::span<const double> unknowns = solver_->prices();
    const Maximum maximum = {Certified(clock, weights),
                             {1000 * unknowns[StartOf(clock)], 1000 * unknowns[EndOf(clock)]}};
    set_objective(StartOf(clock), 0);
    set_objective(EndOf(clock), 0);
    return maximum;
  }

 private:
  struct Interval {
    long double low = 0;
    long double high = 0;
  };

  // Takes in the worst violated row of each pair and direction; false where there is none.
  bool TakeInViolated() {
    constexpr long double kToleratedNs = 0.01L;
    const std::span<const double> unknowns_us = solver_->prices();
    struct Worst {
      long double slack_ns = -kToleratedNs;
      std::optional<size_t> row;
    };
    std::vector<Worst> worst(groups_);
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (is_taken_[r]) continue;
      const long double slack = rows_[r].SlackNs(unknowns_us);
      Worst& group = worst[group_[r]];
      if (slack < group.slack_ns) group = {slack, r};
    }
    std::vector<LinearProgramme::Line> added;
    for (const Worst& group : worst) {
      if (!group.row) continue;
      is_taken_[*group.row] = true;
      taken_.push_back(*group.row);
      added.push_back(InMicroseconds(rows_[*group.row]));
    }
    if (!added.empty()) solver_->AddColumns(added);
    return !added.empty();
  }

  // For λ ≥ 0 and unknowns z that satisfy all rows, objective · z ≤ objective · z + Σ λ · row(z) =
  // Σ λ · constant + (objective + Σ λ · weights) · z, whose last term the box limits.
  long double Certified(size_t clock, std::array<long double, 2> weights) const {
    std::vector<long double> left(box_.size());
    std::vector<long double> sizes(box_.size());
    const auto add = [&](size_t unknown, long double v) {
      left[unknown] += v;
      sizes[unknown] += std::fabs(v);
    };
    add(StartOf(clock), weights[0]);
    add(EndOf(clock), weights[1]);
    long double bound = 0;
    long double size = 0;
    // Those of limits are not used: what they leave is limited the same way.
    const std::span<const double> lambdas = solver_->columns().subspan(2 * box_.size());
    for (size_t i = 0; i < taken_.size(); ++i) {
      const long double lambda = lambdas[i];
      if (!(lambda > 0) || !std::isfinite(lambda)) continue;
      const JointRow& row = rows_[taken_[i]];
      bound += lambda * row.constant_ns;
      size += lambda * row.size_ns;
      for (const auto& [unknown, weight] : row.Terms()) add(unknown, lambda * weight);
    }
    for (size_t k = StartOf(1); k < box_.size(); ++k) {
      const long double reach = std::max(std::fabs(box_[k].low), std::fabs(box_[k].high));
      bound += std::max(left[k] * box_[k].low, left[k] * box_[k].high);
      size += sizes[k] * reach;
    }
    return bound + kRoundOff * size;
  }

  std::vector<JointRow> rows_;  // those between clocks that both sides reach
  std::vector<size_t> group_;   // by row: the same for a pair's rows of one direction or kind
  size_t groups_ = 0;
  std::vector<bool> is_taken_;  // by row
  std::vector<size_t> taken_;   // rows, in the order of the solver's
  std::vector<Interval> box_;   // by unknown, in ns
  std::optional<LinearSolver> solver_;
};

// One side of a clock's bounds: the upper one, or the lower one seen upside down.
enum class Side { kUpper, kLower };

// Deviations from the guess, in ns; of the lower side with the sign changed, so that both are
// convex and sought as maxima.
struct Value {
  int64_t x = 0;
  int64_t y = 0;                       // the bound, rounded outward
  long double height = 0;              // the same as a deviation
  std::array<double, 2> tangent = {};  // its deviations at the anchors
};

class SideFinder {
 public:
  // Without a solver, values are those of the paths.
  SideFinder(const JointProblem& problem, const JointPaths& paths, DualBound* solver, size_t clock,
             Side side)
      : problem_(problem),
        anchors_(problem.anchors[clock]),
        paths_(paths),
        solver_(solver),
        clock_(clock),
        side_(side) {}

  // Ascending x, from anchor to anchor.
  std::vector<Point> Find(BoundDensity density) {
    Add(anchors_.first.x);
    Add(anchors_.last.x);
    if (!problem_.ends.empty()) {
      for (const int64_t x : problem_.ends[clock_]) {
        if (x > anchors_.first.x && x < anchors_.last.x) Add(x);
      }
    }
    while (values_.size() < density.values) {
      const std::optional<int64_t> x = WidestGap();
      if (!x) break;
      Add(*x);
    }
    const Int128 length = static_cast<Int128>(anchors_.last.x) - anchors_.first.x;
    for (size_t i = 1; i + 1 < density.points; ++i) {
      const Int128 part =
          length * static_cast<int64_t>(i) / static_cast<int64_t>(density.points - 1);
      Add(static_cast<int64_t>(anchors_.first.x + part));
    }
    std::vector<Point> points;
    for (const Value& v : values_) points.push_back({v.x, v.y});
    return points;
  }

 private:
  long double Sign() const { return side_ == Side::kUpper ? 1 : -1; }

  // Where there is no value yet.
  void Add(int64_t x) {
    const auto at = std::ranges::lower_bound(values_, x, {}, &Value::x);
    if (at != values_.end() && at->x == x) return;
    std::array<long double, 2> weights = anchors_.WeightsAt(x);
    for (long double& w : weights) w *= Sign();
    DualBound::Maximum maximum{.at_most_ns = DualBound::kAnything};
    if (solver_ != nullptr) maximum = solver_->Of(clock_, weights);
    Value value{.x = x, .tangent = maximum.unknowns_ns};
    for (double& u : value.tangent) u *= static_cast<double>(Sign());
    value.y = Outward(x, maximum.at_most_ns);
    const Line guess = anchors_.ToLine();
    value.height =
        Sign() * static_cast<long double>(static_cast<Int128>(value.y) - guess.Nearest(x));
    values_.insert(at, value);
  }

  // The guess at x and a deviation of at most `height` on this side, or the composed bound where
  // that is closer.
  int64_t Outward(int64_t x, long double height) const {
    constexpr long double kFar = 0x1p62L;
    const auto far = static_cast<Int128>(std::ceil(std::clamp(height, -kFar, kFar)));
    const Line guess = anchors_.ToLine();
    if (side_ == Side::kUpper) {
      const int64_t y = Saturate(static_cast<Int128>(guess.Ceil(x)) + far);
      return std::min(y, paths_.Upper(clock_, x).value_or(y));
    }
    const int64_t y = Saturate(static_cast<Int128>(guess.Floor(x)) - far);
    return std::max(y, paths_.Lower(clock_, x).value_or(y));
  }

  // Where the chord is furthest above the tangents of its ends; none where that is not worth a
  // further value.
  std::optional<int64_t> WidestGap() const {
    std::optional<int64_t> widest;
    long double gap = 2;  // as much as rounding adds
    for (size_t i = 0; i + 1 < values_.size(); ++i) {
      const Value& a = values_[i];
      const Value& b = values_[i + 1];
      // Heights along the chord's x in [0, 1]: a's tangent meets b's.
      const long double a0 = TangentAt(a, a.x), a1 = TangentAt(a, b.x);
      const long double b0 = TangentAt(b, a.x), b1 = TangentAt(b, b.x);
      const long double bend = (b1 - b0) - (a1 - a0);
      if (!(bend > 0)) continue;
      const long double where = std::clamp((a0 - b0) / bend, 0.0L, 1.0L);
      const long double chord = a.height + where * (b.height - a.height);
      const long double here = chord - (a0 + where * (a1 - a0));
      const auto x = a.x + static_cast<int64_t>(where * static_cast<long double>(b.x - a.x));
      if (here <= gap || x <= a.x || x >= b.x) continue;
      gap = here;
      widest = x;
    }
    return widest;
  }

  long double TangentAt(const Value& value, int64_t x) const {
    const auto [w0, w1] = anchors_.WeightsAt(x);
    return w0 * value.tangent[0] + w1 * value.tangent[1];
  }

  const JointProblem& problem_;
  const Anchors& anchors_;
  const JointPaths& paths_;
  DualBound* solver_;
  size_t clock_;
  Side side_;
  std::vector<Value> values_;
};

std::optional<BoundCurve> CurveOf(Slope left, std::vector<Point> points, Slope right) {
  for (size_t i = 1; i < points.size(); ++i) {
    const Int128 rise = static_cast<Int128>(points[i].y) - points[i - 1].y;
    if (rise <= 0 || rise > kMostRise) return std::nullopt;
  }
  return BoundCurve(left, std::move(points), right);
}

std::optional<Bounds> BoundsOf(const JointProblem& problem, const JointPaths& paths,
                               DualBound* solver, size_t clock, BoundDensity density) {
  if (!paths.HasBoth(clock)) return std::nullopt;
  std::vector<Point> upper = SideFinder(problem, paths, solver, clock, Side::kUpper).Find(density);
  std::vector<Point> lower = SideFinder(problem, paths, solver, clock, Side::kLower).Find(density);
  // Beyond the ends: as steep or as flat as a line between these.
  const auto rate = [](Point from, Point to) {
    const Int128 rise = static_cast<Int128>(to.y) - from.y;
    return Slope{static_cast<int64_t>(std::clamp<Int128>(rise, 1, kMostRise)), to.x - from.x};
  };
  const Slope steepest = rate(lower.front(), upper.back());
  const Slope flattest = rate(upper.front(), lower.back());
  auto above = CurveOf(flattest, std::move(upper), steepest);
  auto below = CurveOf(steepest, std::move(lower), flattest);
  if (!above || !below) return std::nullopt;
  return Bounds{std::move(above), std::move(below)};
}

// The width of a pair's bounds in the middle of its hulls.
double MiddleWidth(const Bounds& bounds) {
  const auto middle = [](const BoundCurve& curve) {
    const int64_t first = curve.vertices().front().x;
    return first + (curve.vertices().back().x - first) / 2;
  };
  const int64_t upper = middle(*bounds.upper);
  const int64_t x = upper + (middle(*bounds.lower) - upper) / 2;
  return static_cast<double>(static_cast<Int128>(bounds.upper->Ceil(x)) - bounds.lower->Floor(x));
}

Graph GraphOf(const JointProblem& problem) {
  std::vector<Edge> edges;
  for (const JointPair& pair : problem.pairs) {
    if (!pair.IsTwoWay()) continue;
    edges.push_back({pair.a, pair.b, {.weight = MiddleWidth(pair.estimate->bounds)}});
  }
  return {problem.clocks.size(), edges};
}

std::vector<double> DistancesTo(const Graph& graph, size_t from, size_t nodes) {
  std::vector<double> distances(nodes, std::numeric_limits<double>::infinity());
  for (const Graph::Reached& reached : graph.TreeFrom(from)) {
    distances[reached.node] = reached.cost.weight;
  }
  return distances;
}

}  // namespace

NearbyClocks::NearbyClocks(const JointProblem& problem, const JointPaths& paths)
    : problem_(problem),
      paths_(paths),
      graph_(GraphOf(problem)),
      to_root_(DistancesTo(graph_, 0, problem.clocks.size())) {}

std::vector<size_t> NearbyClocks::WayOf(size_t clock) const {
  std::vector<size_t> way = {0, clock};
  std::vector<bool> is_on_way(problem_.clocks.size());
  is_on_way[0] = is_on_way[clock] = true;
  const auto add = [&](size_t i) {
    if (!is_on_way[i]) way.push_back(i);
    is_on_way[i] = true;
  };
  for (size_t i = clock; i != 0; i = problem_.parents[i]) add(i);
  for (const size_t i : paths_.ClocksOn(clock)) add(i);
  return way;
}

// The root first, then the clock.
std::vector<size_t> NearbyClocks::Choose(size_t clock, size_t count) const {
  std::vector<size_t> chosen = WayOf(clock);
  const std::vector<double> to_clock = DistancesTo(graph_, clock, problem_.clocks.size());
  std::vector<size_t> order(to_clock.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return to_root_[i] + to_clock[i]; });
  for (const size_t i : order) {
    if (chosen.size() >= count) break;
    if (std::ranges::find(chosen, i) == chosen.end()) chosen.push_back(i);
  }
  return chosen;
}

JointProblem NearbyClocks::ProblemOf(size_t clock, size_t count) const {
  JointProblem nearby;
  nearby.prior = problem_.prior;
  std::vector<std::optional<size_t>> place(problem_.clocks.size());
  for (const size_t i : Choose(clock, count)) {
    place[i] = nearby.clocks.size();
    nearby.clocks.push_back(problem_.clocks[i]);
    nearby.anchors.push_back(problem_.anchors[i]);
    if (!problem_.ends.empty()) nearby.ends.push_back(problem_.ends[i]);
  }
  for (const JointPair& pair : problem_.pairs) {
    if (!place[pair.a] || !place[pair.b]) continue;
    nearby.pairs.push_back({*place[pair.a], *place[pair.b], pair.estimate});
  }
  return nearby;
}

std::optional<Bounds> PathBounds(const JointProblem& problem, const JointPaths& paths, size_t clock,
                                 BoundDensity density) {
  return BoundsOf(problem, paths, nullptr, clock,
                  {.values = 2, .points = std::max(density.points, density.values)});
}

bool HasManyClocks(const JointProblem& problem) { return problem.clocks.size() > kClocksAtOnce; }

std::vector<std::optional<Bounds>> FindSomeBounds(const JointProblem& problem,
                                                  const JointPaths& paths, BoundDensity density,
                                                  size_t first, size_t step) {
  const size_t count = problem.clocks.size();
  std::vector<std::optional<Bounds>> bounds(count);
  const NearbyClocks nearby(problem, paths);
  ForEachParallel((count + step - 1 - first) / step, [&](size_t k) {
    const size_t i = first + k * step;
    if (i == 0 || !paths.HasBoth(i) || nearby.WayOf(i).size() > kLongestWay) return;
    const JointProblem part = nearby.ProblemOf(i, kClocksAtOnce);
    const JointPaths part_paths(part);
    DualBound solver(part, part_paths);
    bounds[i] = BoundsOf(part, part_paths, &solver, 1, density);
  });
  return bounds;
}

std::vector<std::optional<Bounds>> FindJointBounds(const JointProblem& problem,
                                                   const JointPaths& paths, BoundDensity density) {
  SYNCLINE_CHECK(density.values >= 2);
  if (HasManyClocks(problem)) return FindSomeBounds(problem, paths, density, 0, 1);
  std::vector<std::optional<Bounds>> bounds(problem.clocks.size());
  DualBound solver(problem, paths);
  for (size_t i = 1; i < bounds.size(); ++i) {
    bounds[i] = BoundsOf(problem, paths, &solver, i, density);
  }
  return bounds;
}

}  // namespace syncline
