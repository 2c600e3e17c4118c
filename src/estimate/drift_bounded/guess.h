// A guess of the time at the nodes of a graph, as the ladder leaves it (ladder.h).
//
// It is asked for where it is wanted, node by node, rather than kept: by the limits that were
// reached few messages count, as a rule. Units: as graph.h. Memory: 48 bytes for each of those.
// Tested by: ladder_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/tube.h"

namespace syncline::drift_bounded {

// At the nodes of one track.
struct TrackGuess {
  // By the limits that were reached, bounded on both sides; empty: unknown.
  TrackTube tube = {};
  // By node, instead of the tube's: values that need not be middles, of these widths. May be empty.
  std::vector<Middle> known = {};

  // A track without nodes is not.
  bool IsKnown() const { return !tube.readings.empty() || !known.empty(); }
  // At the track's node number k, with its reading. `near`: as of TrackTube. Requires: IsKnown().
  Middle At(size_t k, int64_t reading, size_t* near) const {
    return known.empty() ? tube.MiddleAt(reading, near) : known[k];
  }
};

struct Guess {
  std::vector<TrackGuess> tracks;
  std::vector<double> limit_ppm;  // by clock: ε of the last rung
  std::vector<double> noise;      // by clock: of that rung, in units; 0: unknown
  std::vector<bool> is_line;      // by clock: whether ε leaves nothing beside the noise

  // Paths::kNone where it is not known. Cost: O(log n).
  Middle At(const Graph& graph, size_t track, int32_t node) const {
    if (!tracks[track].IsKnown()) return {};
    const auto k = static_cast<size_t>(node - graph.first(track));
    return tracks[track].At(k, graph.readings()[node], nullptr);
  }
  // visit(node, reading, guess) at all nodes of a track where it is known, in order. Cost: O(1) per
  // node.
  template <typename Visit>
  void VisitNodes(const Graph& graph, size_t track, const Visit& visit) const {
    if (!tracks[track].IsKnown()) return;
    const int32_t first = graph.first(track);
    size_t near = 0;
    for (int32_t n = first; n < graph.first(track + 1); ++n) {
      const auto k = static_cast<size_t>(n - first);
      const int64_t z = graph.readings()[n];
      visit(n, z, tracks[track].At(k, z, &near));
    }
  }
};

}  // namespace syncline::drift_bounded
