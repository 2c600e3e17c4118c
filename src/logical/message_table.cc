#include "logical/message_table.h"

#include <random>

#include "base/int128.h"

namespace syncline {
namespace {

// The halves of a 128-bit product folded together: every bit of the result depends on all bits.
uint64_t Mix(uint64_t a, uint64_t b) {
  const UInt128 product = static_cast<UInt128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr size_t kFirstSlots = 64;

}  // namespace

MessageTable::MessageTable()
    : seed_((static_cast<uint64_t>(std::random_device{}()) << 32 | std::random_device{}()) | 1),
      slots_(kFirstSlots),
      mask_(kFirstSlots - 1) {}

uint32_t MessageTable::Hash(const MessageName& name) const {
  const uint64_t ends = static_cast<uint64_t>(name.sender) << 32 | name.receiver;
  const uint64_t mixed = Mix(name.message ^ seed_, 0x9e3779b97f4a7c15u);
  return static_cast<uint32_t>(Mix(mixed ^ ends, seed_ ^ 0xd6e8feb86659fd93u));
}

uint32_t MessageTable::Create(const MessageName& name) {
  uint32_t record = 0;
  if (free_.empty()) {
    record = static_cast<uint32_t>(records_.size());
    records_.emplace_back();
  } else {
    record = free_.back();
    free_.pop_back();
    records_[record] = MessageRecord{};
  }
  records_[record].name = name;
  records_[record].hash = Hash(name);
  return record;
}

void MessageTable::Free(uint32_t record) {
  records_[record].state = MessageRecord::State::kFree;
  free_.push_back(record);
}

uint32_t MessageTable::Find(const MessageName& name) const {
  const uint32_t hash = Hash(name);
  for (size_t i = hash & mask_; slots_[i].record != kNoRecord; i = (i + 1) & mask_) {
    if (slots_[i].hash == hash && records_[slots_[i].record].name == name) {
      return slots_[i].record;
    }
  }
  return kNoRecord;
}

void MessageTable::Place(Slot slot) {
  size_t i = slot.hash & mask_;
  while (slots_[i].record != kNoRecord) i = (i + 1) & mask_;
  slots_[i] = slot;
}

void MessageTable::AddName(uint32_t record) {
  if (2 * (named_ + 1) > slots_.size()) Grow();
  Place({record, records_[record].hash});
  ++named_;
}

void MessageTable::Grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(2 * old.size(), Slot{});
  mask_ = slots_.size() - 1;
  for (const Slot slot : old) {
    if (slot.record != kNoRecord) Place(slot);
  }
}

size_t MessageTable::SlotOf(uint32_t record) const {
  size_t i = records_[record].hash & mask_;
  while (slots_[i].record != record && slots_[i].record != kNoRecord) i = (i + 1) & mask_;
  return i;
}

void MessageTable::RemoveName(uint32_t record) {
  size_t hole = SlotOf(record);
  if (slots_[hole].record == kNoRecord) return;
  --named_;
  // What follows moves up where its own place is not behind the hole.
  for (size_t i = (hole + 1) & mask_; slots_[i].record != kNoRecord; i = (i + 1) & mask_) {
    const size_t home = slots_[i].hash & mask_;
    if (((i - home) & mask_) >= ((i - hole) & mask_)) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  }
  slots_[hole] = {};
}

void MessageTable::Append(RecordList& list, uint32_t record) {
  MessageRecord& r = records_[record];
  r.previous = list.last;
  r.next = kNoRecord;
  (list.last == kNoRecord ? list.first : records_[list.last].next) = record;
  list.last = record;
}

void MessageTable::Remove(RecordList& list, uint32_t record) {
  const MessageRecord& r = records_[record];
  (r.previous == kNoRecord ? list.first : records_[r.previous].next) = r.next;
  (r.next == kNoRecord ? list.last : records_[r.next].previous) = r.previous;
}

}  // namespace syncline
