#include "estimate/drift_bounded/wide_tracks.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kWide = 32;

class WideTracks {
 public:
  WideTracks(const TrackTable& tracks, const std::vector<bool>& is_unsettled, const Graph& graph,
             const BothPaths& paths, Guess& guess)
      : tracks_(tracks), is_unsettled_(is_unsettled), graph_(graph), paths_(paths), guess_(guess) {
    for (uint32_t t = 0; t < tracks.size(); ++t) narrowest_.push_back(Narrowest(t));
  }

  void Run() {
    std::vector<std::optional<uint32_t>> known;  // by track, what it goes on from
    for (uint32_t t = 0; t < tracks_.size(); ++t) known.push_back(WhatIsKnown(t));
    const auto is_wide = [&](uint32_t t) { return known[t].has_value(); };
    if (std::ranges::none_of(known, [](const auto& k) { return k.has_value(); })) return;
    // What bounds allow, and the others' guesses.
    std::vector<int64_t> low = paths_.earliest.value, high;
    for (const int64_t v : paths_.latest.value) high.push_back(-v);
    for (const Graph::Links& links : graph_.links()) {
      if (is_wide(links.from) == is_wide(links.to)) continue;
      for (const auto& [send, receive] : links.links) {
        if (is_wide(links.to) && IsGuessed(links.from)) {
          low[receive] = std::max(low[receive], Value(links.from, send) + links.least_delay);
        } else if (is_wide(links.from) && IsGuessed(links.to)) {
          high[send] = std::min(high[send], Value(links.to, receive) - links.least_delay);
        }
      }
    }
    for (uint32_t t = 0; t < tracks_.size(); ++t) {
      if (is_wide(t)) GoOn(*known[t], t, low, high);
    }
  }

 private:
  bool IsGuessed(uint32_t t) const { return guess_.tracks[t].IsKnown(); }
  int64_t Value(uint32_t t, int32_t n) const { return guess_.At(graph_, t, n).value; }
  // Of a clock's only track it does not matter.
  int64_t Narrowest(uint32_t t) const {
    int64_t narrowest = INT64_MAX;
    const size_t clock = tracks_[t].clock.index();
    if (tracks_.end(clock) - tracks_.first(clock) == 1) return narrowest;
    guess_.VisitNodes(graph_, t, [&](int32_t /*node*/, int64_t /*reading*/, const Middle& guess) {
      narrowest = std::min(narrowest, guess.width);
    });
    return narrowest;
  }
  // The nearest track of the clock that is not wide beside the narrowest; none: it is not wide.
  std::optional<uint32_t> WhatIsKnown(uint32_t t) const {
    const size_t clock = tracks_[t].clock.index();
    const uint32_t first = tracks_.first(clock), end = tracks_.end(clock);
    const int64_t least = *std::min_element(narrowest_.begin() + first, narrowest_.begin() + end);
    const auto is_wide = [&](uint32_t k) { return narrowest_[k] / kWide > least; };
    if (!IsGuessed(t) || !is_unsettled_[t] || !is_wide(t)) return std::nullopt;
    std::optional<uint32_t> nearest;
    const auto away = [&](uint32_t k) { return std::abs(int64_t{k} - int64_t{t}); };
    for (uint32_t k = first; k < end; ++k) {
      const bool is_same_epoch = tracks_[k].epoch == tracks_[t].epoch;
      if (is_wide(k) || !is_same_epoch) continue;
      if (!nearest || away(k) < away(*nearest)) nearest = k;
    }
    return nearest;
  }

  int64_t Ahead(uint32_t t, int32_t n) const { return Value(t, n) - graph_.readings()[n]; }

  void GoOn(uint32_t known, uint32_t t, std::span<const int64_t> low,
            std::span<const int64_t> high) {
    const int32_t first = graph_.first(known), last = graph_.first(known + 1) - 1;
    const int32_t from = t < known ? first : last;
    const auto span = static_cast<double>(graph_.readings()[last] - graph_.readings()[first]);
    const double rate =
        span > 0 ? static_cast<double>(Ahead(known, last) - Ahead(known, first)) / span : 0;
    const int64_t ahead = Ahead(known, from);
    std::vector<Middle> gone_on;
    guess_.VisitNodes(graph_, t, [&](int32_t n, int64_t z, Middle guess) {
      const double since = static_cast<double>(z - graph_.readings()[from]);
      const int64_t wanted = z + ahead + static_cast<int64_t>(since * rate);
      guess.value = std::max(low[n], std::min(high[n], wanted));
      // They rise as readings do.
      if (!gone_on.empty()) guess.value = std::max(guess.value, gone_on.back().value);
      gone_on.push_back(guess);
    });
    guess_.tracks[t].known = std::move(gone_on);
  }

  const TrackTable& tracks_;
  const std::vector<bool>& is_unsettled_;
  const Graph& graph_;
  const BothPaths& paths_;
  Guess& guess_;
  std::vector<int64_t> narrowest_;  // by track
};

}  // namespace

void GoOnInWideTracks(const TrackTable& tracks, const std::vector<bool>& is_unsettled,
                      const Graph& graph, const BothPaths& paths, Guess& guess) {
  WideTracks(tracks, is_unsettled, graph, paths, guess).Run();
}

}  // namespace syncline::drift_bounded
