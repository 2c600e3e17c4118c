#include "estimate/joint/clock_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "estimate/joint/knot_search.h"

namespace syncline {
namespace {

constexpr size_t kFewest = 4;  // samples on either side
constexpr size_t kMost = 10;
constexpr double kLeastOfScatter = 20;
constexpr double kLeastUs = 1;
constexpr double kLeastShare = 0.5;  // of the largest step at that time, for a pair to agree

struct PairStep {
  size_t a = 0;
  size_t b = 0;
  double after = 0;
  double before = 0;
  double b_ahead_us = 0;
  double significance = 0;
};

// A line with a step after `left` samples; `gap` samples from there on do not count.
std::optional<PairStep> FitStep(const StepCurve& curve, size_t left, size_t gap) {
  const std::vector<StepCurve::Sample>& samples = curve.samples;
  const size_t right = left + gap;
  if (left < kFewest || right + kFewest > samples.size()) return std::nullopt;
  const size_t first = left - std::min(left, kMost);
  const size_t last = std::min(samples.size(), right + kMost);
  const double origin = samples[left].at;
  constexpr size_t kTerms = 3;  // level, slope, step
  std::vector<double> matrix(kTerms * kTerms);
  std::vector<double> right_side(kTerms);
  const auto terms = [&](size_t i) {
    return std::array{1.0, samples[i].at - origin, i >= right ? 1.0 : 0.0};
  };
  const auto counts = [&](size_t i) { return i < left || i >= right; };
  for (size_t i = first; i < last; ++i) {
    if (!counts(i)) continue;
    const auto t = terms(i);
    for (size_t x = 0; x < kTerms; ++x) {
      right_side[x] += t[x] * samples[i].centre_us;
      for (size_t y = 0; y < kTerms; ++y) matrix[x * kTerms + y] += t[x] * t[y];
    }
  }
  const std::vector<double> fit = SolveSymmetric(std::move(matrix), std::move(right_side));
  double squares = 0;
  for (size_t i = first; i < last; ++i) {
    if (!counts(i)) continue;
    const auto t = terms(i);
    squares += std::pow(samples[i].centre_us - t[0] * fit[0] - t[1] * fit[1] - t[2] * fit[2], 2);
  }
  const auto count = static_cast<double>(last - first - gap);
  const double scatter = std::max(std::sqrt(squares / count), kLeastUs / kLeastOfScatter);
  // A clock that is ahead has to move back.
  return PairStep{curve.a,           curve.b, samples[left - 1].at,
                  samples[right].at, -fit[2], std::fabs(fit[2]) / scatter};
}

// The most significant ones of a curve, none next to another.
std::vector<PairStep> StepsOf(const StepCurve& curve) {
  std::vector<PairStep> found;
  for (size_t left = kFewest; left + kFewest <= curve.samples.size(); ++left) {
    for (const size_t gap : {size_t{0}, size_t{1}}) {
      const std::optional<PairStep> step = FitStep(curve, left, gap);
      if (!step || step->significance < kLeastOfScatter) continue;
      if (found.empty() || found.back().before < step->after) {
        found.push_back(*step);
      } else if (step->significance > found.back().significance) {
        found.back() = *step;
      }
    }
  }
  return found;
}

// Which clock it was: the one that most pairs agree about.
ClockStep StepOf(std::span<const PairStep> pairs, size_t clocks) {
  double largest_us = 0;
  for (const PairStep& p : pairs) largest_us = std::max(largest_us, std::fabs(p.b_ahead_us));
  std::vector<double> sums(clocks);
  std::vector<int> votes(clocks);
  for (const PairStep& p : pairs) {
    if (std::fabs(p.b_ahead_us) < kLeastShare * largest_us) continue;
    sums[p.a] -= p.b_ahead_us;
    sums[p.b] += p.b_ahead_us;
    ++votes[p.a];
    ++votes[p.b];
  }
  const auto size = [&](size_t i) { return std::fabs(sums[i]); };
  size_t best = pairs.front().b;
  for (size_t i = 0; i < clocks; ++i) {
    if (size(i) > 1.001 * size(best)) best = i;
  }
  ClockStep step{best, pairs.front().after, pairs.front().before, 0};
  if (votes[best] > 0) step.ahead_us = sums[best] / votes[best];
  for (const PairStep& p : pairs) {
    if (p.a != best && p.b != best) continue;
    step.after = std::max(step.after, p.after);
    step.before = std::min(step.before, p.before);
  }
  if (step.after > step.before) std::swap(step.after, step.before);
  return step;
}

}  // namespace

std::vector<ClockStep> FindSteps(std::span<const StepCurve> curves, size_t clocks) {
  std::vector<PairStep> all;
  for (const StepCurve& curve : curves) {
    const std::vector<PairStep> found = StepsOf(curve);
    all.insert(all.end(), found.begin(), found.end());
  }
  std::sort(all.begin(), all.end(), [](const PairStep& x, const PairStep& y) {
    return x.after + x.before < y.after + y.before;
  });
  std::vector<ClockStep> steps;
  for (size_t from = 0; from < all.size();) {
    size_t to = from + 1;
    while (to < all.size() && all[to].after <= all[from].before) ++to;
    steps.push_back(StepOf(std::span(all).subspan(from, to - from), clocks));
    from = to;
  }
  return steps;
}

}  // namespace syncline
