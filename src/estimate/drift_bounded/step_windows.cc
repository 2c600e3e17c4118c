#include "estimate/drift_bounded/step_windows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "estimate/drift_bounded/tube.h"

namespace syncline::drift_bounded {
namespace {

// The tracks before and behind a cut that messages reach.
using Sides = std::pair<uint32_t, uint32_t>;
std::optional<Sides> SidesOf(const Component& component, const TrackTable& tracks,
                             const Graph& graph, const CutPlace& cut) {
  if (!cut.IsBounded()) return std::nullopt;
  const auto has_nodes = [&](uint32_t t) { return graph.first(t) < graph.first(t + 1); };
  const uint32_t behind =
      tracks.Of(cut.clock, cut.from.epoch, component.origin_ns(cut.clock) + cut.from.reading);
  uint32_t before = behind;
  do {
    if (before == tracks.first(cut.clock.index())) return std::nullopt;
    --before;
  } while (!has_nodes(before));
  return has_nodes(behind) ? std::optional(Sides{before, behind}) : std::nullopt;
}

// From when to when a reading can be, in units.
struct Times {
  int64_t earliest = Paths::kNone;
  int64_t latest = -Paths::kNone;
};
Times At(const TrackTube& tube, int64_t z) {
  return {tube.readings.empty() ? Paths::kNone : tube.Earliest(z),
          tube.readings.empty() ? -Paths::kNone : tube.Latest(z)};
}
// Whether a message of this least delay can lead from one to the other.
bool Allows(const Times& send, const Times& receive, int64_t least_delay) {
  const bool is_known = send.earliest != Paths::kNone && receive.latest != -Paths::kNone;
  return !is_known || send.earliest + least_delay <= receive.latest;
}

class Narrowing {
 public:
  Narrowing(const Component& component, const Explanation& explanation, const Solved& solved,
            std::vector<CutPlace> cuts)
      : component_(component),
        tracks_(explanation.tracks),
        graph_(*solved.graph),
        cuts_(std::move(cuts)),
        windows_(tracks_.size()) {
    for (uint32_t t = 0; t < tracks_.size(); ++t) {
      const bool has_nodes = graph_.first(t) < graph_.first(t + 1);
      tubes_.push_back(has_nodes ? TubeOf(graph_, solved.earliest, solved.latest, t) : TrackTube{});
    }
    for (size_t i = 0; i < cuts_.size(); ++i) {
      const CutPlace& cut = cuts_[i];
      const auto sides = SidesOf(component_, tracks_, graph_, cut);
      if (!sides || !cut.HasBetween()) continue;
      const uint32_t between = tracks_.Of(cut.clock, cut.after.epoch,
                                          component_.origin_ns(cut.clock) + cut.after.reading + 1);
      windows_[between] = {i, *sides, cut.after.reading, cut.from.reading};
    }
  }

  Result<std::vector<CutPlace>> Run() {
    const auto done = component_.pass()([&](const RecordedMessage& m) { See(m); });
    if (!done) return tl::unexpected(done.error());
    bool is_any = false;
    for (const Window& window : windows_) {
      if (window.sides.first == window.sides.second || window.after >= window.from) continue;
      CutPlace& cut = cuts_[window.cut];
      is_any |= cut.after.reading != window.after || cut.from.reading != window.from;
      cut.after.reading = window.after;
      cut.from.reading = window.from;
    }
    if (!is_any) cuts_.clear();
    return std::move(cuts_);
  }

 private:
  // Of a cut, by the track between its sides; equal sides: none.
  struct Window {
    size_t cut = 0;
    Sides sides;
    int64_t after = 0, from = 0;
  };

  void See(const RecordedMessage& m) {
    const uint32_t from = tracks_.Of(m.from, m.from_epoch, m.send_ns);
    const uint32_t to = tracks_.Of(m.to, m.to_epoch, m.receive_ns);
    if (tracks_[from].is_between == tracks_[to].is_between) return;
    const auto s = Since(component_.origin_ns(m.from), m.send_ns);
    const auto r = Since(component_.origin_ns(m.to), m.receive_ns);
    if (!s || !r) return;
    const int64_t least_delay = graph_.Units(component_.LeastDelayNs(m.from, m.to) -
                                             component_.clocks()[m.to.index()].clock.reading_ns);
    const bool is_send = tracks_[from].is_between;
    Window& window = windows_[is_send ? from : to];
    if (window.sides.first == window.sides.second) return;
    const auto fits = [&](uint32_t side) {
      const Times send = At(tubes_[is_send ? side : from], graph_.Units(*s));
      const Times receive = At(tubes_[is_send ? to : side], graph_.Units(*r));
      return Allows(send, receive, least_delay);
    };
    const bool is_before = fits(window.sides.first), is_behind = fits(window.sides.second);
    if (is_before == is_behind) return;
    const int64_t reading = is_send ? *s : *r;
    if (is_before) {
      window.after = std::max(window.after, reading);
    } else {
      window.from = std::min(window.from, reading);
    }
  }

  const Component& component_;
  const TrackTable& tracks_;
  const Graph& graph_;
  std::vector<CutPlace> cuts_;
  std::vector<Window> windows_;  // by track
  std::vector<TrackTube> tubes_;
};

}  // namespace

bool WentOn(const Component& component, const Explanation& explanation, const Solved& solved,
            const CutPlace& cut) {
  const Graph& graph = *solved.graph;
  const auto sides = SidesOf(component, explanation.tracks, graph, cut);
  if (!sides) return false;
  const int32_t p = graph.first(sides->first + 1) - 1, q = graph.first(sides->second);
  for (const int32_t n : {p, q}) {
    const bool is_open =
        solved.earliest.value[n] == Paths::kNone || solved.latest.value[n] == Paths::kNone;
    if (is_open) return false;
  }
  const int64_t least = solved.earliest.value[q] + solved.latest.value[p];
  const int64_t most = -solved.latest.value[q] - solved.earliest.value[p];
  const int64_t span = graph.readings()[q] - graph.readings()[p];
  const RateLimits limits = explanation.limits[cut.clock.index()];
  // Of the clock, against the others.
  const Jump own = {graph.FloorNs(span - most + DriftOver(span, limits.slow)),
                    graph.CeilNs(span - least + DriftOver(span, limits.fast))};
  return own.least <= 0 && own.most >= 0 && !CanBeAsLarge(own, cut.jump);
}

Result<std::vector<CutPlace>> NarrowWindows(const Component& component,
                                            const Explanation& explanation, const Solved& solved,
                                            std::vector<CutPlace> cuts) {
  return Narrowing(component, explanation, solved, std::move(cuts)).Run();
}

}  // namespace syncline::drift_bounded
