#include "estimate/lines/fast_slope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "estimate/joint/potentials.h"

namespace syncline {
namespace {

// Of the drift's likely error: a step that is smaller tells nothing.
constexpr double kSettled = 0.02;
// Of quantile regression: windows are chosen so often, and steps made between at most.
constexpr int kRounds = 2;
constexpr int kMostSteps = 20;

// The messages of one direction. x is relative to their mean; delays grow with slowness.
struct Messages {
  double sign = 1;  // of slow ones, in y
  std::vector<double> x;
  std::vector<double> delay;
};

Messages Collect(std::span<const Point> points, DelaySide side) {
  Messages messages{.sign = side == DelaySide::kAbove ? 1.0 : -1.0};
  const Point origin = points.front();
  double sum = 0;
  for (const Point p : points) {
    const int64_t x = p.x - origin.x;
    messages.x.push_back(static_cast<double>(x));
    messages.delay.push_back(messages.sign * static_cast<double>(p.y - origin.y - x));
    sum += messages.x.back();
  }
  for (double& x : messages.x) x -= sum / static_cast<double>(points.size());
  return messages;
}

// What is left of the delays at a drift of the messages' own side.
void FindResiduals(const Messages& messages, double drift, std::vector<double>& residuals) {
  residuals.resize(messages.x.size());
  for (size_t i = 0; i < residuals.size(); ++i) {
    residuals[i] = messages.delay[i] - drift * messages.x[i];
  }
}

// The residual that a share of the messages, at least four, does not exceed: by some hundred of
// them, always the same, which is close enough.
double ResidualOfShare(const std::vector<double>& residuals, double share) {
  const size_t stride = std::max<size_t>(residuals.size() / 256, 1);
  std::vector<double> ranked;
  for (size_t i = 0; i < residuals.size(); i += stride) ranked.push_back(residuals[i]);
  const auto count = static_cast<size_t>(share * static_cast<double>(ranked.size()));
  const auto slowest =
      ranked.begin() + static_cast<ptrdiff_t>(std::clamp<size_t>(count, 4, ranked.size())) - 1;
  std::nth_element(ranked.begin(), slowest, ranked.end());
  return *slowest;
}

// Fits delay = c + drift · x to the messages whose residuals are at most `greatest`.
std::optional<TrimmedDrift> FitUpTo(double greatest, const Messages& messages,
                                    const std::vector<double>& residuals) {
  const double* const residual = residuals.data();
  const double* const all_x = messages.x.data();
  const double* const delay = messages.delay.data();
  double n = 0, x = 0, d = 0, xx = 0, xd = 0, least = greatest;
#pragma omp simd reduction(+ : n, x, d, xx, xd) reduction(min : least)
  for (size_t i = 0; i < residuals.size(); ++i) {
    const double counts = residual[i] <= greatest ? 1 : 0;
    const double counted_x = counts * all_x[i];
    n += counts;
    x += counted_x;
    d += counts * delay[i];
    xx += counted_x * all_x[i];
    xd += counted_x * delay[i];
    least = residual[i] < least ? residual[i] : least;
  }
  const double spread_x = xx - x * x / n;
  // Equal instants leave a rounding residue.
  if (!(spread_x > xx * 1e-12)) return std::nullopt;
  return TrimmedDrift{(xd - x * d / n) / spread_x, spread_x, greatest - least};
}

constexpr std::array<double, 2> kShares = {0.05, 0.25};  // ascending
constexpr double kNarrowestNs = 0.5;

// The variance, per Σ (x − mean)², of what each message adds to the derivative over all levels.
constexpr double ScoreVariance() {
  double variance = 0;
  for (const double p : kShares) {
    for (const double q : kShares) variance += std::min(p, q) - p * q;
  }
  return variance;
}

// A delay that a share of the messages is faster than, and how far about it they count partly.
struct Level {
  double share;
  double ns = 0;
  double window_ns = kNarrowestNs;
};

// What a step needs to know of one direction and level.
struct Sums {
  double missing = 0;   // so many more messages should lie below the level
  double weight_x = 0;  // Σ (weight − share) · x
  double inside = 0;    // number of messages in the window
  double inside_x = 0;
  double inside_xx = 0;
};

double WindowBelow(double level_ns, const std::vector<double>& residuals) {
  // Of evenly spread delays a level's distance from the fastest is 3.5 standard deviations.
  constexpr double kWindowPerDeviation = 2.4;
  double count = 0, sum = 0, squares = 0;
#pragma omp simd reduction(+ : count, sum, squares)
  for (size_t i = 0; i < residuals.size(); ++i) {
    const double above = residuals[i] - level_ns;
    const double below = above < 0 ? above : 0;
    count += above < 0 ? 1 : 0;
    sum += below;
    squares += below * below;
  }
  count = std::max(count, 1.0);
  const double variance = squares / count - sum * sum / (count * count);
  return std::max(kWindowPerDeviation * std::sqrt(std::max(variance, 0.0)), kNarrowestNs);
}

// The messages of one direction, and its levels.
class Direction {
 public:
  Direction(std::span<const Point> points, DelaySide side)
      : all_(Collect(points, side)), kept_x_(points.size()), kept_delay_(points.size()) {}

