// The synchronization graph: readings of clocks, and what rates and messages say between them.
//
// A *track* is a stretch of a clock's readings within which its rate keeps to its limits: the whole
// clock, or what lies between two moments at which it was set. Nodes are the readings of a track at
// which messages that count (envelope.h) were sent or received. Weights are lower bounds of
// differences of global time: lo·(z' − z) along a track, −hi·(z' − z) back, µ along a message, and
// from the last node of a track to the first one of the clock's next (program order alone) what
// passes at least to the end of the one epoch and from the beginning of the other, or 0.
// Units: multiples of 2^-shift ns ("units"), readings since the origin of their clock; shift is
// chosen so that the longest trace takes 60 bits, at most 10.
// Cost: O(n log n) for n messages. Memory: 8 bytes per node, 8 per message.
// Tested by: paths_test.cc, ladder_test.cc, best_guess_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimate/drift_bounded/envelope.h"
#include "estimate/drift_bounded/rate_limits.h"

namespace syncline::drift_bounded {

struct Track {
  RateLimits rate;
  // Whether its readings are global time.
  bool is_reference = false;
  // The track before, of the same clock; none: -1.
  int32_t previous = -1;
  // The first reading of its epoch, if it begins with that, and the last, in nanoseconds.
  std::optional<int64_t> first_ns = {}, last_ns = {};
};

// What messages of one direction between two tracks say.
struct Direction {
  uint32_t from = 0;
  uint32_t to = 0;
  int64_t least_delay_ns = 0;            // µ, and by how much receives may be late
  std::span<const Constraint> messages;  // by s
};

// The same with the messages that count themselves.
struct KeptDirection {
  uint32_t from = 0;
  uint32_t to = 0;
  int64_t least_delay_ns = 0;
  std::vector<Constraint> all;
};

class Graph {
 public:
  struct Link {
    int32_t send = 0;  // nodes
    int32_t receive = 0;
  };
  struct Links {
    uint32_t from = 0;  // tracks
    uint32_t to = 0;
    int64_t least_delay = 0;
    bool is_order = false;                 // program order, no messages
    std::vector<Link> links;               // both nodes increase
    std::span<const Constraint> messages;  // of the links; empty once narrowed or forgotten
  };

  Graph() = default;
  // Requires: the directions' messages outlive the graph; readings of ±2^57 ns at most, a track
  // before the one that follows it.
  Graph(std::vector<Track> tracks, std::span<const Direction> directions, int shift);
  // The finest units that these directions leave room for.
  static int ShiftFor(std::span<const Direction> directions);

  size_t tracks() const { return tracks_.size(); }
  size_t nodes() const { return reading_.size(); }
  const Track& track(size_t t) const { return tracks_[t]; }
  // Nodes of track t are first(t) … first(t + 1) − 1, in order of their readings.
  int32_t first(size_t t) const { return first_[t]; }
  bool HasNodes(size_t t) const { return first_[t] < first_[t + 1]; }
  uint32_t TrackOf(int32_t node) const;
  // Of what is by node, the part of track t.
  template <typename T>
  std::span<T> OfTrack(size_t t, std::span<T> by_node) const {
    return by_node.subspan(static_cast<size_t>(first_[t]),
                           static_cast<size_t>(first_[t + 1] - first_[t]));
  }
  std::span<const int64_t> readings() const { return reading_; }
  const std::vector<Links>& links() const { return links_; }
  // By track: which of links() leave it, and which arrive.
  const std::vector<uint32_t>& outgoing(size_t t) const { return outgoing_[t]; }
  const std::vector<uint32_t>& incoming(size_t t) const { return incoming_[t]; }

  int shift() const { return shift_; }
  int64_t Units(int64_t ns) const { return ns << shift_; }
  int64_t FloorNs(int64_t units) const { return units >> shift_; }
  int64_t CeilNs(int64_t units) const { return -((-units) >> shift_); }

  // By other limits, which its own contain: without messages that others imply then, and nodes that
  // lose all of theirs.
  Graph Narrowed(std::span<const RateLimits> by_track) const;
  // The directions' messages may go.
  void ForgetMessages() {
    for (Links& links : links_) links.messages = {};
  }
  // Leaves tracks and nodes.
  void ForgetLinks();

 private:
  class Ends;

  size_t EndsOf(size_t track) const;
  void AddNodes();
  size_t AddNodesOf(size_t track, size_t place, Ends& ends);
  void CloseGaps(std::span<const size_t> start, std::span<const size_t> nodes);
  void AddOrder();
  int64_t LeastBetween(size_t track, size_t next) const;
  // What others do not imply by the limits of `rates`, by track.
  std::vector<Link> NotImplied(const Links& links, std::span<const RateLimits> rates) const;
  void TakeNodes(const Graph& from);
  void IndexLinks();

  std::vector<Track> tracks_;
  std::vector<int32_t> first_;
  std::vector<int64_t> reading_;
  std::vector<Links> links_;
  std::vector<std::vector<uint32_t>> outgoing_, incoming_;
  int shift_ = 0;
};

}  // namespace syncline::drift_bounded
