#include "estimate/drift_bounded/component.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace syncline::drift_bounded {

std::vector<Track> Component::TracksOf(const Explanation& explanation, const Collection& messages,
                                       ClockId root) const {
  std::vector<size_t> count(explanation.tracks.size(), 0);
  for (const HalvedDirection& d : messages.directions) {
    count[d.from] += d.all.size();
    count[d.to] += d.all.size();
  }
  std::vector<Track> tracks;
  for (size_t t = 0; t < explanation.tracks.size(); ++t) {
    const bool is_next = t > 0 && explanation.tracks[t].clock == explanation.tracks[t - 1].clock;
    tracks.push_back({.rate = explanation.limits[explanation.tracks[t].clock.index()],
                      .previous = is_next ? static_cast<int32_t>(t) - 1 : -1});
  }
  const auto first = count.begin() + explanation.tracks.first(root.index());
  const auto end = count.begin() + explanation.tracks.end(root.index());
  tracks[static_cast<size_t>(std::max_element(first, end) - count.begin())].is_reference = true;
  return tracks;
}

Solved Component::Solve(const Explanation& explanation, const Collection& messages, Stamps stamps,
                        ClockId root) const {
  std::vector<Direction> directions;
  for (const HalvedDirection& d : messages.directions) {
    const ClockId to = explanation.tracks[d.to].clock;
    const int64_t late = stamps == Stamps::kExact ? 0
                                                  : Fastest(clocks_[to.index()].clock.reading_ns,
                                                            explanation.limits[to.index()]);
    directions.push_back({d.from, d.to, d.least_delay_ns - late, d.all});
  }
  Solved solved;
  solved.graph = std::make_unique<Graph>(TracksOf(explanation, messages, root), directions,
                                         Graph::ShiftFor(directions), messages.extents);
  ForEachParallel(2, [&](size_t side) {
    (side == 0 ? solved.earliest : solved.latest) =
        FindPaths(*solved.graph, side == 0 ? Side::kEarliest : Side::kLatest);
  });
  return solved;
}

bool Component::AgreeAlone(const Explanation& explanation, const Collection& messages, ClockId a,
                           ClockId b) const {
  Explanation relative = explanation;
  relative.limits[a.index()] = {};
  relative.limits[b.index()] = RateLimits::Within(
      1e6 * RelativeRate(explanation.limits[a.index()], explanation.limits[b.index()]));
  return Solve(relative, messages, Stamps::kCoarse, a).cycle().empty();
}

}  // namespace syncline::drift_bounded
