#include "estimate/joint/bent_component.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/int128.h"
#include "estimate/joint/clock_steps.h"
#include "estimate/joint/joint_centre.h"

namespace syncline {
namespace {

constexpr size_t kMostBins = 128;
constexpr size_t kMostWidths = 16384;  // pairs · bins
constexpr size_t kMostSegments = 128;  // of a clock
constexpr double kLackUs = 1e-5;
constexpr double kRoundingNs = 1;
constexpr double kLeastWeight = 0.05;  // of a bin's centre, to tell of steps

}  // namespace

BentComponent::BentComponent(std::span<const ClockInput> clocks, std::span<const PairInput> pairs,
                             const GroupEstimate& straight, size_t number, size_t root,
                             uint64_t messages_per_bin)
    : clocks_(clocks), straight_(straight) {
  AddClocks(number, root);
  AddPairs(pairs);
  if (IsUsable()) SetBins(messages_per_bin);
}

bool BentComponent::IsUsable() const {
  return problem_.clocks.size() >= 2 && problem_.knotted.size() == problem_.clocks.size() &&
         !problem_.pairs.empty();
}

std::vector<FoundStep> BentComponent::StepsIn(std::span<const CentreCurve> curves) const {
  std::vector<StepCurve> of_pairs;
  for (const CentreCurve& curve : curves) {
    StepCurve& steps = of_pairs.emplace_back(StepCurve{curve.a, curve.b, {}});
    const double most = *std::max_element(curve.weights.begin(), curve.weights.end());
    for (size_t k = 0; k < curve.weights.size(); ++k) {
      if (!(curve.weights[k] > kLeastWeight * most)) continue;
      steps.samples.push_back({static_cast<double>(k) + 0.5, curve.centres_us[k]});
    }
  }
  std::vector<FoundStep> found;
  for (const ClockStep& step : FindSteps(of_pairs, problem_.clocks.size())) {
    const ClockId clock(static_cast<uint32_t>(problem_.clocks[step.clock]));
    found.push_back({clock,
                     {GlobalAt(step.after)},
                     {GlobalAt(step.before)},
                     std::llround(step.ahead_us * 1000)});
  }
  return found;
}

void BentComponent::SetShapes(std::vector<ClockShape> shapes) {
  shapes_ = std::move(shapes);
  for (size_t i = 1; i < shapes_.size(); ++i) {
    for (const ClockShape::Knot& knot : shapes_[i].knots) AddKnot(i, GlobalAt(knot.at));
  }
}

WishedRates BentComponent::Wished() const {
  WishedRates wished;
  for (size_t i = 0; i < problem_.knotted.size(); ++i) {
    const std::vector<Point>& knots = problem_.knotted[i].knots;
    wished.emplace_back(knots.size() - 1);
    if (!shapes_[i].is_known) continue;
    for (size_t s = 0; s + 1 < knots.size(); ++s) {
      const int64_t middle = knots[s].y + (knots[s + 1].y - knots[s].y) / 2;
      wished[i][s] = shapes_[i].SlopeAt(BinsAt(middle)) / problem_.BinSeconds();
    }
  }
  return wished;
}

bool BentComponent::Halve(std::span<const PiecewiseRow> rows, std::span<const double> lacks_us) {
  std::vector<std::vector<double>> blame(problem_.clocks.size());
  for (size_t i = 0; i < blame.size(); ++i) {
    blame[i].resize(problem_.knotted[i].knots.size() - 1);
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    if (lacks_us[r] <= kLackUs) continue;
    blame[rows[r].earlier][rows[r].earlier_segment] += lacks_us[r];
    blame[rows[r].later][rows[r].later_segment] += lacks_us[r];
  }
  // Of the two clocks of a violated message, the one that is blamed more.
  std::vector<std::vector<bool>> is_chosen(blame.size());
  for (size_t i = 0; i < blame.size(); ++i) is_chosen[i].resize(blame[i].size());
  for (size_t r = 0; r < rows.size(); ++r) {
    if (lacks_us[r] <= kLackUs) continue;
    const double earlier =
        rows[r].earlier == 0 ? 0 : blame[rows[r].earlier][rows[r].earlier_segment];
    const double later = rows[r].later == 0 ? 0 : blame[rows[r].later][rows[r].later_segment];
    if (earlier > later) {
      is_chosen[rows[r].earlier][rows[r].earlier_segment] = true;
    } else {
      is_chosen[rows[r].later][rows[r].later_segment] = true;
    }
  }
  bool any = false;
  for (size_t i = 1; i < blame.size(); ++i) {
    const std::vector<Point> knots = problem_.knotted[i].knots;
    for (size_t s = 0; s + 1 < knots.size(); ++s) {
      if (!is_chosen[i][s] || problem_.knotted[i].knots.size() > kMostSegments) continue;
      any |= AddKnot(i, knots[s].y + (knots[s + 1].y - knots[s].y) / 2);
    }
  }
  return any;
}

std::vector<std::vector<double>> BentComponent::Centred(
    std::span<const PiecewiseRow> rows, std::vector<std::vector<double>> moves_us) const {
  constexpr double kOneWayWeight = 0.01;  // such a pair forbids, but says nothing of the middle
  std::vector<PairRoom> rooms;
  for (const PiecewisePair& pair : problem_.pairs) rooms.push_back({.a = pair.a, .b = pair.b});
  for (const PiecewiseRow& row : rows) {
    PairRoom& room = rooms[row.pair];
    double& least = row.is_a_to_b ? room.a_to_b_us : room.b_to_a_us;
    least = std::min(least, SlackUs(row, moves_us) - kRoundingNs / 1000);
  }
  for (PairRoom& room : rooms) {
    if (std::isinf(room.a_to_b_us) || std::isinf(room.b_to_a_us)) room.weight = kOneWayWeight;
  }
  const std::vector<double> moves = CentreMoves(problem_.clocks.size(), std::move(rooms));
  for (size_t i = 1; i < moves.size(); ++i) {
    for (double& move : moves_us[i]) move += moves[i];
  }
  return moves_us;
}

size_t BentComponent::KnotCount() const {
  size_t count = 0;
  for (const KnottedClock& clock : problem_.knotted) count += clock.knots.size() - 2;
  return count;
}

std::optional<std::vector<KnottedClock>> BentComponent::Moved(
    const std::vector<std::vector<double>>& moves_us) const {
  std::vector<KnottedClock> moved = problem_.knotted;
  for (size_t i = 0; i < moved.size(); ++i) {
    for (size_t k = 0; k < moved[i].knots.size(); ++k) {
      const double move = std::clamp(moves_us[i][k] * 1e3, -0x1p60, 0x1p60);
      int64_t& y = moved[i].knots[k].y;
      y = Saturate(static_cast<Int128>(y) + std::llround(move));
      if (k > 0 && y <= moved[i].knots[k - 1].y) return std::nullopt;
    }
  }
  return moved;
}

void BentComponent::AddClocks(size_t number, size_t root) {
  problem_.clocks.push_back(root);
  for (size_t i = 0; i < clocks_.size(); ++i) {
    if (straight_.clocks[i].component == number && i != root) problem_.clocks.push_back(i);
  }
  const std::optional<KnottedClock> of_root = GuessOf(root);
  if (!of_root) return;
  const Line to_root = of_root->SegmentLine(0).Inverted();
  for (const size_t i : problem_.clocks) {
    std::optional<KnottedClock> guess = GuessOf(i);
    if (!guess) return;
    for (Point& knot : guess->knots) knot.y = to_root.Nearest(knot.y);
    if (guess->knots[0].y >= guess->knots[1].y) return;
    problem_.knotted.push_back(*std::move(guess));
    problem_.readings_ns.push_back(0);
  }
}

// The straight correction; none where its times are further apart than exact arithmetic allows.
std::optional<KnottedClock> BentComponent::GuessOf(size_t i) const {
  const auto knots = straight_.clocks[i].correction.knots();
  const auto point = [&](const Correction::Knot& knot) {
    return Point{clocks_[i].clock.NominalNs(knot.local), knot.global.ns};
  };
  const Point first = point(knots.front());
  const Point last = point(knots.back());
  constexpr Int128 kLongest = Int128{1} << 61;
  const Int128 run = static_cast<Int128>(last.x) - first.x;
  const Int128 rise = static_cast<Int128>(last.y) - first.y;
  if (run <= 0 || rise <= 0 || run > kLongest || rise > kLongest) return std::nullopt;
  return KnottedClock{{first, last}};
}

void BentComponent::AddPairs(std::span<const PairInput> pairs) {
  std::vector<size_t> place(clocks_.size(), SIZE_MAX);
  for (size_t i = 0; i < problem_.clocks.size(); ++i) place[problem_.clocks[i]] = i;
  for (const PairInput& pair : pairs) {
    const size_t a = place[pair.a.index()];
    const size_t b = place[pair.b.index()];
    if (a == SIZE_MAX || b == SIZE_MAX || !pair.estimate.line) continue;
    problem_.pair_of.emplace(std::pair(a, b), problem_.pairs.size());
    problem_.pairs.push_back({a, b, pair.estimate.min_delays});
    both_ways_ += 2 * std::min(pair.estimate.messages_ab, pair.estimate.messages_ba);
  }
}

void BentComponent::SetBins(uint64_t messages_per_bin) {
  problem_.start_ns = problem_.knotted[0].knots.front().y;
  problem_.end_ns = problem_.knotted[0].knots.back().y;
  for (const KnottedClock& clock : problem_.knotted) {
    problem_.start_ns = std::min(problem_.start_ns, clock.knots.front().y);
    problem_.end_ns = std::max(problem_.end_ns, clock.knots.back().y);
  }
  const size_t wanted = both_ways_ / messages_per_bin / problem_.pairs.size();
  const size_t most = std::min(kMostBins, kMostWidths / problem_.pairs.size());
  problem_.bins = std::clamp<size_t>(wanted, 1, std::max<size_t>(most, 1));
}

int64_t BentComponent::GlobalAt(double bins) const {
  const auto length = static_cast<double>(static_cast<Int128>(problem_.end_ns) - problem_.start_ns);
  const double since = length * bins / static_cast<double>(problem_.bins);
  return Saturate(static_cast<Int128>(problem_.start_ns) + std::llround(since));
}

double BentComponent::BinsAt(int64_t global_ns) const {
  const auto since = static_cast<double>(static_cast<Int128>(global_ns) - problem_.start_ns);
  return since / 1e9 / problem_.BinSeconds();
}

// On the guess, at a whole tick; false where it is too near to another knot.
bool BentComponent::AddKnot(size_t i, int64_t global_ns) {
  const Clock& clock = clocks_[problem_.clocks[i]].clock;
  KnottedClock& knotted = problem_.knotted[i];
  const int64_t x = clock.NominalNs(clock.FromNominalNs(knotted.Preimage(global_ns)));
  const auto next = std::upper_bound(knotted.knots.begin(), knotted.knots.end(), x,
                                     [](int64_t at, const Point& knot) { return at < knot.x; });
  if (next == knotted.knots.begin() || next == knotted.knots.end()) return false;
  const auto least = static_cast<int64_t>(problem_.BinSeconds() * 1e9 / 2) + 2;
  if (x - std::prev(next)->x < least || next->x - x < least) return false;
  const Line guess{knotted.knots.front(), SlopeOf(knotted.knots.front(), knotted.knots.back())};
  knotted.knots.insert(next, {x, guess.Nearest(x)});
  return true;
}

}  // namespace syncline
