#include "estimate/lines/quantile_slope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace syncline {
namespace {

constexpr std::array<double, 2> kShares = {0.05, 0.25};
constexpr int kMostRounds = 8;
constexpr int kMostSteps = 20;
constexpr double kSettled = 1e-11;
// Of evenly spread delays the level's distance from the fastest is 3.5 standard deviations.
constexpr double kWindowPerDeviation = 2.4;
constexpr double kNarrowestNs = 0.5;

// The variance, per Σ x², of the sum over the levels of what each message adds to the derivative.
constexpr double ScoreVariance() {
  double variance = 0;
  for (const double p : kShares) {
    for (const double q : kShares) variance += std::min(p, q) - p * q;
  }
  return variance;
}

// A delay that a share of the messages is faster than, and how far about it messages count partly.
struct Level {
  double share;
  double ns = 0;
  double window_ns = 0;

  // How much of a message with this delay lies below: 0 … 1.
  double Weight(double delay_ns) const {
    return std::clamp((ns - delay_ns) / (2 * window_ns) + 0.5, 0.0, 1.0);
  }
};

// What a step needs to know of one direction and level.
struct Sums {
  double missing = 0;   // so many more messages should lie below the level
  double weight_x = 0;  // Σ weight · x
  double inside = 0;    // number of messages in the window
  double inside_x = 0;
  double inside_xx = 0;
};

// The messages of one direction. x is relative to their mean; `delay` grows with slowness.
class Direction {
 public:
  enum class Slow { kAbove, kBelow };

  Direction(std::span<const Point> points, Slow slow)
      : sign_(slow == Slow::kAbove ? 1 : -1), x_(points.size()), delay_(points.size()) {
    const Point origin = points.front();
    double sum = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const int64_t x = points[i].x - origin.x;
      x_[i] = static_cast<double>(x);
      delay_[i] = sign_ * static_cast<double>(points[i].y - origin.y - x);
      sum += x_[i];
    }
    for (double& x : x_) x -= sum / size();
    for (const double x : x_) spread_ += x * x;
    for (const double share : kShares) levels_.push_back({share});
  }

  double sign() const { return sign_; }
  double size() const { return static_cast<double>(x_.size()); }
  double spread() const { return spread_; }  // Σ x²
  std::vector<Level>& levels() { return levels_; }

  // Σ x · delay, signed as the drift; divided by the spread it is the least-squares drift.
  double Moment() const {
    double moment = 0;
    for (size_t i = 0; i < x_.size(); ++i) moment += x_[i] * delay_[i];
    return sign_ * moment;
  }

  // Windows as wide as all delays scatter, below their mean.
  void WidenWindows(double drift) {
    double sum = 0, squares = 0;
    const double origin = Residual(0, drift);
    for (size_t i = 0; i < x_.size(); ++i) {
      const double r = Residual(i, drift) - origin;
      sum += r;
      squares += r * r;
    }
    const double mean = sum / size();
    const double variance = std::max(squares / size() - mean * mean, 0.0);
    for (Level& level : levels_) {
      level.window_ns = std::max(std::sqrt(variance), kNarrowestNs);
      level.ns = origin + mean - level.window_ns / 2;
    }
  }

  // Windows as wide as the delays below their levels scatter.
  void NarrowWindows(double drift) {
    for (Level& level : levels_) {
      double weights = 0, sum = 0, squares = 0;
      for (size_t i = 0; i < x_.size(); ++i) {
        const double distance = Residual(i, drift) - level.ns;
        const double weight = level.Weight(level.ns + distance);
        weights += weight;
        sum += weight * distance;
        squares += weight * distance * distance;
      }
      if (!(weights > 0)) continue;
      const double variance = std::max(squares / weights - sum * sum / (weights * weights), 0.0);
      level.window_ns =
          std::clamp(kWindowPerDeviation * std::sqrt(variance), kNarrowestNs, level.window_ns);
    }
  }

  Sums SumUp(const Level& level, double drift) const {
    Sums sums{.missing = level.share * size()};
    const double scale = 0.5 / level.window_ns;
    for (size_t i = 0; i < x_.size(); ++i) {
      const double u = (level.ns - Residual(i, drift)) * scale + 0.5;
      const double weight = std::clamp(u, 0.0, 1.0);
      const double inside = weight == u ? 1 : 0;
      const double inside_x = inside * x_[i];
      sums.missing -= weight;
      sums.weight_x += weight * x_[i];
      sums.inside += inside;
      sums.inside_x += inside_x;
      sums.inside_xx += inside_x * x_[i];
    }
    return sums;
  }