  double sign() const { return all_.sign; }
  std::array<Level, kShares.size()>& levels() { return levels_; }
  // Of the messages that are not slow: Σ (x − mean)².
  double spread() const { return spread_; }
  double size() const { return static_cast<double>(kept_count_); }
  // How far apart the levels of all messages were when they were found.
  double apart_ns() const { return apart_ns_; }

  // Finds the windows of the levels at this drift, and the messages that are not slow; the first
  // time the levels themselves, which Newton's method moves from then on.
  void Focus(double drift) {
    // A message is slow that is so many times as far from the upper level as the levels are apart.
    constexpr double kSlow = 5;
    FindResiduals(all_, sign() * drift, residuals_);
    if (!std::exchange(has_levels_, true)) RankLevels();
    for (Level& level : levels_) level.window_ns = WindowBelow(level.ns, residuals_);
    FindResiduals(all_, sign() * drift, residuals_);
    const double slow =
        levels_.back().ns + kSlow * (levels_.back().ns - levels_.front().ns) + kNarrowestNs;
    size_t kept = 0;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < residuals_.size(); ++i) {
      const double counts = residuals_[i] <= slow ? 1 : 0;
      kept_x_[kept] = all_.x[i];
      kept_delay_[kept] = all_.delay[i];
      kept += counts > 0 ? 1 : 0;
      sum += counts * all_.x[i];
      squares += counts * all_.x[i] * all_.x[i];
    }
    kept_count_ = kept;
    sum_x_ = sum;
    spread_ = squares - sum * sum / size();
  }

  Sums SumUp(const Level& level, double drift) const {
    const double* const x = kept_x_.data();
    const double* const delay = kept_delay_.data();
    const size_t count = kept_count_;
    const double rate = sign() * drift;
    const double scale = 0.5 / level.window_ns;
    const double middle = level.ns * scale + 0.5;
    double weights = 0, weight_x = 0, inside = 0, inside_x = 0, inside_xx = 0;
#pragma omp simd reduction(+ : weights, weight_x, inside, inside_x, inside_xx)
    for (size_t i = 0; i < count; ++i) {
      const double u = middle - (delay[i] - rate * x[i]) * scale;
      const double low = u > 0 ? u : 0;
      const double weight = low < 1 ? low : 1;
      const double is_inside = weight == u ? 1 : 0;
      const double counted_x = is_inside * x[i];
      weights += weight;
      weight_x += weight * x[i];
      inside += is_inside;
      inside_x += counted_x;
      inside_xx += counted_x * x[i];
    }
    return {level.share * size() - weights, weight_x - level.share * sum_x_, inside, inside_x,
            inside_xx};
  }

 private:
  // Puts the residuals into another order.
  void RankLevels() {
    auto end = residuals_.end();
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      const auto at = residuals_.begin() +
                      static_cast<ptrdiff_t>(level->share * static_cast<double>(all_.x.size()));
      std::nth_element(residuals_.begin(), at, end);
      level->ns = *at;
      end = at;
    }
    apart_ns_ = levels_.back().ns - levels_.front().ns + kNarrowestNs;
  }

  Messages all_;
  // The not slow ones, first in these.
  size_t kept_count_ = 0;
  std::vector<double> kept_x_;
  std::vector<double> kept_delay_;
  std::vector<double> residuals_;
  double sum_x_ = 0;  // of the kept ones
  double spread_ = 0;
  double apart_ns_ = kNarrowestNs;
  bool has_levels_ = false;
  std::array<Level, kShares.size()> levels_ = {Level{kShares[0]}, Level{kShares[1]}};
};

