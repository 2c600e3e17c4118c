#include "estimate/windows/window_centres.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/int128.h"

namespace syncline {
namespace {

constexpr double kLeastUs = 1e-3;

struct Fastest {
  double slack_us = std::numeric_limits<double>::infinity();
  KnotTime a;
  KnotTime b;

  bool IsKnown() const { return std::isfinite(slack_us); }
  void Include(const Fastest& other) {
    if (other.slack_us < slack_us) *this = other;
  }
};

struct TwoWay {
  Fastest a_to_b;
  Fastest b_to_a;

  bool IsKnown() const { return a_to_b.IsKnown() && b_to_a.IsKnown(); }
};

using ByPart = std::map<int64_t, TwoWay>;

Fastest FastestOf(const WindowProblem& problem, const WindowCell& cell) {
  Fastest fastest;
  for (const Point vertex : cell.vertices) {
    const double slack_us = problem.SlackNs(cell, vertex) / 1000;
    if (slack_us >= fastest.slack_us) continue;
    const KnotTime earlier = problem.Earlier(cell, vertex);
    const KnotTime later = problem.Later(cell, vertex);
    fastest = {slack_us, cell.is_a_to_b ? earlier : later, cell.is_a_to_b ? later : earlier};
  }
  return fastest;
}

// Whole windows where parts have messages one way only.
ByPart Merged(const ByPart& parts) {
  constexpr int64_t kParts = WindowHulls::kParts;
  ByPart merged;
  for (auto at = parts.begin(); at != parts.end();) {
    const auto window = static_cast<int64_t>(FloorDiv(Int128{at->first}, Int128{kParts}));
    const auto begin = at;
    TwoWay all;
    int known = 0;
    for (; at != parts.end() && at->first - window * kParts < kParts; ++at) {
      known += at->second.IsKnown() ? 1 : 0;
      all.a_to_b.Include(at->second.a_to_b);
      all.b_to_a.Include(at->second.b_to_a);
    }
    if (known >= 2) {
      merged.insert(begin, at);
    } else {
      merged.emplace(begin->first, all);
    }
  }
  std::erase_if(merged, [](const auto& part) { return !part.second.IsKnown(); });
  return merged;
}

double Quantile(std::vector<double> values, double share) {
  const auto place = static_cast<ptrdiff_t>(share * static_cast<double>(values.size()));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<size_t>(place)];
}

// Whatever bends slowly has no part in the scatter, nor have parts without quick messages.
PairUsual UsualOf(std::span<const WindowCentre> centres) {
  constexpr double kNormal = 1.4826;  // standard deviations per median of normal deviations
  constexpr size_t kFewest = 8;
  constexpr double kQuiet = 0.25;
  if (centres.empty()) return {};
  PairUsual usual{.is_known = true};
  std::vector<double> half_widths;
  half_widths.reserve(centres.size());
  for (const WindowCentre& centre : centres) half_widths.push_back(centre.half_width_us);
  usual.half_width_us = std::max(Quantile(std::move(half_widths), kQuiet), kLeastUs);
  std::vector<double> quiet_us;
  std::vector<double> bends;
  for (const WindowCentre& centre : centres) {
    if (std::fabs(centre.half_width_us) > 2 * usual.half_width_us) continue;
    quiet_us.push_back(centre.centre_us);
    const size_t n = quiet_us.size();
    if (n < 3) continue;
    bends.push_back(std::fabs(quiet_us[n - 1] - 2 * quiet_us[n - 2] + quiet_us[n - 3]));
  }
  usual.scatter_us = bends.size() >= kFewest
                         ? kNormal * Quantile(std::move(bends), 0.5) / std::sqrt(6.0)
                         : usual.half_width_us / 4;
  usual.scatter_us = std::max(usual.scatter_us, kLeastUs);
  return usual;
}

void AppendCentres(size_t pair, const ByPart& parts, std::vector<WindowCentre>& centres) {
  for (const auto& [part, found] : Merged(parts)) {
    const Fastest& there = found.a_to_b;
    const Fastest& back = found.b_to_a;
    centres.push_back({pair,
                       part,
                       (back.slack_us - there.slack_us) / 2,
                       (back.slack_us + there.slack_us) / 2,
                       {there.a, there.b, back.a, back.b}});
  }
}

}  // namespace

WindowCentres FindCentres(const WindowProblem& problem) {
  WindowCentres found{.usual = std::vector<PairUsual>(problem.pairs.size())};
  for (auto cell = problem.cells.begin(); cell != problem.cells.end();) {
    const size_t pair = cell->pair;
    ByPart parts;
    for (; cell != problem.cells.end() && cell->pair == pair; ++cell) {
      TwoWay& part = parts[cell->PartOfA()];
      (cell->is_a_to_b ? part.a_to_b : part.b_to_a).Include(FastestOf(problem, *cell));
    }
    const size_t before = found.centres.size();
    AppendCentres(pair, parts, found.centres);
    found.usual[pair] = UsualOf(std::span(found.centres).subspan(before));
  }
  return found;
}

}  // namespace syncline
