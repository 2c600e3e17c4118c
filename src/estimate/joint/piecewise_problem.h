// The clocks of a component whose conversions bend at knots.
//
// Each clock has an integer guess of its conversion, continuous and piecewise linear; its unknowns
// are by how much the global times at its knots differ from that guess. A message from a to b sent
// at x and received at y demands g_b(y) ≥ g_a(x), and lies in one segment of each.
// Units: nominal nanoseconds in, nanoseconds of the root out. Tested by:
// src/estimate/joint/piecewise_programme_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/node_hash_map.h>

#include "estimate/hulls/corridor.h"
#include "estimate/message_pass.h"
#include "estimate/point.h"

namespace syncline {

struct KnottedClock {
  std::vector<Point> knots;  // at least two; x and y strictly increasing

  // The segment that counts at x, from 0; the outer ones go on.
  size_t SegmentAt(int64_t x) const;
  size_t SegmentAtGlobal(int64_t y) const;
  Line SegmentLine(size_t segment) const;
  int64_t GuessAt(int64_t x) const { return SegmentLine(SegmentAt(x)).Nearest(x); }
  // The x of a global time, rounded down.
  int64_t Preimage(int64_t y) const;
};

struct PiecewisePair {
  size_t a = 0;
  size_t b = 0;
  MinDelays min_delays;
};

// Clocks by their place here, the root first.
struct PiecewiseProblem {
  std::vector<size_t> clocks;  // indices of the group's clocks
  std::vector<KnottedClock> knotted;
  std::vector<int64_t> readings_ns;  // how much later than its stamp a receive may be
  std::vector<PiecewisePair> pairs;
  absl::flat_hash_map<std::pair<size_t, size_t>, size_t> pair_of;  // by the places of a and b
  // Global time is cut into bins of equal length.
  int64_t start_ns = 0;
  int64_t end_ns = 1;
  size_t bins = 1;

  size_t BinOf(int64_t global_ns) const;
  double BinSeconds() const;
};

// A message as a problem sees it: minimum delay taken off, readings added.
struct PlacedMessage {
  size_t pair = 0;
  bool is_a_to_b = false;
  size_t earlier = 0;  // clock
  size_t later = 0;
  int64_t earlier_ns = 0;
  int64_t later_ns = 0;
};

// Finds the place of messages, by the group's clocks. Cost: a look-up where successive messages
// have other clocks.
class MessagePlaces {
 public:
  MessagePlaces(const PiecewiseProblem& problem, size_t clocks);
  // None for messages of other components and of pairs that are not part of the problem.
  std::optional<PlacedMessage> Of(const RecordedMessage& message);

 private:
  static constexpr size_t kNone = SIZE_MAX;

  // What messages from one clock to another have in common.
  struct Direction {
    std::optional<PlacedMessage> place;
    Int128 later_sent = 0;  // than stamped
    Int128 later_received = 0;
  };
  const Direction& DirectionOf(std::pair<ClockId, ClockId> clocks);
  Direction Find(ClockId from, ClockId to) const;

  const PiecewiseProblem& problem_;
  std::vector<size_t> place_of_;  // by clock of the group
  absl::node_hash_map<std::pair<ClockId, ClockId>, Direction> directions_;
  std::pair<ClockId, ClockId> last_clocks_;
  const Direction* last_ = nullptr;
};

}  // namespace syncline
