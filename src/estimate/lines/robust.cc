#include "estimate/lines/robust.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "estimate/lines/least_squares.h"

namespace syncline {
namespace {

constexpr size_t kSubsample = 128;  // of each direction, for the first steps
constexpr size_t kStarts = 32;      // of each direction
constexpr int kFirstSteps = 2;
constexpr size_t kGoOn = 8;
constexpr int kMostSteps = 50;

// A message: time from the origin, and what is left of it at the frame's rate.
struct Sample {
  double x = 0;
  double r = 0;
  friend auto operator<=>(const Sample&, const Sample&) = default;
};
using Cloud = std::vector<Sample>;  // one direction, in order of x

Cloud CloudOf(std::span<const Point> points, const FitFrame& frame) {
  Cloud cloud;
  cloud.reserve(points.size());
  for (const Point p : points) {
    cloud.push_back({static_cast<double>(p.x - frame.origin.x), frame.Residual(p)});
  }
  std::sort(cloud.begin(), cloud.end());
  return cloud;
}

size_t HalfOf(size_t n) { return n / 2 + 1; }

// The half of one direction that fits a line of given slope best.
struct Half {
  double squares = 0;  // of its residuals about their own mean
  double height = 0;   // that mean: of r at x = 0
  // Σ(x − x̄)² and Σ(x − x̄)(r − r̄).
  double xx = 0;
  double xr = 0;
};

// Finds halves; keeps its buffer.
class Halves {
 public:
  Half Best(const Cloud& cloud, double slope) {
    ranked_.clear();
    for (const Sample& s : cloud) ranked_.push_back({s.r - slope * s.x, &s});
    std::sort(ranked_.begin(), ranked_.end());
    const size_t h = std::min(HalfOf(cloud.size()), cloud.size());
    return Described(TightestWindow(h), h);
  }

 private:
  struct Ranked {
    double residual = 0;
    const Sample* sample = nullptr;
    friend bool operator<(const Ranked& a, const Ranked& b) {
      return a.residual != b.residual ? a.residual < b.residual : *a.sample < *b.sample;
    }
  };

  // Among h consecutive residuals those of least variance; sums are about the middle residual.
  size_t TightestWindow(size_t h) const {
    const double middle = ranked_[ranked_.size() / 2].residual;
    const auto count = static_cast<double>(h);
    double sum = 0, squares = 0, least = 0;
    size_t best = 0;
    for (size_t end = 0; end < ranked_.size(); ++end) {
      const double in = ranked_[end].residual - middle;
      sum += in;
      squares += in * in;
      if (end + 1 < h) continue;
      const double spread = squares - sum * sum / count;
      if (end + 1 == h || spread < least) {
        least = spread;
        best = end + 1 - h;
      }
      const double out = ranked_[end + 1 - h].residual - middle;
      sum -= out;
      squares -= out * out;
    }
    return best;
  }

  Half Described(size_t first, size_t h) const {
    const auto chosen = std::span(ranked_).subspan(first, h);
    double x = 0, r = 0;
    Half half;
    for (const auto& [residual, sample] : chosen) {
      x += sample->x;
      r += sample->r;
      half.height += residual;
    }
    x /= static_cast<double>(h);
    r /= static_cast<double>(h);
    half.height /= static_cast<double>(h);
    for (const auto& [residual, sample] : chosen) {
      half.xx += (sample->x - x) * (sample->x - x);
      half.xr += (sample->x - x) * (sample->r - r);
      half.squares += (residual - half.height) * (residual - half.height);
    }
    return half;
  }

  std::vector<Ranked> ranked_;
};

struct DriftRange {
  double least = 0;
  double greatest = 0;
};

// A slope, in excess of the frame's, and how well the halves it chose fit it.
struct Candidate {
  double slope = 0;
  double squares = 0;
  double height = 0;  // α at x = 0, above what the frame's rate gives
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::pair(a.squares, a.slope) < std::pair(b.squares, b.slope);
  }
};

class HalvesSearch {
 public:
  HalvesSearch(const Cloud& upper, const Cloud& lower, DriftRange allowed)
      : upper_(upper), lower_(lower), allowed_(allowed) {}

  double Clamped(double slope) const {
    return std::clamp(slope, allowed_.least, allowed_.greatest);
  }