// Of the loss of one direction, by the drift of its own side, with the best levels for each.
struct Score {
  double slope = 0;
  double curvature = 0;
  double widest_ns = 0;  // of its windows
  std::array<Sums, kShares.size()> sums;
};

Score ScoreOf(Direction& direction, double drift) {
  Score score;
  for (size_t k = 0; k < kShares.size(); ++k) {
    const Level& level = direction.levels()[k];
    const Sums& s = score.sums[k] = direction.SumUp(level, direction.sign() * drift);
    score.widest_ns = std::max(score.widest_ns, level.window_ns);
    if (s.inside == 0) continue;
    score.slope += s.weight_x + s.inside_x * s.missing / s.inside;
    score.curvature += (s.inside_xx - s.inside_x * s.inside_x / s.inside) / (2 * level.window_ns);
  }
  return score;
}

// As the drift of the direction's own side changes.
void MoveLevels(Direction& direction, const Score& score, double change, double most_ns) {
  for (size_t k = 0; k < kShares.size(); ++k) {
    const Sums& s = score.sums[k];
    if (s.inside == 0) continue;
    Level& level = direction.levels()[k];
    const double move = (2 * level.window_ns * s.missing - s.inside_x * change) / s.inside;
    level.ns += std::clamp(move, -most_ns, most_ns);
  }
}

// Whether messages of these sums tell a drift; equal instants leave a rounding residue.
bool IsTold(double spread, double size, double curvature, double widest_ns) {
  return spread > size && curvature * widest_ns > 1;
}

// A step must not carry most messages out of their window.
double LongestStep(double widest_ns, double spread, double size) {
  return 2 * widest_ns / std::sqrt(spread / size);
}

double ErrorOf(double spread, double curvature) {
  return 2 * std::sqrt(ScoreVariance() * spread) / curvature;
}

struct NewtonStep {
  double change = 0;  // of the drift
  double error = 0;   // of the drift, as QuantileDrift
};

// One step of Newton's method for the drift, from which it returns the change, and the levels,
// which it moves; none where the messages do not tell.
std::optional<NewtonStep> Step(std::vector<Direction>& directions, double drift) {
  std::vector<Score> scores;
  double slope = 0, curvature = 0;
  double widest_ns = 0, spread = 0, size = 0;
  for (Direction& direction : directions) {
    const Score& score = scores.emplace_back(ScoreOf(direction, direction.sign() * drift));
    slope += direction.sign() * score.slope;
    curvature += score.curvature;
    widest_ns = std::max(widest_ns, score.widest_ns);
    spread += direction.spread();
    size += direction.size();
  }
  if (!IsTold(spread, size, curvature, widest_ns)) return std::nullopt;
  const double most = LongestStep(widest_ns, spread, size);
  const double change = std::clamp(-slope / curvature, -most, most);
  for (size_t i = 0; i < directions.size(); ++i) {
    MoveLevels(directions[i], scores[i], directions[i].sign() * change, 4 * widest_ns);
  }
  return NewtonStep{change, ErrorOf(spread, curvature)};
}

// The drifts of many clocks, of which each direction tells one's less another's.
class GroupDrifts {
 public:
  GroupDrifts(size_t clocks, std::span<const DelaySeries> series) : drifts_(clocks) {
    for (const DelaySeries& s : series) {
      if (s.points.size() < kLeastPoints) continue;
      directions_.emplace_back(s.points, DelaySide::kAbove);
      ends_.emplace_back(s.from, s.to);
    }
  }

  std::vector<double> Find() {
    for (int round = 0; round < kRounds; ++round) {
      for (size_t i = 0; i < directions_.size(); ++i) directions_[i].Focus(Between(i, drifts_));
      for (int i = 0; i < kMostSteps; ++i) {
        if (MakeStep()) break;
      }
    }
    return drifts_;
  }

 private:
  // Of a direction.
  double Between(size_t i, std::span<const double> of_clocks) const {
    return of_clocks[ends_[i].second] - of_clocks[ends_[i].first];
  }

