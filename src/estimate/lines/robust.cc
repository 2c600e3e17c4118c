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

struct Clouds {
  Cloud upper, lower;
};

Cloud CloudOf(std::span<const Point> points, const FitFrame& frame) {
  Cloud cloud;
  for (const Point p : points) {
    cloud.push_back({static_cast<double>(p.x - frame.origin.x), frame.Residual(p)});
  }
  std::ranges::sort(cloud);
  return cloud;
}

struct Ranked {
  double residual = 0;
  const Sample* sample = nullptr;
  friend bool operator<(const Ranked& a, const Ranked& b) {
    return a.residual != b.residual ? a.residual < b.residual : *a.sample < *b.sample;
  }
};

// Among h consecutive residuals those of least variance; sums are about the middle residual.
std::span<const Ranked> TightestWindow(std::span<const Ranked> ranked, size_t h) {
  const double middle = ranked[ranked.size() / 2].residual;
  const auto count = static_cast<double>(h);
  double sum = 0, squares = 0, least = 0;
  size_t best = 0;
  for (size_t end = 0; end < ranked.size(); ++end) {
    const double in = ranked[end].residual - middle;
    sum += in;
    squares += in * in;
    if (end + 1 < h) continue;
    const double spread = squares - sum * sum / count;
    if (end + 1 == h || spread < least) {
      least = spread;
      best = end + 1 - h;
    }
    const double out = ranked[end + 1 - h].residual - middle;
    sum -= out;
    squares -= out * out;
  }
  return ranked.subspan(best, h);
}

// The half of one direction that fits a line of given slope best.
struct Half {
  double squares = 0;  // of its residuals about their own mean
  double height = 0;   // that mean: of r at x = 0
  // Σ(x − x̄)² and Σ(x − x̄)(r − r̄).
  double xx = 0;
  double xr = 0;
};

Half BestHalf(const Cloud& cloud, double slope) {
  std::vector<Ranked> ranked;
  ranked.reserve(cloud.size());
  for (const Sample& s : cloud) ranked.push_back({s.r - slope * s.x, &s});
  std::sort(ranked.begin(), ranked.end());
  const size_t h = std::min(cloud.size() / 2 + 1, cloud.size());
  const std::span<const Ranked> chosen = TightestWindow(ranked, h);
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

struct DriftRange {
  double least = 0;
  double greatest = 0;
  double Clamped(double slope) const { return std::clamp(slope, least, greatest); }
};

// A slope, in excess of the frame's, and how well the halves it chose fit it.
struct Candidate {
  double slope = 0;
  double squares = 0;
  double height = 0;           // α at x = 0, above what the frame's rate gives
  std::optional<double> next;  // the slope of least squares of these halves, if they tell one
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::pair(a.squares, a.slope) < std::pair(b.squares, b.slope);
  }
};

Candidate CandidateAt(double slope, const Clouds& clouds, DriftRange allowed) {
  const Half up = BestHalf(clouds.upper, slope);
  const Half down = BestHalf(clouds.lower, slope);
  Candidate candidate{slope, up.squares + down.squares, (up.height + down.height) / 2, {}};
  const double xx = up.xx + down.xx;
  if (xx > 0) candidate.next = allowed.Clamped((up.xr + down.xr) / xx);
  return candidate;
}

// Up to `steps` concentration steps; ends early where a step changes nothing.
Candidate Concentrated(double slope, int steps, const Clouds& clouds, DriftRange allowed) {
  Candidate best = CandidateAt(slope, clouds, allowed);
  for (int i = 0; i < steps && best.next; ++i) {
    const Candidate next = CandidateAt(*best.next, clouds, allowed);
    if (!(next.squares < best.squares)) break;
    best = next;
  }
  return best;
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

Candidate BestCandidate(const Clouds& clouds, DriftRange allowed, double nominal) {
  const Clouds few{Thinned(clouds.upper, kSubsample), Thinned(clouds.lower, kSubsample)};
  std::vector<double> starts = StartsOf(few.upper);
  const std::vector<double> more = StartsOf(few.lower);
  starts.insert(starts.end(), more.begin(), more.end());
  // No two messages of one direction at different times: nothing tells the rate.
  if (starts.empty()) return CandidateAt(allowed.Clamped(nominal), clouds, allowed);
  std::vector<Candidate> candidates;
  for (const double slope : starts) {
    candidates.push_back(Concentrated(allowed.Clamped(slope), kFirstSteps, few, allowed));
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.resize(std::min(candidates.size(), kGoOn));
  for (Candidate& candidate : candidates) {
    candidate = Concentrated(candidate.slope, kMostSteps, clouds, allowed);
  }
  return *std::min_element(candidates.begin(), candidates.end());
}

}  // namespace

std::optional<Line> TrimmedSquaresLine(std::span<const Point> upper, std::span<const Point> lower,
                                       const FitFrame& frame, SlopeRange allowed) {
  if (upper.empty() || lower.empty()) return std::nullopt;
  const DriftRange excess{static_cast<double>(allowed.min.Drift() - frame.drift),
                          static_cast<double>(allowed.max.Drift() - frame.drift)};
  const Candidate best = BestCandidate({CloudOf(upper, frame), CloudOf(lower, frame)}, excess,
                                       static_cast<double>(-frame.drift));
  const Slope s = AllowedSlope(frame.drift + best.slope, allowed);
  constexpr double kFar = 0x1p62;
  const auto lift = static_cast<Int128>(std::llround(std::clamp(best.height, -kFar, kFar)));
  return Line{{frame.origin.x, Saturate(frame.origin.y + lift)}, s};
}

}  // namespace syncline
