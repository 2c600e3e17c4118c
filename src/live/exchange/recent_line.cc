#include "live/exchange/recent_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/difference.h"
#include "base/int128.h"

namespace syncline {
namespace {

constexpr size_t kOfALevel = 8;
constexpr size_t kFewest = 4;  // that have a standard error worth the name
constexpr double kKappa = 3;

// Sums of weighted points, relative to an origin.
struct Fit {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, wyy = 0;
  size_t n = 0;

  void Add(double x, double y, double weight) {
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
    wyy += weight * y * y;
    ++n;
  }
  double Sxx() const { return std::max(0.0, wxx - wx * wx / w); }
  double Slope() const { return Sxx() > 0 ? (wxy - wx * wy / w) / Sxx() : 0; }
  double AtOrigin() const { return (wy - Slope() * wx) / w; }
  // Of AtOrigin(), as the points' distances from the line tell.
  double StandardError() const {
    if (n <= 2 || Sxx() <= 0) return 0;
    const double syy = wyy - wy * wy / w;
    const double rest = std::max(0.0, syy - Slope() * Slope() * Sxx()) / static_cast<double>(n - 2);
    return std::sqrt(rest * (1 / w + (wx / w) * (wx / w) / Sxx()));
  }
};

int64_t Plus(int64_t ns, double more_ns) {
  return Saturate(ns + static_cast<Int128>(std::clamp(std::round(more_ns), -9e18, 9e18)));
}

}  // namespace

void RecentLine::Add(const MeasuredOffset& measured) {
  kept_.push_back({measured});
  for (uint32_t level = 0;; ++level) {
    const auto is_coarser = [level](const Kept& k) { return k.level > level; };
    const auto oldest = std::ranges::partition_point(kept_, is_coarser);
    const auto newer = std::partition_point(oldest, kept_.end(),
                                            [level](const Kept& k) { return k.level == level; });
    if (static_cast<size_t>(newer - oldest) <= kOfALevel) return;
    const auto second = oldest + 1;
    if (second->measured.open_ns < oldest->measured.open_ns) oldest->measured = second->measured;
    oldest->level = level + 1;
    kept_.erase(second);
  }
}

int64_t RecentLine::Line::OffsetAt(int64_t at_ns) const {
  return Plus(offset_ns, drift.value_or(0) * DifferenceOf(at_ns, own_ns));
}

std::optional<RecentLine::Line> RecentLine::Find() const {
  if (kept_.empty()) return std::nullopt;
  const MeasuredOffset& newest = kept_.back().measured;
  int64_t narrowest = newest.open_ns;
  for (const Kept& k : kept_) narrowest = std::min(narrowest, k.measured.open_ns);
  struct Accepted {
    double offset = 0;
    double error = 0;
  };
  // The newest measurement is off by no more than it left open.
  std::vector<Accepted> accepted = {{0, 1 + static_cast<double>(newest.open_ns) / kKappa}};
  Fit fit;
  Fit best;
  for (size_t i = 0; i < kept_.size(); ++i) {
    const MeasuredOffset& m = kept_[kept_.size() - 1 - i].measured;
    // Off by at most what its trips took longer than the fastest, beside what that is off by.
    const double spread =
        DifferenceOf(m.open_ns, narrowest) + static_cast<double>(narrowest) / 8 + 1;
    fit.Add(DifferenceOf(m.own_ns, newest.own_ns), DifferenceOf(m.offset_ns, newest.offset_ns),
            1 / (spread * spread));
    const bool is_last = i + 1 == kept_.size();
    if (!is_last && fit.n > 2 && fit.n % kFewest != 0) continue;
    const double offset = fit.AtOrigin();
    const bool agrees = std::ranges::all_of(accepted, [&](const Accepted& a) {
      return std::abs(offset - a.offset) <= kKappa * a.error;
    });
    if (!agrees) break;
    best = fit;
    // Less than a fraction of what trips leave open is not worth losing measurements for.
    const double error = std::max(fit.StandardError(), 1 + static_cast<double>(narrowest) / 64);
    if (fit.n >= kFewest) accepted.push_back({offset, error});
  }
  Line line = {.own_ns = newest.own_ns, .is_of_all = best.n == kept_.size()};
  if (best.n > 1) line.drift = best.Slope();
  line.offset_ns = Plus(newest.offset_ns, best.AtOrigin());
  return line;
}

}  // namespace syncline