  // Up to `steps` concentration steps; ends early where a step changes nothing.
  Candidate Concentrate(double slope, int steps) {
    Candidate best = At(slope);
    for (int i = 0; i < steps; ++i) {
      if (!next_) break;
      const Candidate next = At(*next_);
      if (!(next.squares < best.squares)) break;
      best = next;
    }
    return best;
  }

 private:
  // Also sets the slope of least squares of the halves chosen here, if they tell one.
  Candidate At(double slope) {
    const Half up = halves_.Best(upper_, slope);
    const Half down = halves_.Best(lower_, slope);
    const double xx = up.xx + down.xx;
    next_ = xx > 0 ? std::optional(Clamped((up.xr + down.xr) / xx)) : std::nullopt;
    return {slope, up.squares + down.squares, (up.height + down.height) / 2};
  }

  const Cloud& upper_;
  const Cloud& lower_;
  DriftRange allowed_;
  std::optional<double> next_;
  Halves halves_;
};

// Evenly spread over the cloud's time.
Cloud ThinnedCloud(const Cloud& cloud) {
  if (cloud.size() <= kSubsample) return cloud;
  Cloud thinned;
  for (size_t i = 0; i < kSubsample; ++i) {
    thinned.push_back(cloud[i * (cloud.size() - 1) / (kSubsample - 1)]);
  }
  return thinned;
}

// Slopes between two messages of one direction.
std::vector<double> StartsOf(const Cloud& cloud) {
  std::vector<double> starts;
  const auto add = [&](const Sample& a, const Sample& b) {
    if (a.x != b.x) starts.push_back((b.r - a.r) / (b.x - a.x));
  };
  const size_t n = cloud.size();
  if (n * (n - 1) / 2 <= kStarts) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k) add(cloud[k], cloud[i]);
    }
    return starts;
  }
  // One of the earlier, one of the later half: far apart, so that jitter tilts them little.
  std::mt19937_64 random(1);
  for (size_t i = 0; i < kStarts; ++i) {
    add(cloud[random() % (n / 2)], cloud[n - 1 - random() % (n / 2)]);
  }
  return starts;
}

Candidate BestCandidate(const Cloud& upper, const Cloud& lower, DriftRange allowed,
                        double nominal) {
  const Cloud few_upper = ThinnedCloud(upper);
  const Cloud few_lower = ThinnedCloud(lower);
  std::vector<double> starts = StartsOf(few_upper);
  const std::vector<double> more = StartsOf(few_lower);
  starts.insert(starts.end(), more.begin(), more.end());
  HalvesSearch all(upper, lower, allowed);
  // No two messages of one direction at different times: nothing tells the rate.
  if (starts.empty()) return all.Concentrate(all.Clamped(nominal), 0);
  HalvesSearch first(few_upper, few_lower, allowed);
  std::vector<Candidate> candidates;
  candidates.reserve(starts.size());
  for (const double slope : starts) {
    candidates.push_back(first.Concentrate(first.Clamped(slope), kFirstSteps));
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.resize(std::min(candidates.size(), kGoOn));
  std::optional<Candidate> best;
  for (const Candidate& candidate : candidates) {
    const Candidate concentrated = all.Concentrate(candidate.slope, kMostSteps);
    if (!best || concentrated < *best) best = concentrated;
  }
  return *best;
}

}  // namespace

std::optional<Line> TrimmedSquaresLine(std::span<const Point> upper, std::span<const Point> lower,
                                       const FitFrame& frame, SlopeRange allowed) {
  if (upper.empty() || lower.empty()) return std::nullopt;
  const DriftRange excess{static_cast<double>(allowed.min.Drift() - frame.drift),
                          static_cast<double>(allowed.max.Drift() - frame.drift)};
  const Candidate best = BestCandidate(CloudOf(upper, frame), CloudOf(lower, frame), excess,
                                       static_cast<double>(-frame.drift));
  const Slope s = AllowedSlope(frame.drift + best.slope, allowed);
  constexpr double kFar = 0x1p62;
  const auto lift = static_cast<Int128>(std::llround(std::clamp(best.height, -kFar, kFar)));
  return Line{{frame.origin.x, Saturate(frame.origin.y + lift)}, s};
}

}  // namespace syncline
