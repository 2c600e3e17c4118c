#include "match/message_store.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/try.h"

namespace syncline {
namespace {

constexpr int kIndexBits = 40;
constexpr uint64_t kIndexMask = (uint64_t{1} << kIndexBits) - 1;

uint64_t PackPlace(const EventRef& event) {
  SYNCLINE_CHECK(event.index <= kIndexMask && event.process.value < (1U << 24));
  return uint64_t{event.process.value} << kIndexBits | event.index;
}

EventRef UnpackPlace(uint64_t place, uint64_t ticks) {
  return {ProcessId(static_cast<uint32_t>(place >> kIndexBits)),
          place & kIndexMask,
          {static_cast<int64_t>(ticks)}};
}

}  // namespace

MessageStore::MessageStore(size_t memory_bytes)
    : capacity_(std::max<size_t>(memory_bytes / sizeof(Record), 1)) {}

MessageStore::Record MessageStore::Pack(const Message& m) {
  return {static_cast<uint64_t>(m.send.time.ticks), static_cast<uint64_t>(m.receive.time.ticks),
          PackPlace(m.send), PackPlace(m.receive)};
}

Message MessageStore::Unpack(const Record& r) {
  return {UnpackPlace(r[2], r[0]), UnpackPlace(r[3], r[1])};
}

void MessageStore::Expect(uint64_t messages) {
  kept_->recent.reserve(std::min<uint64_t>(
      kept_->recent.size() + std::min<uint64_t>(messages, capacity_), capacity_));
}

void MessageStore::OnMessage(const Message& message) {
  std::vector<Record>& recent = kept_->recent;
  if (recent.size() == capacity_) {
    if (auto done = Spill(); !done && !kept_->error) kept_->error = done.error();
  }
  // Left alone, it would grow beyond its budget.
  if (recent.size() == recent.capacity()) {
    recent.reserve(std::min(capacity_, std::max<size_t>(64, 2 * recent.size())));
  }
  recent.push_back(Pack(message));
  ++kept_->count;
}

void MessageStore::OnBroadcast(const Broadcast& broadcast) {
  kept_->broadcasts.push_back(broadcast);
}

Result<void> MessageStore::Spill() {
  const std::span<const Record> records(kept_->recent);
  if (!kept_->spilled) {
    auto file = TempFile::Create();
    if (!file) {
      kept_->recent.clear();
      return tl::unexpected(file.error());
    }
    kept_->spilled = std::move(*file);
  }
  auto done = kept_->spilled->Append(std::as_bytes(records));
  kept_->recent.clear();
  return done;
}

void MessageStore::SetAside(std::span<const Message> messages) {
  for (const Message& message : messages) {
    if (set_aside_records_.insert(Pack(message)).second) set_aside_.push_back(message);
  }
}

void MessageStore::Share(std::shared_ptr<const TeamMessages> team) {
  SYNCLINE_CHECK(kept_->count == 0);
  kept_->team = std::move(team);
}

Result<void> MessageStore::ForEach(const std::function<void(const Message&)>& visit) const {
  constexpr size_t kBlock = kFileBlock / sizeof(Record);
  const auto offer = [&](const Message& message) {
    if (set_aside_records_.empty() || !set_aside_records_.contains(Pack(message))) visit(message);
  };
  if (kept_->team) return kept_->team->ForEach(offer);
  if (kept_->error) return tl::unexpected(*kept_->error);
  for (uint64_t first = 0; first < on_disk(); first += kBlock) {
    SYNCLINE_ASSIGN(const auto some, Some(first, std::min<uint64_t>(kBlock, on_disk() - first)));
    for (const Message& message : some) offer(message);
  }
  for (const Record& record : kept_->recent) offer(Unpack(record));
  return {};
}

Result<std::vector<Message>> MessageStore::Some(uint64_t first, size_t most) const {
  if (kept_->error) return tl::unexpected(*kept_->error);
  std::vector<Record> records(std::min<uint64_t>(most, kept_->count - first));
  const size_t from_disk =
      std::min<uint64_t>(records.size(), first < on_disk() ? on_disk() - first : 0);
  if (from_disk > 0) {
    SYNCLINE_TRY(kept_->spilled->ReadAt(
        first * sizeof(Record), std::as_writable_bytes(std::span(records).first(from_disk))));
  }
  if (from_disk < records.size()) {
    const auto next = kept_->recent.begin() + static_cast<ptrdiff_t>(first + from_disk - on_disk());
    std::copy_n(next, records.size() - from_disk,
                records.begin() + static_cast<ptrdiff_t>(from_disk));
  }
  std::vector<Message> messages;
  messages.reserve(records.size());
  for (const Record& record : records) messages.push_back(Unpack(record));
  return messages;
}

}  // namespace syncline
