// The messages of all pairs as half hulls, kept apart by windows of either clock's time.
//
// A window is cut into kParts parts. Messages of one direction of a pair are a cell together when
// they leave in the same part of the sender's time and arrive in the same part of the receiver's;
// as long as both clocks run straight there, a cell's least slack is at a vertex of its lower hull
// of (send, receive). Parts are multiples of their length in each clock's own nominal time, so that
// messages find their cell as they pass, before anything is known of the clocks.
// Units: nominal nanoseconds (Clock::NominalNs). Requires: window_ns ≥ kParts. Errors: none.
// Memory: by pair and window at most some dozen cells of a dozen points, whatever the number of
// messages. Cost: O(1) per message. Tested by: src/estimate/windows/window_hulls_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/id.h"

#include "estimate/point.h"

namespace syncline {

class WindowHulls {
 public:
  static constexpr int64_t kParts = 8;  // of a window

  struct Place {
    ClockId from;
    ClockId to;
    int64_t from_part = 0;
    int64_t to_part = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Place& p) {
      return H::combine(std::move(h), p.from.index(), p.to.index(), p.from_part, p.to_part);
    }
  };
  struct Cell {
    Place place;
    std::vector<Point> vertices;  // send, receive; strictly increasing, convex
  };

  explicit WindowHulls(int64_t window_ns) : part_ns_(window_ns / kParts) {}

  void Add(ClockId from, ClockId to, int64_t send_ns, int64_t receive_ns);
  // In the order of their places, which does not depend on the order of messages.
  std::vector<Cell> Cells() const;
  int64_t part_ns() const { return part_ns_; }
  size_t cells() const { return cells_.size(); }

 private:
  struct Points {
    std::vector<Point> points;
    size_t next_reduction = 16;
  };

  int64_t part_ns_;
  absl::flat_hash_map<Place, Points> cells_;
};

}  // namespace syncline
