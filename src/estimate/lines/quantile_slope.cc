#include "estimate/lines/quantile_slope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "estimate/lines/trimmed_slope.h"

namespace syncline {
namespace {

constexpr std::array<double, 2> kShares = {0.05, 0.25};  // ascending
constexpr int kRounds = 2;
constexpr int kMostSteps = 20;
// Of the drift's likely error: a step that is smaller tells nothing.
constexpr double kSettled = 0.02;
// A message is slow that is so many times as far from the upper level as the levels are apart.
constexpr double kSlow = 5;
// Of evenly spread delays a level's distance from the fastest is 3.5 standard deviations.
constexpr double kWindowPerDeviation = 2.4;
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

// The messages of one direction. x is relative to their mean; delays grow with slowness.
class Direction {
 public:
  Direction(std::span<const Point> points, DelaySide side)
      : sign_(side == DelaySide::kAbove ? 1 : -1),
        all_(points.size()),
        kept_x_(points.size()),
        kept_delay_(points.size()),
        residuals_(points.size()) {
    const Point origin = points.front();
    double sum = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const int64_t x = points[i].x - origin.x;
      all_[i] = {static_cast<double>(x), sign_ * static_cast<double>(points[i].y - origin.y - x)};
      sum += all_[i].x;
    }
    for (Timed& message : all_) message.x -= sum / static_cast<double>(all_.size());
  }

  double sign() const { return sign_; }
  std::array<Level, kShares.size()>& levels() { return levels_; }
  // Of the messages that are not slow: Σ (x − mean)².
  double spread() const { return spread_; }
  double size() const { return static_cast<double>(kept_count_); }

  // Finds the windows of the levels at this drift, and the messages that are not slow; the first
  // time the levels themselves, which Newton's method moves from then on.
  void Focus(double drift) {
    for (size_t i = 0; i < all_.size(); ++i) residuals_[i] = Residual(all_[i], drift);
    if (!has_levels_) RankLevels();
    for (Level& level : levels_) level.window_ns = WindowBelow(level.ns);
    const double slow =
        levels_.back().ns + kSlow * (levels_.back().ns - levels_.front().ns) + kNarrowestNs;
    size_t kept = 0;
    double sum = 0, squares = 0;
    for (const Timed& message : all_) {
      const double counts = Residual(message, drift) <= slow ? 1 : 0;
      kept_x_[kept] = message.x;
      kept_delay_[kept] = message.delay;
      kept += counts > 0 ? 1 : 0;
      sum += counts * message.x;
      squares += counts * message.x * message.x;
    }
    kept_count_ = kept;
    sum_x_ = sum;
    spread_ = squares - sum * sum / size();
  }

  Sums SumUp(const Level& level, double drift) const {
    const double* const x = kept_x_.data();
    const double* const delay = kept_delay_.data();
    const size_t count = kept_count_;
    const double rate = sign_ * drift;
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
  struct Timed {
    double x = 0;
    double delay = 0;
  };

  double Residual(const Timed& message, double drift) const {
    return message.delay - sign_ * drift * message.x;
  }

  void RankLevels() {
    has_levels_ = true;
    auto end = residuals_.end();
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      const auto at = residuals_.begin() +
                      static_cast<ptrdiff_t>(level->share * static_cast<double>(all_.size()));
      std::nth_element(residuals_.begin(), at, end);
      level->ns = *at;
      end = at;
    }
  }

  double WindowBelow(double level_ns) const {
    double count = 0, sum = 0, squares = 0;
#pragma omp simd reduction(+ : count, sum, squares)
    for (size_t i = 0; i < residuals_.size(); ++i) {
      const double above = residuals_[i] - level_ns;
      const double below = above < 0 ? above : 0;
      count += above < 0 ? 1 : 0;
      sum += below;
      squares += below * below;
    }
    count = std::max(count, 1.0);
    const double variance = squares / count - sum * sum / (count * count);
    return std::max(kWindowPerDeviation * std::sqrt(std::max(variance, 0.0)), kNarrowestNs);
  }

  double sign_;
  std::vector<Timed> all_;
  // The not slow ones, first in these.
  size_t kept_count_ = 0;
  std::vector<double> kept_x_;
  std::vector<double> kept_delay_;
  std::vector<double> residuals_;
  double sum_x_ = 0;  // of the kept ones
  double spread_ = 0;
  bool has_levels_ = false;
  std::array<Level, kShares.size()> levels_ = {Level{kShares[0]}, Level{kShares[1]}};
};

class Refinement {
 public:
  Refinement(std::vector<Direction> directions, double start)
      : directions_(std::move(directions)), drift_(start) {}

  std::optional<QuantileDrift> Run() {
    for (int round = 0; round < kRounds; ++round) {
      const double before = drift_;
      for (Direction& direction : directions_) direction.Focus(drift_);
      for (int step = 0; step < kMostSteps; ++step) {
        const std::optional<double> change = Step();
        if (!change) return std::nullopt;
        if (std::abs(*change) < kSettled * Error()) break;
      }
      if (std::abs(drift_ - before) < kSettled * Error()) break;
    }
    return QuantileDrift{drift_, Error()};
  }

 private:
  double Error() const {
    double spread = 0;
    for (const Direction& direction : directions_) spread += direction.spread();
    return 2 * std::sqrt(ScoreVariance() * spread) / curvature_;
  }

  // One step of Newton's method for the drift and the levels; the drift's, if there is one.
  std::optional<double> Step() {
    double slope = 0;  // of the loss
    double widest_ns = 0;
    double spread = 0, size = 0;
    curvature_ = 0;
    moves_.clear();
    for (Direction& direction : directions_) {
      spread += direction.spread();
      size += direction.size();
      for (Level& level : direction.levels()) {
        const Sums s = direction.SumUp(level, drift_);
        widest_ns = std::max(widest_ns, level.window_ns);
        if (s.inside == 0) continue;
        slope += direction.sign() * (s.weight_x + s.inside_x * s.missing / s.inside);
        curvature_ += (s.inside_xx - s.inside_x * s.inside_x / s.inside) / (2 * level.window_ns);
        moves_.push_back({&level, s, direction.sign()});
      }
    }
    // Equal instants leave a rounding residue.
    if (!(spread > size) || !(curvature_ * widest_ns > 1)) return std::nullopt;
    // A step must not carry most messages out of their window.
    const double most = 2 * widest_ns / std::sqrt(spread / size);
    const double change = std::clamp(-slope / curvature_, -most, most);
    for (auto& [level, s, sign] : moves_) {
      const double move =
          (2 * level->window_ns * s.missing - sign * s.inside_x * change) / s.inside;
      level->ns += std::clamp(move, -4 * widest_ns, 4 * widest_ns);
    }
    drift_ += change;
    return change;
  }

  struct Move {
    Level* level;
    Sums sums;
    double sign;
  };

  std::vector<Direction> directions_;
  std::vector<Move> moves_;
  double drift_ = 0;
  double curvature_ = 0;
};

}  // namespace

std::optional<QuantileDrift> RefineDrift(std::span<const Point> above, std::span<const Point> below,
                                         long double start) {
  std::vector<Direction> directions;
  if (above.size() >= kLeastPoints) directions.emplace_back(above, DelaySide::kAbove);
  if (below.size() >= kLeastPoints) directions.emplace_back(below, DelaySide::kBelow);
  if (directions.empty()) return std::nullopt;
  return Refinement(std::move(directions), static_cast<double>(start)).Run();
}

}  // namespace syncline
