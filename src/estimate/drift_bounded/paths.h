// The longest paths of the synchronization graph: the earliest and the latest time of each node.
//
// Definition: L(x) is the longest path from any reading u of the reference, worth u, to x; U(x) the
// same backwards. The true time of x lies in [L(x), U(x)] and each of these can be true.
// Method: label correction by tracks. A track whose nodes were improved carries the improvement
// along itself, one pass each way, and then to the tracks that its messages lead to; only the part
// that changed is passed over. Departure: the definition proposes sweeps over all nodes in order of
// time, or Dijkstra's algorithm; this needs no common time and no heap, and settles chains of any
// length in the order of their links.
// Rounding: a walk along a track is exact to a unit (graph.h), which each message gives back, so
// values lie on the safe side of exact ones, by two units per message of a path.
// Errors: a positive cycle, that is, messages and limits that contradict each other.
// Cost: some passes over the nodes, O(tracks · nodes) in bad cases. Memory: 8 bytes per node,
// 12 where there is a cycle.
// Tested by: paths_test.cc, against Bellman and Ford over all messages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/drift_bounded/graph.h"

namespace syncline::drift_bounded {

enum class Side { kEarliest, kLatest };

struct Paths {
  // No path leads there.
  static constexpr int64_t kNone = INT64_MIN / 4;

  // By node, in units since the origin of the reference's readings: L for kEarliest, −U for
  // kLatest.
  std::vector<int64_t> value;
  // The nodes of a positive cycle, in its order, each once; empty: there is none. Values are then
  // no bounds.
  std::vector<int32_t> cycle;
  // Nodes of other such cycles that were found with it, in no order.
  std::vector<int32_t> other_cycles;
};

Paths FindPaths(const Graph& graph, Side side, std::vector<int64_t> unused = {});

struct BothPaths {
  Paths earliest, latest;
  // One of either; empty: the messages agree with the limits.
  const std::vector<int32_t>& cycle() const {
    return earliest.cycle.empty() ? latest.cycle : earliest.cycle;
  }
  bool IsBounded(int32_t node) const {
    return earliest.value[node] != Paths::kNone && latest.value[node] != Paths::kNone;
  }
  // Of a track, whose nodes all have values, or none.
  bool IsBounded(const Graph& graph, size_t track) const {
    return graph.HasNodes(track) && IsBounded(graph.first(track));
  }
  // The global time from p to q, both of which are bounded.
  struct Advance {
    int64_t least = 0, most = 0;
  };
  Advance Between(int32_t p, int32_t q) const {
    return {earliest.value[q] + latest.value[p], -latest.value[q] - earliest.value[p]};
  }
};
// `unused`: paths whose memory may be taken.
std::vector<BothPaths> FindBothPaths(std::span<const Graph> graphs,
                                     std::vector<BothPaths> unused = {});

// Moves times of nodes, which lie within their bounds, until they agree with all messages and
// limits: to the middle of the earliest such times that are nowhere earlier and of the latest that
// are nowhere later. What agrees with all others stays. Paths::kNone, of whole tracks: unknown, and
// stays so; of the reference: its readings. `room`: memory that it may take. Cost: as of paths,
// mostly two passes over the nodes; it ends after a thousand where rounding lets times rise and
// rise.
void MakeFeasible(const Graph& graph, std::vector<int64_t>& at, std::vector<int64_t>& room);

}  // namespace syncline::drift_bounded
