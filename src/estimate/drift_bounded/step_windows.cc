#include "estimate/drift_bounded/step_windows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "estimate/drift_bounded/message_works.h"
#include "estimate/drift_bounded/tube.h"

namespace syncline::drift_bounded {
namespace {

// The tracks before and behind a cut that messages reach.
using Sides = std::pair<uint32_t, uint32_t>;
std::optional<Sides> SidesOf(const Component& component, const TrackTable& tracks,
                             const Graph& graph, const CutPlace& cut) {
  if (!cut.IsBounded()) return std::nullopt;
  const uint32_t behind =
      tracks.Of(cut.clock, cut.from.epoch, component.origin_ns(cut.clock) + cut.from.reading);
  uint32_t before = behind;
  do {
    if (before == tracks.first(cut.clock.index())) return std::nullopt;
    --before;
  } while (!graph.HasNodes(before));
  return graph.HasNodes(behind) ? std::optional(Sides{before, behind}) : std::nullopt;
}

// What lies between the sides of a cut.
struct BetweenSides {
  size_t cut = 0;
  Sides sides;
  int64_t after = 0, from = 0;
};

// Whether a message of this least delay can lead from one reading to the other.
bool Allows(const TrackTube& sender, int64_t s, const TrackTube& receiver, int64_t r,
            int64_t least_delay) {
  const int64_t earliest = sender.readings.empty() ? Paths::kNone : sender.Earliest(s);
  const int64_t latest = receiver.readings.empty() ? -Paths::kNone : receiver.Latest(r);
  const bool is_known = earliest != Paths::kNone && latest != -Paths::kNone;
  return !is_known || earliest + least_delay <= latest;
}

}  // namespace

bool WentOn(const Component& component, const Explanation& explanation, const Solved& solved,
            const CutPlace& cut) {
  const auto& [graph, paths] = solved;
  const auto sides = SidesOf(component, explanation.tracks, graph, cut);
  if (!sides) return false;
  const int32_t p = graph.first(sides->first + 1) - 1, q = graph.first(sides->second);
  if (!paths.IsBounded(p) || !paths.IsBounded(q)) return false;
  const BothPaths::Advance advance = paths.Between(p, q);
  const int64_t span = graph.readings()[q] - graph.readings()[p];
  const RateLimits limits = explanation.limits[cut.clock.index()];
  // Of the clock, against the others.
  const Jump own = {graph.FloorNs(span - advance.most + DriftOver(span, limits.slow)),
                    graph.CeilNs(span - advance.least + DriftOver(span, limits.fast))};
  return own.least <= 0 && own.most >= 0 && !CanBeAsLarge(own, cut.jump);
}

Result<std::vector<CutPlace>> NarrowWindows(const Component& component,
                                            const Explanation& explanation, const Solved& solved,
                                            std::vector<CutPlace> cuts) {
  const TrackTable& tracks = explanation.tracks;
  const Graph& graph = solved.graph;
  std::vector<TrackTube> tubes;
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    tubes.push_back(graph.HasNodes(t) ? TubeOf(graph, solved.paths, t) : TrackTube{});
  }
  std::vector<std::optional<BetweenSides>> windows(tracks.size());  // by the track between
  for (size_t i = 0; i < cuts.size(); ++i) {
    const CutPlace& cut = cuts[i];
    const auto sides = SidesOf(component, tracks, graph, cut);
    if (!sides || !cut.HasBetween()) continue;
    windows[tracks.Of(cut.clock, cut.after.epoch,
                      component.origin_ns(cut.clock) + cut.after.reading + 1)] =
        BetweenSides{i, *sides, cut.after.reading, cut.from.reading};
  }
  ChosenMessages about_steps({.about_steps = tracks}, [&](const RecordedMessage& m) {
    const auto placed = component.Place(m, tracks);
    if (!placed) return;
    const auto& [from, to, s, r] = *placed;
    const bool is_send = tracks[from].is_between;
    auto& window = windows[is_send ? from : to];
    if (!window) return;
    const int64_t least_delay = graph.Units(component.LeastDelayNs(m.from, m.to) -
                                            component.clocks()[m.to.index()].clock.reading_ns);
    const auto fits = [&, from = from, to = to, s = s, r = r](uint32_t side) {
      return Allows(tubes[is_send ? side : from], graph.Units(s), tubes[is_send ? to : side],
                    graph.Units(r), least_delay);
    };
    const bool is_before = fits(window->sides.first), is_behind = fits(window->sides.second);
    if (is_before == is_behind) return;
    const int64_t reading = is_send ? s : r;
    if (is_before) window->after = std::max(window->after, reading);
    if (is_behind) window->from = std::min(window->from, reading);
  });
  SYNCLINE_TRY(component.pass().Run(about_steps));
  bool is_any = false;
  for (const auto& window : windows) {
    if (!window || window->after >= window->from) continue;
    CutPlace& cut = cuts[window->cut];
    is_any |= cut.after.reading != window->after || cut.from.reading != window->from;
    cut.after.reading = window->after;
    cut.from.reading = window->from;
  }
  if (!is_any) cuts.clear();
  return cuts;
}

}  // namespace syncline::drift_bounded