  // Whether the drifts are settled.
  bool MakeStep() {
    std::vector<Score> scores;
    std::vector<PotentialEdge> edges;
    double length = 1;
    for (size_t i = 0; i < directions_.size(); ++i) {
      const Direction& d = directions_[i];
      const Score& score = scores.emplace_back(ScoreOf(directions_[i], Between(i, drifts_)));
      if (!IsTold(d.spread(), d.size(), score.curvature, score.widest_ns)) continue;
      // The further apart delays lie, the less each of them tells.
      edges.push_back({ends_[i].first, ends_[i].second, -score.slope / score.curvature,
                       score.curvature / d.apart_ns()});
    }
    const std::vector<double> step = FitPotentials(drifts_.size(), edges);
    bool is_settled = true;
    for (size_t i = 0; i < directions_.size(); ++i) {
      const Direction& d = directions_[i];
      const double most = LongestStep(scores[i].widest_ns, d.spread(), d.size());
      const double change = std::abs(Between(i, step));
      if (!IsTold(d.spread(), d.size(), scores[i].curvature, scores[i].widest_ns)) continue;
      length = std::min(length, most / std::max(change, most));
      is_settled &= change < kSettled * ErrorOf(d.spread(), scores[i].curvature);
    }
    for (size_t c = 0; c < drifts_.size(); ++c) drifts_[c] += length * step[c];
    for (size_t i = 0; i < directions_.size(); ++i) {
      MoveLevels(directions_[i], scores[i], length * Between(i, step), 4 * scores[i].widest_ns);
    }
    return is_settled;
  }

  std::vector<Direction> directions_;
  std::vector<std::pair<size_t, size_t>> ends_;  // of each direction
  std::vector<double> drifts_;
};

}  // namespace

double TrimmedDrift::error() const { return spread_ns / std::sqrt(weight); }

std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> points, DelaySide side) {
  constexpr int kMostSteps = 24;
  constexpr double kShare = 0.25;
  if (points.size() < kLeastPoints) return std::nullopt;
  const Messages messages = Collect(points, side);
  std::vector<double> residuals;
  // All, then fewer and fewer, so that no poor start leads to a quarter at one end of the trace.
  double share = 1;
  TrimmedDrift fit;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto present = static_cast<double>(fit.drift);
    FindResiduals(messages, present, residuals);
    const auto fitted = FitUpTo(ResidualOfShare(residuals, share), messages, residuals);
    if (!fitted) return std::nullopt;
    fit = *fitted;
    const double change = std::abs(static_cast<double>(fit.drift) - present);
    if (share == kShare && change <= kSettled * fit.error()) break;
    share = std::max(share * 2 / 3, kShare);
  }
  if (side == DelaySide::kBelow) fit.drift = -fit.drift;
  return fit;
}

std::optional<TrimmedDrift> FindTrimmedDrift(std::span<const Point> above,
                                             std::span<const Point> below) {
  const auto up = FindTrimmedDrift(above, DelaySide::kAbove);
  const auto down = FindTrimmedDrift(below, DelaySide::kBelow);
  if (!up || !down) return up ? up : down;
  const double weight = up->weight + down->weight;
  return TrimmedDrift{(up->drift * up->weight + down->drift * down->weight) / weight, weight,
                      (up->spread_ns * up->weight + down->spread_ns * down->weight) / weight};
}

std::optional<QuantileDrift> RefineDrift(std::span<const Point> above, std::span<const Point> below,
                                         long double start) {
  std::vector<Direction> directions;
  if (above.size() >= kLeastPoints) directions.emplace_back(above, DelaySide::kAbove);
  if (below.size() >= kLeastPoints) directions.emplace_back(below, DelaySide::kBelow);
  if (directions.empty()) return std::nullopt;
  auto drift = static_cast<double>(start);
  double error = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double before = drift;
    for (Direction& direction : directions) direction.Focus(drift);
    for (int i = 0; i < kMostSteps; ++i) {
      const std::optional<NewtonStep> step = Step(directions, drift);
      if (!step) return std::nullopt;
      drift += step->change;
      error = step->error;
      if (std::abs(step->change) < kSettled * error) break;
    }
    if (std::abs(drift - before) < kSettled * error) break;
  }
  return QuantileDrift{drift, error};
}

std::vector<double> RefineDrifts(size_t clocks, std::span<const DelaySeries> series) {
  return GroupDrifts(clocks, series).Find();
}

}  // namespace syncline
