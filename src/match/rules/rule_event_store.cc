#include "match/rules/rule_event_store.h"

#include <algorithm>
#include <tuple>

#include "base/try.h"

namespace syncline {
namespace {

std::span<std::byte> Bytes(std::span<RuleEvent> events) { return std::as_writable_bytes(events); }

}  // namespace

bool operator<(const RuleEvent& x, const RuleEvent& y) {
  const auto order = [](const RuleEvent& e) {
    return std::tuple(e.key_high, e.key_low, uint64_t{e.rule}, uint64_t{e.side_bit}, e.process,
                      uint64_t{e.index});
  };
  return order(x) < order(y);
}

RuleEventStore::RuleEventStore(size_t memory_bytes)
    : capacity_(std::max(memory_bytes, kMinMemory) / sizeof(RuleEvent)) {}

Result<void> RuleEventStore::Add(const RuleEvent& event) {
  if (used_ == capacity_) {
    SYNCLINE_TRY(Spill());
  }
  partitions_[event.key_high >> 56].events.push_back(event);
  ++used_;
  return {};
}

Result<void> RuleEventStore::Spill() {
  if (!file_) {
    SYNCLINE_ASSIGN(file_, TempFile::Create());
  }
  for (Partition& partition : partitions_) {
    if (partition.events.empty()) continue;
    partition.extents.push_back({file_->size(), partition.events.size()});
    const auto bytes = std::as_bytes(std::span(partition.events));
    SYNCLINE_TRY(file_->Append(bytes));
    partition.events = {};
  }
  used_ = 0;
  return {};
}

Result<std::span<const RuleEvent>> RuleEventStore::NextBatch() {
  left_out_.clear();
  while (next_partition_ < kPartitions) {
    Partition& partition = partitions_[next_partition_++];
    batch_ = std::exchange(partition.events, {});
    batch_room_ = capacity_;
    SYNCLINE_TRY(LoadExtents(partition));
    if (batch_.empty()) continue;
    std::sort(batch_.begin(), batch_.end());
    return std::span<const RuleEvent>(batch_);
  }
  batch_ = {};
  return std::span<const RuleEvent>();
}

Result<void> RuleEventStore::LoadExtents(const Partition& partition) {
  for (const Extent& extent : partition.extents) {
    const size_t before = batch_.size();
    batch_.resize(before + extent.events);
    SYNCLINE_TRY(file_->ReadAt(extent.offset, Bytes(std::span(batch_).subspan(before))));
    if (batch_.size() <= batch_room_) continue;
    LeaveOutRepeats();
    batch_room_ = std::max(capacity_, 2 * batch_.size());
  }
  return {};
}

void RuleEventStore::LeaveOutRepeats() {
  std::sort(batch_.begin(), batch_.end());
  size_t kept = 0;
  for (const RuleEvent& event : batch_) {
    const bool one_more = kept >= kMaxAlike && batch_[kept - kMaxAlike].IsAlike(event);
    if (!one_more) {
      batch_[kept++] = event;
      continue;
    }
    if (left_out_.size() <= event.rule) left_out_.resize(event.rule + size_t{1});
    ++left_out_[event.rule];
  }
  batch_.resize(kept);
}

}  // namespace syncline
