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

// What lies between the sides of a step; in nanoseconds.
struct BetweenSides {
  Sides sides;
  Extent certain;  // the last reading of the side before, the first of the one behind
  size_t cut = 0;
};

std::vector<TrackTube> TubesOf(const Graph& graph, const BothPaths& paths) {
  std::vector<TrackTube> tubes;
  for (size_t t = 0; t < graph.tracks(); ++t) {
    tubes.push_back(graph.HasNodes(t) ? TubeOf(graph, paths, t) : TrackTube{});
  }
  return tubes;
}

// Whether a message of this least delay can lead from one reading to the other.
bool Allows(const TrackTube& sender, int64_t s, const TrackTube& receiver, int64_t r,
            int64_t least_delay) {
  const int64_t earliest = sender.readings.empty() ? Paths::kNone : sender.Earliest(s);
  const int64_t latest = receiver.readings.empty() ? -Paths::kNone : receiver.Latest(r);
  const bool is_known = earliest != Paths::kNone && latest != -Paths::kNone;
  return !is_known || earliest + least_delay <= latest;
}

// Narrows `windows`, by the track of `between` that each of them is, by the messages with one end
// in them that only one of their sides allows. `graph` and its bounds: of `tracks`.
Result<void> Narrow(const Component& component, const TrackTable& tracks, const Graph& graph,
                    const BothPaths& paths, const TrackTable& between,
                    std::vector<std::optional<BetweenSides>>& windows) {
  const std::vector<TrackTube> tubes = TubesOf(graph, paths);
  ChosenMessages about_steps({.about_steps = between}, [&](const RecordedMessage& m) {
    const auto placed = component.Place(m, tracks);
    if (!placed) return;
    const auto& [from, to, s, r] = *placed;
    const uint32_t sent_in = between.Of(m.from, m.from_epoch, m.send_ns);
    const bool is_send = between[sent_in].is_between;
    auto& window = windows[is_send ? sent_in : between.Of(m.to, m.to_epoch, m.receive_ns)];
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
    if (is_before) window->certain.last = std::max(window->certain.last, reading);
    if (is_behind) window->certain.first = std::min(window->certain.first, reading);
  });
  SYNCLINE_TRY(component.pass().Run(about_steps));
  // What is certain to be from both is neither.
  for (auto& window : windows) {
    if (window && window->certain.last >= window->certain.first) window.reset();
  }
  return {};
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
  const auto& [graph, paths] = solved;
  std::vector<std::optional<BetweenSides>> windows(tracks.size());
  for (size_t i = 0; i < cuts.size(); ++i) {
    const CutPlace& cut = cuts[i];
    const auto sides = SidesOf(component, tracks, graph, cut);
    if (!sides || !cut.HasBetween()) continue;
    windows[tracks.Of(cut.clock, cut.after.epoch,
                      component.origin_ns(cut.clock) + cut.after.reading + 1)] =
        BetweenSides{*sides, {.first = cut.from.reading, .last = cut.after.reading}, i};
  }
  SYNCLINE_TRY(Narrow(component, tracks, graph, paths, tracks, windows));
  bool is_any = false;
  for (const auto& window : windows) {
    if (!window) continue;
    CutPlace& cut = cuts[window->cut];
    const auto& [first, last] = window->certain;
    is_any |= cut.after.reading != last || cut.from.reading != first;
    cut.after.reading = last;
    cut.from.reading = first;
  }
  if (!is_any) cuts.clear();
  return cuts;
}

Result<std::vector<Extent>> FindCertainExtents(const Component& component, const TrackTable& tracks,
                                               const Graph& graph, const BothPaths& paths) {
  std::vector<Extent> extents(tracks.size());
  TrackTable between = tracks.WithoutSteps();
  std::vector<BetweenSides> gaps;
  std::optional<uint32_t> previous;
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    if (!graph.HasNodes(t)) continue;
    const auto readings = graph.OfTrack(t, graph.readings());
    extents[t] = {.first = readings.front(), .last = readings.back()};
    const TrackTable::Entry& track = tracks[t];
    const bool is_next =
        previous && tracks[*previous].clock == track.clock && tracks[*previous].epoch == track.epoch;
    const uint32_t before = std::exchange(previous, t).value_or(t);
    if (!is_next) continue;
    const int64_t last = graph.FloorNs(extents[before].last);
    const int64_t first = graph.FloorNs(extents[t].first);
    if (last + 1 >= first) continue;
    const int64_t origin_ns = component.origin_ns(track.clock);
    between.Cut(track.clock, track.epoch, origin_ns + last + 1, true);
    between.Cut(track.clock, track.epoch, origin_ns + first);
    gaps.push_back({{before, t}, {.first = first, .last = last}});
  }
  if (gaps.empty()) return extents;
  std::vector<std::optional<BetweenSides>> windows(between.size());
  for (const BetweenSides& gap : gaps) {
    const TrackTable::Entry& track = tracks[gap.sides.first];
    windows[between.Of(track.clock, track.epoch,
                       component.origin_ns(track.clock) + gap.certain.last + 1)] = gap;
  }
  SYNCLINE_TRY(Narrow(component, tracks, graph, paths, between, windows));
  for (const auto& window : windows) {
    if (!window) continue;
    extents[window->sides.first].last = graph.Units(window->certain.last);
    extents[window->sides.second].first = graph.Units(window->certain.first);
  }
  return extents;
}

}  // namespace syncline::drift_bounded
