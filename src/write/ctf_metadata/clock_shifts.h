// How far clocks have to be shifted so that no message is too fast: by as little as possible.
//
// Units: nanoseconds; positive shifts make times later. Method: difference constraints; a message
// from a to b with slack s allows shift(a) − shift(b) ≤ s, and shortest paths close the constraints
// (Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, 24.4). The least possible largest
// shift is half the worst violated path; of the shifts that keep to it, the middle between the
// earliest and the latest is taken. Cost: O(n³) for n clocks.
// Tested by: clock_shifts_test.cc, against all shifts in a small range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace syncline::ctf_metadata {

// The least slack of messages from each clock to each: how much later they arrive than they must.
class SlackTable {
 public:
  explicit SlackTable(size_t clocks);
  void Add(size_t from, size_t to, int64_t slack_ns);
  size_t clocks() const { return clocks_; }
  // INT64_MAX where there are no messages.
  int64_t Least(size_t from, size_t to) const { return least_[from * clocks_ + to]; }

 private:
  size_t clocks_;
  std::vector<int64_t> least_;
};

// By clock; clocks that are not `movable` get 0. Nothing where the messages contradict each other
// whatever the shifts, or slacks are beyond ±2^60 ns.
std::optional<std::vector<int64_t>> LeastShifts(const SlackTable& slacks,
                                                const std::vector<bool>& movable);

}  // namespace syncline::ctf_metadata