  // Moves the level to where its share is faster, without a window.
  void FindLevel(Level& level, double drift) const {
    std::vector<double> residuals(x_.size());
    for (size_t i = 0; i < x_.size(); ++i) residuals[i] = Residual(i, drift);
    const auto at = residuals.begin() + static_cast<ptrdiff_t>(level.share * size());
    std::nth_element(residuals.begin(), at, residuals.end());
    level.ns = *at;
  }

 private:
  double Residual(size_t i, double drift) const { return delay_[i] - sign_ * drift * x_[i]; }

  double sign_;
  std::vector<double> x_;
  std::vector<double> delay_;
  double spread_ = 0;
  std::vector<Level> levels_;
};

class QuantileFit {
 public:
  explicit QuantileFit(std::vector<Direction> directions) : directions_(std::move(directions)) {}

  std::optional<QuantileDrift> Run() {
    double moment = 0;
    for (const Direction& direction : directions_) {
      moment += direction.Moment();
      spread_ += direction.spread();
      size_ += direction.size();
    }
    // Equal instants leave a rounding residue.
    if (!(spread_ > size_)) return std::nullopt;
    drift_ = moment / spread_;
    for (Direction& direction : directions_) direction.WidenWindows(drift_);
    for (int round = 0; round < kMostRounds; ++round) {
      const double before = drift_;
      Solve();
      if (round > 1 && std::abs(drift_ - before) < kSettled) break;
      if (round + 1 == kMostRounds) break;
      for (Direction& direction : directions_) direction.NarrowWindows(drift_);
    }
    if (!(curvature_ > 0)) return std::nullopt;
    return QuantileDrift{drift_, 2 * std::sqrt(ScoreVariance() * spread_) / curvature_};
  }

 private:
  struct Move {
    Level* level;
    Sums sums;
    double sign;
  };

  void Solve() {
    for (int step = 0; step < kMostSteps; ++step) {
      if (std::abs(Step()) < kSettled) return;
    }
  }

  // One step of Newton's method for the drift and the levels; returns the drift's.
  double Step() {
    double slope = 0;  // of the loss
    double widest_ns = 0;
    curvature_ = 0;
    moves_.clear();
    for (Direction& direction : directions_) {
      for (Level& level : direction.levels()) {
        Sums s = direction.SumUp(level, drift_);
        if (s.inside == 0) {
          direction.FindLevel(level, drift_);
          s = direction.SumUp(level, drift_);
        }
        slope += direction.sign() * (s.weight_x + s.inside_x * s.missing / s.inside);
        curvature_ += (s.inside_xx - s.inside_x * s.inside_x / s.inside) / (2 * level.window_ns);
        widest_ns = std::max(widest_ns, level.window_ns);
        moves_.push_back({&level, s, direction.sign()});
      }
    }
    if (!(curvature_ > 0)) return 0;
    // A step must not carry most messages out of their window.
    const double most = 2 * widest_ns / std::sqrt(spread_ / size_);
    const double change = std::clamp(-slope / curvature_, -most, most);
    for (auto& [level, s, sign] : moves_) {
      const double move =
          (2 * level->window_ns * s.missing - sign * s.inside_x * change) / s.inside;
      level->ns += std::clamp(move, -4 * widest_ns, 4 * widest_ns);
    }
    drift_ += change;
    return change;
  }

  std::vector<Direction> directions_;
  std::vector<Move> moves_;
  double spread_ = 0;  // Σ x² over both directions
  double size_ = 0;
  double drift_ = 0;
  double curvature_ = 0;
};

}  // namespace

std::optional<QuantileDrift> FindQuantileDrift(std::span<const Point> above,
                                               std::span<const Point> below) {
  std::vector<Direction> directions;
  if (above.size() >= kLeastPoints) directions.emplace_back(above, Direction::Slow::kAbove);
  if (below.size() >= kLeastPoints) directions.emplace_back(below, Direction::Slow::kBelow);
  if (directions.empty()) return std::nullopt;
  return QuantileFit(std::move(directions)).Run();
}

}  // namespace syncline
