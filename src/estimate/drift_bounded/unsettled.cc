#include "estimate/drift_bounded/unsettled.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace syncline::drift_bounded {
namespace {

constexpr uint64_t kFewOnTrack = 2 * kFewestPerStep;

class Islands {
 public:
  Islands(const TrackTable& tracks, const Collection& messages, const Solved& solved)
      : tracks_(tracks), messages_(messages), solved_(solved), island_(tracks.size()) {
    std::vector<size_t> count(tracks.size(), 0);
    for (const KeptDirection& d : messages.directions) {
      count[d.from] += d.all.size();
      count[d.to] += d.all.size();
    }
    for (uint32_t t = 0; t < tracks.size(); ++t) {
      is_short_.push_back(count[t] > 0 && count[t] < kFewOnTrack && StepsAt(t) > 0);
    }
    std::iota(island_.begin(), island_.end(), 0U);
    for (const KeptDirection& d : messages.directions) {
      if (!is_short_[d.from] || !is_short_[d.to]) continue;
      const uint32_t a = island_[d.from], b = island_[d.to];
      std::ranges::replace(island_, std::max(a, b), std::min(a, b));
    }
  }

  std::optional<Unsettled> Run() {
    Unsettled found{std::vector<bool>(tracks_.size(), false), messages_};
    for (uint32_t island = 0; island < tracks_.size(); ++island) {
      if (IsOn(island, island) && IsUnsettled(island)) Leave(island, found);
    }
    if (std::ranges::count(found.tracks, true) == 0) return std::nullopt;
    return found;
  }

 private:
  // A track of the same clock that has messages, the next one before (-1) or behind (1), if
  // messages tell that it is another one: readings that go back need none.
  std::optional<uint32_t> Next(uint32_t t, int step) const {
    const size_t clock = tracks_[t].clock.index();
    for (int64_t n = int64_t{t} + step; n >= tracks_.first(clock) && n < tracks_.end(clock);
         n += step) {
      if (tracks_[n].epoch != tracks_[t].epoch) break;
      if (solved_.graph.HasNodes(static_cast<size_t>(n))) return static_cast<uint32_t>(n);
    }
    return std::nullopt;
  }
  size_t StepsAt(uint32_t t) const {
    return (Next(t, -1) ? size_t{1} : 0) + (Next(t, 1) ? size_t{1} : 0);
  }

  bool IsUnsettled(uint32_t island) const {
    size_t steps = 0, tracks = 0, messages = 0;
    for (uint32_t t = 0; t < tracks_.size(); ++t) {
      if (!IsOn(t, island)) continue;
      ++tracks;
      steps += StepsAt(t);
    }
    for (const KeptDirection& d : messages_.directions) {
      if (IsOn(d.from, island) || IsOn(d.to, island)) messages += d.all.size();
    }
    return tracks > 1 && messages < kFewestPerStep * steps;
  }
  bool IsOn(uint32_t track, uint32_t island) const {
    return is_short_[track] && island_[track] == island;
  }

  // Global time, from the last reading before an island to the first one behind it.
  struct Span {
    int64_t from = INT64_MAX, to = INT64_MIN;
  };
  Span SpanOf(uint32_t island) const {
    Span span;
    const auto& [earliest, latest] = solved_.paths;
    for (uint32_t t = 0; t < tracks_.size(); ++t) {
      if (!IsOn(t, island)) continue;
      const auto before = Next(t, -1), behind = Next(t, 1);
      const auto from = before ? earliest.value[solved_.graph.first(*before + 1) - 1] : INT64_MIN;
      const auto to = behind ? -latest.value[solved_.graph.first(*behind)] : INT64_MAX;
      span = {std::min(span.from, from), std::max(span.to, to)};
    }
    return span;
  }

  void Leave(uint32_t island, Unsettled& found) const {
    const Span span = SpanOf(island);
    std::vector<bool> is_of_clocks(tracks_.clocks(), false);
    for (uint32_t t = 0; t < tracks_.size(); ++t) {
      if (!IsOn(t, island)) continue;
      found.tracks[t] = true;
      is_of_clocks[tracks_[t].clock.index()] = true;
    }
    const auto counts = [&](uint32_t t, int64_t reading_ns) {
      if (!is_of_clocks[tracks_[t].clock.index()]) return true;
      return !IsOn(t, island) && IsOutside(t, reading_ns, span);
    };
    for (KeptDirection& d : found.messages.directions) {
      std::erase_if(
          d.all, [&](const Constraint& m) { return !counts(d.from, m.s) || !counts(d.to, m.r); });
    }
  }
  bool IsOutside(uint32_t t, int64_t reading_ns, const Span& span) const {
    const Graph& graph = solved_.graph;
    const auto readings = graph.OfTrack(t, graph.readings());
    const auto at = std::ranges::lower_bound(readings, graph.Units(reading_ns));
    const int64_t node = graph.first(t) + (at - readings.begin());
    return -solved_.paths.latest.value[node] < span.from ||
           solved_.paths.earliest.value[node] > span.to;
  }

  const TrackTable& tracks_;
  const Collection& messages_;
  const Solved& solved_;
  std::vector<bool> is_short_;    // by track
  std::vector<uint32_t> island_;  // by track, its first one
};

}  // namespace

std::optional<Unsettled> FindUnsettled(const Explanation& explanation, const Collection& messages,
                                       const Solved& solved) {
  if (explanation.tracks.size() == explanation.tracks.clocks()) return std::nullopt;
  return Islands(explanation.tracks, messages, solved).Run();
}

}  // namespace syncline::drift_bounded
