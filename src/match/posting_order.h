// Numbers the operations of one process within channels, in the order in which they were posted.
//
// MPI pairs receives, and non-blocking collectives, in the order of posting; but what channel an
// operation belongs to is known only when it completes, perhaps out of order. Whoever counts a
// channel's completions gets the right number for all operations but the misplaced ones.
// Cost: O(1) per operation. Memory: 40 bytes for each operation that was posted while an older one
// waits, at most kMaxWaiting of them (then the oldest is given up), and 16 per misplaced operation.
// Tested by: posting_order_test.cc (against sorting by posting).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include <absl/container/flat_hash_map.h>

namespace syncline {

class PostingOrder {
 public:
  static constexpr size_t kMaxWaiting = size_t{1} << 20;
  static constexpr uint64_t kNoIndex = UINT64_MAX;

  explicit PostingOrder(size_t max_waiting = kMaxWaiting) : max_waiting_(max_waiting) {}

  // The operation posted at event `index` with this request. A request still waiting under the same
  // number was never completed.
  void Post(uint64_t request, uint64_t index);

  enum class Found : uint8_t {
    kPosted,
    kGivenUp,    // posted too long ago: its number may be wrong
    kNotPosted,  // taken as posted now
  };
  struct Completion {
    Found found = Found::kNotPosted;
    uint64_t posted_index = kNoIndex;
  };
  // The operation of `request` completes at event `index` and belongs to `channel`.
  Completion Complete(uint64_t request, uint32_t channel, uint64_t index);
  // An operation without request: posted and completed by one call, which begins at `begin_index`.
  void CompleteAtOnce(uint32_t channel, uint64_t begin_index, uint64_t index);
  // The operation will not complete. False where none waits.
  bool Cancel(uint64_t request);
  // No more operations. Before it, the numbers of the latest operations may be missing.
  void Finish();

  // The number, from 0, of the operation that completes, or begins, at event `index`, where it is
  // not the number of its channel's completions before it. Beginnings of operations with a request
  // are always there.
  std::optional<uint64_t> NumberOf(uint64_t index) const;
  // Whether it has such numbers.
  bool has_misplaced() const { return !numbers_.empty(); }
  uint64_t never_completed() const { return never_completed_; }

 private:
  enum class State : uint8_t { kWaiting, kComplete, kDropped };
  struct Operation {
    uint64_t begin_index = kNoIndex;
    uint64_t index = kNoIndex;
    uint64_t completions_before = 0;  // of its channel
    uint32_t channel = 0;
    State state = State::kWaiting;
    bool has_request = false;
  };
  struct Channel {
    uint64_t completed = 0;
    uint64_t numbered = 0;
  };

  void SetNumber(const Operation& operation);
  void Drop(uint64_t place);
  // Numbers operations for which all older ones are known.
  void Advance();

  size_t max_waiting_;
  std::deque<Operation> operations_;  // as posted, from the oldest one waiting
  uint64_t first_place_ = 0;          // place of operations_.front() among all that were queued
  absl::flat_hash_map<uint64_t, uint64_t> places_;  // by request
  absl::flat_hash_map<uint32_t, Channel> channels_;
  absl::flat_hash_map<uint64_t, uint64_t> numbers_;  // by event index
  uint64_t never_completed_ = 0;
};

}  // namespace syncline
