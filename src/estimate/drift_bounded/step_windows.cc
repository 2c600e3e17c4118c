#include "estimate/drift_bounded/step_windows.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

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
  Extent begun;  // the last reading of the side before, the first of the one behind
  Extent certain = begun;
  std::optional<uint64_t> last_before = {}, first_behind = {};  // messages that narrowed it
  size_t cut = 0;
  bool is_contradicted = false;  // a message fits neither side
};

// Whether a message of this least delay can lead from one reading to the other.
bool Allows(const TrackTube& sender, int64_t s, const TrackTube& receiver, int64_t r,
            int64_t least_delay) {
  const int64_t earliest = sender.readings.empty() ? Paths::kNone : sender.Earliest(s);
  const int64_t latest = receiver.readings.empty() ? -Paths::kNone : receiver.Latest(r);
  const bool is_known = earliest != Paths::kNone && latest != -Paths::kNone;
  constexpr int64_t kRounding = 2;
  return !is_known || earliest + least_delay <= latest + kRounding;
}

// What messages with an end between the sides of a step tell of it.
class BetweenMessages {
 public:
  // `graph` and its bounds: by `explanation`. `windows` by the track of `between` that each is.
  BetweenMessages(const Component& component, const Explanation& explanation, const Graph& graph,
                  const BothPaths& paths, const TrackTable& between,
                  std::vector<std::optional<BetweenSides>>& windows)
      : component_(component),
        explanation_(explanation),
        graph_(graph),
        between_(between),
        windows_(windows),
        tubes_(TubesOf(graph, paths)) {}

  // Narrows the windows by those that only one side allows. Returns those that none allows.
  Result<std::vector<uint64_t>> Run() {
    ChosenMessages about_steps({.about_steps = between_},
                               [this](const RecordedMessage& m) { Add(m); });
    SYNCLINE_TRY(component_.Run(about_steps));
    for (auto& window : windows_) {
      if (!window) continue;
      const bool is_in_order = IsInOrder(*window);
      if (!is_in_order) Contradict(*window);
      // What is certain to be from both is neither.
      const bool is_from_both = window->certain.last >= window->certain.first;
      if (!is_in_order || is_from_both) window->certain = window->begun;
    }
    std::ranges::sort(contradicting_);
    const auto twice = std::unique(contradicting_.begin(), contradicting_.end());
    contradicting_.erase(twice, contradicting_.end());
    return std::move(contradicting_);
  }

 private:
  void Add(const RecordedMessage& m) {
    const auto placed = component_.Place(m, explanation_.tracks);
    if (!placed || explanation_.left_out.contains(m.id)) return;
    auto& sent = windows_[between_.Of(m.from, m.from_epoch, m.send_ns)];
    auto& received = windows_[between_.Of(m.to, m.to_epoch, m.receive_ns)];
    if (!sent && !received) return;
    const int64_t least_delay = graph_.Units(component_.LeastBetweenReadingsNs(m.from, m.to));
    const auto fits = [&](uint32_t from, uint32_t to) {
      return Allows(tubes_[from], graph_.Units(placed->s), tubes_[to], graph_.Units(placed->r),
                    least_delay);
    };
    const auto sides = [](const std::optional<BetweenSides>& window, uint32_t track) {
      return window ? std::vector{window->sides.first, window->sides.second} : std::vector{track};
    };
    const std::vector<uint32_t> from = sides(sent, placed->from);
    const std::vector<uint32_t> to = sides(received, placed->to);
    const auto fits_any = [&](std::span<const uint32_t> senders,
                              std::span<const uint32_t> receivers) {
      return std::ranges::any_of(senders, [&](uint32_t s) {
        return std::ranges::any_of(receivers, [&](uint32_t r) { return fits(s, r); });
      });
    };
    if (!fits_any(from, to)) {
      contradicting_.push_back(m.id);
      if (sent) sent->is_contradicted = true;
      if (received) received->is_contradicted = true;
      return;
    }
    if (sent) {
      Narrow(*sent, placed->s, m.id, fits_any({&from[0], 1}, to), fits_any({&from[1], 1}, to));
    }
    if (received) {
      Narrow(*received, placed->r, m.id, fits_any(from, {&to[0], 1}), fits_any(from, {&to[1], 1}));
    }
  }
  static void Narrow(BetweenSides& window, int64_t reading, uint64_t message, bool is_before,
                     bool is_behind) {
    if (is_before == is_behind) return;
    if (is_before && reading > window.certain.last) {
      window.certain.last = reading;
      window.last_before = message;
    }
    if (is_behind && reading < window.certain.first) {
      window.certain.first = reading;
      window.first_behind = message;
    }
  }
  // Whether what is certain to be from before the step can come before what is from behind it.
  bool IsInOrder(const BetweenSides& window) const {
    const auto [before, behind] = window.sides;
    if (before == behind || !(window.last_before || window.first_behind)) return true;
    const int64_t earliest = tubes_[before].Earliest(graph_.Units(window.certain.last));
    const int64_t latest = tubes_[behind].Latest(graph_.Units(window.certain.first));
    if (earliest == Paths::kNone || latest == -Paths::kNone) return true;
    // Either reading can be a tick late.
    const ClockId clock = explanation_.tracks[before].clock;
    const int64_t tick_ns = component_.clocks()[clock.index()].clock.reading_ns;
    constexpr int64_t kRoundingNs = 2;
    return earliest <= latest + graph_.Units(2 * tick_ns + kRoundingNs);
  }
  void Contradict(BetweenSides& window) {
    window.is_contradicted = true;
    for (const auto& message : {window.last_before, window.first_behind}) {
      if (message) contradicting_.push_back(*message);
    }
  }

