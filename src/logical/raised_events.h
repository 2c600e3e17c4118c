// The buffered events of one process: raises whole ranges of them by a line, and finds the sends
// that limit how far.
//
// Units: times in nanoseconds, rises as in rise.h. Events are named by their number, from 0.
// Requires: abscissae do not decrease; lines are rises (≥ 0) on the range they are added to.
// Cost: Append O(1); Raise O(log n); the searches O(log n) for each send that comes close to the
// limit, amortized; memory about 60 bytes per buffered event, at most four times that.
// Method: a tree over blocks of events. A line that was added to all events of a node is kept there
// (lines add up, so their order does not matter). Each node also has a lower bound of what the
// sends below it still allow, as if each event had been raised by the whole of every jump; it is
// made exact again where a search has to look below.
// Tested by: src/logical/amortizer_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/int128.h"
#include "logical/rise.h"

namespace syncline {

class RaisedEvents {
 public:
  struct Send {
    uint64_t number = 0;
    RisePoint allowed;
  };

  RaisedEvents();

  // One past the newest event.
  uint64_t end() const { return base_ + size_; }
  int64_t clock(uint64_t number) const { return events_[number - base_].clock; }
  uint64_t x(uint64_t number) const { return events_[number - base_].x; }
  uint64_t jump(uint64_t number) const { return events_[number - base_].jump_and_hold >> 1; }
  bool is_held(uint64_t number) const { return (events_[number - base_].jump_and_hold & 1) != 0; }
  // How far the event is raised.
  UInt128 Raised(uint64_t number) const {
    const size_t index = number - base_;
    const size_t block = index / kBlock;
    const RiseLine line = block == front_block_ ? front_line_ : PathLine(block);
    return events_[index].raised + line.At(events_[index].x);
  }

  // Requires: jump < 2^63.
  uint64_t Append(int64_t clock, uint64_t x, uint64_t jump, bool is_held) {
    if (size_ == events_.size()) MakeRoom();
    Event& event = events_[size_++];
    event.clock = clock;
    event.x = x;
    event.limit = kUnlimited;
    event.jump_and_hold = jump << 1 | (is_held ? 1 : 0);
    event.raised = 0;
    return end() - 1;
  }
  // The event may not be raised above `latest`; the smallest counts.
  void Limit(uint64_t number, int64_t latest);
  void Release(uint64_t number) { events_[number - base_].jump_and_hold &= ~uint64_t{1}; }
  // Adds `line` to the events [first, last). Requires: last < end().
  void Raise(uint64_t first, uint64_t last, const RiseLine& line);
  // To be called after the ranges of one jump were raised, none of them by more than `most`.
  void CountRaise(Int128 most) { counted_ += most; }

  // Of the sends in [first, last), the one from which the edge to `to` is steepest, leftmost if
  // there are several; none when none is steeper than the edge from `left`, or allows less than
  // `to`.
  std::optional<Send> Steepest(uint64_t first, uint64_t last, RisePoint to, RisePoint left);
  // The least rise that a send in [first, last) allows; `most` when all allow more.
  Int128 LeastAllowed(uint64_t first, uint64_t last, Int128 most);

  // The first event that is not settled gets its final time, as its clock from now on, and is not
  // raised any more.
  void Settle(int64_t clock) {
    events_[settled_++].clock = clock;
    // Other processes' events have driven the next ones out of the cache by the time they settle.
    const auto* next = reinterpret_cast<const char*>(events_.data() + settled_ + 2);
    __builtin_prefetch(next, 1);
    __builtin_prefetch(next + sizeof(Event) - 1, 1);
    if (settled_ / kBlock != front_block_) LeaveBlock();
  }
  // Events before `number` are not needed any more.
  void Drop(uint64_t number) { dropped_ = number - base_; }

 private:
  static constexpr size_t kBlock = 8;
  static constexpr int64_t kUnlimited = INT64_MAX;
  static constexpr Int128 kNoSend = static_cast<Int128>(1) << 126;

  struct Event {
    int64_t clock = 0;
    uint64_t x = 0;
    int64_t limit = kUnlimited;
    uint64_t jump_and_hold = 0;  // the jump, twice, and 1 if held
    UInt128 raised = 0;          // without the lines kept in the tree
  };
  struct Node {
    RiseLine line;           // for all events of the node
    Int128 bound = kNoSend;  // no send below allows less than this − counted_
  };
  struct Range {
    size_t first = 0;
    size_t last = 0;
  };
  struct Subtree {
    size_t node = 0;
    size_t first_block = 0;
    size_t blocks = 0;
    RiseLine above;  // the sum of its ancestors' lines
  };

  Int128 Allowed(const Event& event, const RiseLine& line) const;
  Int128 LeafBound(size_t block, const RiseLine& line) const;
  RiseLine PathLine(size_t block) const;
  void AddToEvents(Range range, const RiseLine& line);
  bool Pull(size_t node);
  void LeaveBlock();
  void MakeRoom();
  void BuildTree();
  template <typename Skip, typename Visit>
  void Search(Range range, const Skip& skip, const Visit& visit);
  template <typename Skip, typename Visit>
  void SearchBelow(const Subtree& tree, Range range, const Skip& skip, const Visit& visit);
  template <typename Visit>
  void SearchLeaf(size_t block, const RiseLine& line, Range range, const Visit& visit);

  uint64_t base_ = 0;  // the number of events_[0]
  // Indices count from there. There is room for more events than size_.
  std::vector<Event> events_;
  size_t size_ = 0;
  size_t settled_ = 0;
  size_t dropped_ = 0;
  Int128 counted_ = 0;       // the sum of all jumps
  size_t leaves_ = 0;        // a power of two
  std::vector<Node> nodes_;  // 1 is the root, 2i and 2i+1 are below i, leaves_ + b is block b
  size_t front_block_ = 0;   // of the first event that is not settled
  RiseLine front_line_;      // PathLine(front_block_)
};

}  // namespace syncline
