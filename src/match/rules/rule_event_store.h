// Events on their way to being paired, divided by their keys so that equal keys come out together.
//
// Events fill one vector per partition of the keys; when memory_bytes are in use, all go to
// temporary disk space. NextBatch() delivers partition by partition, in the order of RuleEvent.
// Of a key that repeats without end, at most kMaxAlike events of a side stay in a batch that does
// not fit into memory; the others are counted. Errors: temporary storage. Cost: each event is
// written and read at most once. Tested by: rule_event_store_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/file.h"
#include "match/rules/rule.h"

namespace syncline {

struct RuleEvent {
  uint64_t key_high = 0;  // the rule is part of what is hashed
  uint64_t key_low = 0;
  uint64_t rule : 15 = 0;
  uint64_t side_bit : 1 = 0;
  uint64_t index : 48 = 0;
  int64_t time = 0;
  uint32_t process = 0;
  uint32_t clock = 0;

  RuleSideKind side() const { return static_cast<RuleSideKind>(side_bit); }
  EventRef ref() const { return {ProcessId(process), index, LocalTime{time}}; }
  bool HasKeyOf(const RuleEvent& other) const {
    return key_high == other.key_high && key_low == other.key_low && rule == other.rule;
  }
  bool IsAlike(const RuleEvent& other) const {
    return HasKeyOf(other) && side_bit == other.side_bit;
  }
  // By key, sends before receives, then by process and place in it.
  friend bool operator<(const RuleEvent& x, const RuleEvent& y);
};
static_assert(sizeof(RuleEvent) == 40);

class RuleEventStore {
 public:
  static constexpr size_t kMinMemory = size_t{1} << 16;
  static constexpr size_t kMaxAlike = 1024;

  // At least kMinMemory bytes are used where needed.
  explicit RuleEventStore(size_t memory_bytes);

  Result<void> Add(const RuleEvent& event);

  // The events of the next keys, all of each, sorted; empty after the last. Valid until the next
  // call. Add() must not be called any more.
  Result<std::span<const RuleEvent>> NextBatch();
  // Of the batch delivered last: per rule, the events that were left out.
  std::span<const uint64_t> left_out() const { return left_out_; }
  uint64_t bytes_on_disk() const { return file_ ? file_->size() : 0; }

 private:
  static constexpr size_t kPartitions = 256;
  struct Extent {
    uint64_t offset = 0;
    uint64_t events = 0;
  };
  struct Partition {
    std::vector<RuleEvent> events;
    std::vector<Extent> extents;
  };

  Result<void> Spill();
  Result<void> LoadExtents(const Partition& partition);
  void LeaveOutRepeats();

  size_t capacity_ = 0;  // events in memory
  size_t used_ = 0;
  std::array<Partition, kPartitions> partitions_;
  std::optional<TempFile> file_;
  size_t next_partition_ = 0;
  size_t batch_room_ = 0;
  std::vector<RuleEvent> batch_;
  std::vector<uint64_t> left_out_;
};

}  // namespace syncline