  const Component& component_;
  const Explanation& explanation_;
  const Graph& graph_;
  const TrackTable& between_;
  std::vector<std::optional<BetweenSides>>& windows_;
  std::vector<TrackTube> tubes_;
  std::vector<uint64_t> contradicting_;
};

}  // namespace

TrackTable WithSteps(const Component& component, const TrackTable& tracks,
                     std::span<const CutPlace> cuts) {
  TrackTable with = tracks.WithoutSteps();
  for (const CutPlace& cut : cuts) {
    const int64_t origin_ns = component.origin_ns(cut.clock);
    with.Cut(cut.clock, cut.from.epoch, origin_ns + cut.from.reading);
    if (!cut.HasBetween()) continue;
    with.Cut(cut.clock, cut.after.epoch, origin_ns + cut.after.reading + 1, true);
  }
  return with;
}

// What its readings differ by, less what it can have counted meanwhile.
Jump JumpBetween(const Graph& graph, const BothPaths& paths, int32_t p, int32_t q) {
  const auto [least, most] = paths.Between(p, q);
  const int64_t span = graph.readings()[q] - graph.readings()[p];
  const RateLimits rate = graph.track(graph.TrackOf(q)).rate;
  const auto most_counted = MostCounted(std::max<int64_t>(0, most), rate);
  return {most_counted ? graph.FloorNs(span - *most_counted) : -OffsetInterval::kOpen,
          graph.CeilNs(span - LeastCounted(std::max<int64_t>(0, least), rate))};
}

bool WentOn(const Component& component, const Explanation& explanation, const Solved& solved,
            const CutPlace& cut) {
  const auto& [graph, paths] = solved;
  const auto sides = SidesOf(component, explanation.tracks, graph, cut);
  if (!sides) return false;
  const int32_t p = graph.first(sides->first + 1) - 1, q = graph.first(sides->second);
  if (!paths.IsBounded(p) || !paths.IsBounded(q)) return false;
  Jump own = JumpBetween(graph, paths, p, q);
  // Of any rate, it is not taken to have run ahead by more than the time that passed.
  if (own.least <= -OffsetInterval::kOpen) own.least = graph.FloorNs(-paths.Between(p, q).most);
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
                      component.origin_ns(cut.clock) + cut.after.reading + 1)] = BetweenSides{
        .sides = *sides, .begun = {.first = cut.from.reading, .last = cut.after.reading}, .cut = i};
  }
  SYNCLINE_TRY(BetweenMessages(component, explanation, graph, paths, tracks, windows).Run());
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

Result<StepSides> FindSides(const Component& component, const Explanation& explanation,
                            const Graph& graph, const BothPaths& paths) {
  const TrackTable& tracks = explanation.tracks;
  const std::vector<bool> none(tracks.size());
  StepSides found{std::vector<Extent>(tracks.size()), none, none, {}};
  TrackTable between = tracks.WithoutSteps();
  std::vector<std::pair<TrackTable::Entry, BetweenSides>> gaps;  // by where they begin
  const auto add = [&](uint32_t before, uint32_t behind, int64_t from_ns, int64_t to_ns) {
    const int64_t origin_ns = component.origin_ns(tracks[before].clock);
    const TrackTable::Entry begin{tracks[before].clock, tracks[before].epoch,
                                  from_ns == INT64_MIN ? INT64_MIN + 1 : origin_ns + from_ns, true};
    between.Cut(begin.clock, begin.epoch, begin.from_ns, true);
    if (to_ns != INT64_MAX) between.Cut(begin.clock, begin.epoch, origin_ns + to_ns);
    gaps.push_back(
        {begin,
         {.sides = {before, behind},
          .begun = {.first = to_ns, .last = from_ns == INT64_MIN ? from_ns : from_ns - 1}}});
  };
  std::optional<uint32_t> previous;  // of the epoch, with nodes
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    const auto is_of_epoch = [&](size_t other) { return tracks.AreOfOneEpoch(t, other); };
    const bool is_first = t == 0 || !is_of_epoch(t - 1);
    if (is_first) previous.reset();
    if (graph.HasNodes(t)) {
      const auto readings = graph.OfTrack(t, graph.readings());
      found.certain[t] = {.first = readings.front(), .last = readings.back()};
      const int64_t first = graph.FloorNs(readings.front());
      const int64_t last = previous ? graph.FloorNs(found.certain[*previous].last) : INT64_MIN;
      if (previous && last + 1 < first) add(*previous, t, last + 1, first);
      if (!previous && !is_first) add(t, t, INT64_MIN, first);
      previous = t;
    } else if (previous && !is_of_epoch(t + 1)) {
      add(*previous, *previous, graph.FloorNs(found.certain[*previous].last) + 1, INT64_MAX);
    }
  }
  if (gaps.empty()) return found;
  std::vector<std::optional<BetweenSides>> windows(between.size());
  for (const auto& [begin, gap] : gaps) {
    windows[between.Of(begin.clock, begin.epoch, begin.from_ns)] = gap;
  }
  SYNCLINE_ASSIGN(found.contradicting,
                  BetweenMessages(component, explanation, graph, paths, between, windows).Run());
  for (const auto& window : windows) {
    if (!window) continue;
    const auto [before, behind] = window->sides;
    if (before != behind) {
      found.certain[before].last = graph.Units(window->certain.last);
      found.certain[behind].first = graph.Units(window->certain.first);
    }
    if (!window->is_contradicted) continue;
    if (window->begun.last != INT64_MIN) found.is_open_behind[before] = true;
    if (window->begun.first != INT64_MAX) found.is_open_before[behind] = true;
  }
  return found;
}

}  // namespace syncline::drift_bounded
