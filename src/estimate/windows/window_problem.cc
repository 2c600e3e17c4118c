#include "estimate/windows/window_problem.h"

#include <algorithm>
#include <cmath>

#include "base/int128.h"

namespace syncline {
namespace {

constexpr Int128 kLongest = Int128{1} << 61;
constexpr int64_t kMostWindows = 100'000;

// The straight correction over the trace, with knots on it.
std::optional<KnottedClock> GuessOf(const ClockInput& input, const Correction& correction,
                                    int64_t part_ns) {
  const auto knots = correction.knots();
  const auto point = [&](const Correction::Knot& knot) {
    return Point{input.clock.NominalNs(knot.local), knot.global.ns};
  };
  const Point left = point(knots.front());
  const Point right = point(knots.back());
  const Int128 run = static_cast<Int128>(right.x) - left.x;
  const Int128 rise = static_cast<Int128>(right.y) - left.y;
  if (run <= 0 || rise <= 0 || run > kLongest || rise > kLongest) return std::nullopt;
  const Line line{left, SlopeOf(left, right)};
  const Int128 window = static_cast<Int128>(part_ns) * WindowHulls::kParts;
  if (run / window > kMostWindows) return std::nullopt;
  KnottedClock guess{{left}};
  for (Int128 x = FloorDiv(Int128{left.x} + window / 2, window) * window + window;
       x + window / 2 <= right.x; x += window) {
    // At a whole tick: a correction cannot bend between two.
    const int64_t at = input.clock.NominalNs(input.clock.FromNominalNs(static_cast<int64_t>(x)));
    const Point knot{at, line.Nearest(at)};
    if (knot.x - guess.knots.back().x >= window / 2) guess.knots.push_back(knot);
  }
  guess.knots.push_back(right);
  const bool is_increasing =
      std::is_sorted(guess.knots.begin(), guess.knots.end(),
                     [](const Point& p, const Point& q) { return p.y <= q.y; });
  return is_increasing ? std::optional(std::move(guess)) : std::nullopt;
}

std::vector<size_t> ClocksOf(const GroupEstimate& group, size_t component) {
  const size_t root = group.roots[component].index();
  std::vector<size_t> clocks = {root};
  for (size_t i = 0; i < group.clocks.size(); ++i) {
    if (group.clocks[i].component == component && i != root) clocks.push_back(i);
  }
  return clocks;
}

// The cell with its minimum delay, which counts at clock b.
WindowCell Placed(const WindowHulls::Cell& cell, size_t pair, bool is_a_to_b,
                  const PiecewisePair& clocks) {
  WindowCell placed{.pair = pair,
                    .is_a_to_b = is_a_to_b,
                    .earlier = is_a_to_b ? clocks.a : clocks.b,
                    .later = is_a_to_b ? clocks.b : clocks.a,
                    .earlier_part = cell.place.from_part,
                    .later_part = cell.place.to_part,
                    .vertices = cell.vertices};
  for (Point& p : placed.vertices) {
    if (is_a_to_b) {
      p.y = Saturate(static_cast<Int128>(p.y) - clocks.min_delays.ab_ns);
    } else {
      p.x = Saturate(static_cast<Int128>(p.x) + clocks.min_delays.ba_ns);
    }
  }
  return placed;
}

}  // namespace

size_t WindowProblem::SegmentOfPart(size_t clock, int64_t part) const {
  const Int128 middle = static_cast<Int128>(part) * part_ns + part_ns / 2;
  return knotted[clock].SegmentAt(Saturate(middle));
}

KnotTime WindowProblem::Earlier(const WindowCell& cell, Point vertex) const {
  return {cell.earlier, SegmentOfPart(cell.earlier, cell.earlier_part), vertex.x};
}

KnotTime WindowProblem::Later(const WindowCell& cell, Point vertex) const {
  return {cell.later, SegmentOfPart(cell.later, cell.later_part), vertex.y};
}

int64_t WindowProblem::GlobalAt(const KnotTime& t) const {
  return knotted[t.clock].SegmentLine(t.segment).Nearest(t.ns);
}

std::array<double, 2> WindowProblem::WeightsAt(const KnotTime& t) const {
  const Point left = knotted[t.clock].knots[t.segment];
  const Point right = knotted[t.clock].knots[t.segment + 1];
  const auto since = static_cast<long double>(static_cast<Int128>(t.ns) - left.x);
  const long double share = since / static_cast<long double>(right.x - left.x);
  return {static_cast<double>(1 - share), static_cast<double>(share)};
}

double WindowProblem::SlackNs(const WindowCell& cell, Point vertex) const {
  return static_cast<double>(static_cast<Int128>(GlobalAt(Later(cell, vertex))) -
                             GlobalAt(Earlier(cell, vertex)));
}

bool WindowProblem::Halve(size_t clock, size_t segment) {
  const Clock& of = inputs[clocks[clock]].clock;
  std::vector<Point>& knots = knotted[clock].knots;
  const Point left = knots[segment];
  const Point right = knots[segment + 1];
  const Int128 middle = static_cast<Int128>(left.x) + (static_cast<Int128>(right.x) - left.x) / 2;
  const Int128 border = FloorDiv(middle + part_ns / 2, Int128{part_ns}) * part_ns;
  // Both halves hold a whole part at least, or what the trace has of it.
  if (border - left.x < part_ns / 2 || right.x - border < part_ns / 2) return false;
  const int64_t x = of.NominalNs(of.FromNominalNs(static_cast<int64_t>(border)));
  if (x <= left.x || x >= right.x) return false;
  const Point knot{x, Line{left, SlopeOf(left, right)}.Nearest(x)};
  if (knot.y <= left.y || knot.y >= right.y) return false;
  knots.insert(knots.begin() + static_cast<ptrdiff_t>(segment) + 1, knot);
  return true;
}

std::optional<WindowProblem> MakeWindowProblem(std::span<const ClockInput> clocks,
                                               std::span<const PairInput> pairs,
                                               const GroupEstimate& group, size_t component,
                                               std::span<const WindowHulls::Cell> cells,
                                               int64_t part_ns) {
  WindowProblem problem{.inputs = clocks, .clocks = ClocksOf(group, component), .part_ns = part_ns};
  std::vector<size_t> place(clocks.size(), SIZE_MAX);
  for (size_t i = 0; i < problem.clocks.size(); ++i) {
    const size_t clock = problem.clocks[i];
    place[clock] = i;
    auto guess = GuessOf(clocks[clock], group.clocks[clock].correction, part_ns);
    if (!guess) return std::nullopt;
    problem.knotted.push_back(*std::move(guess));
  }
  absl::flat_hash_map<std::pair<size_t, size_t>, size_t> pair_of;
  for (const PairInput& pair : pairs) {
    const size_t a = place[pair.a.index()];
    const size_t b = place[pair.b.index()];
    if (a == SIZE_MAX || b == SIZE_MAX || !pair.estimate.line) continue;
    pair_of.emplace(std::pair(a, b), problem.pairs.size());
    problem.pairs.push_back({a, b, pair.estimate.min_delays});
  }
  for (const WindowHulls::Cell& cell : cells) {
    const size_t from = place[cell.place.from.index()];
    const size_t to = place[cell.place.to.index()];
    if (from == SIZE_MAX || to == SIZE_MAX) continue;
    auto pair = pair_of.find({from, to});
    const bool is_a_to_b = pair != pair_of.end();
    if (!is_a_to_b) pair = pair_of.find({to, from});
    if (pair == pair_of.end()) continue;
    problem.cells.push_back(Placed(cell, pair->second, is_a_to_b, problem.pairs[pair->second]));
  }
  std::stable_sort(problem.cells.begin(), problem.cells.end(),
                   [](const WindowCell& x, const WindowCell& y) { return x.pair < y.pair; });
  return problem;
}

}  // namespace syncline
