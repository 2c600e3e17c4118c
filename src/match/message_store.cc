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

MessageStore::Record MessageStore::Pack(const Message& m) {
  return {static_cast<uint64_t>(m.send.time.ticks), static_cast<uint64_t>(m.receive.time.ticks),
          PackPlace(m.send), PackPlace(m.receive)};
}

Message MessageStore::Unpack(const Record& r) {
  return {UnpackPlace(r[2], r[0]), UnpackPlace(r[3], r[1])};
}

void MessageStore::OnMessage(const Message& message) {
  if (kept_->error) return;  // of a full disk, which is not asked for each message
  if (auto done = kept_->records.Add(Pack(message)); !done) kept_->error = done.error();
}

void MessageStore::OnBroadcast(const Broadcast& broadcast) {
  kept_->broadcasts.push_back(broadcast);
}

void MessageStore::SetAside(std::span<const Message> messages) {
  for (const Message& message : messages) {
    if (set_aside_records_.insert(Pack(message)).second) set_aside_.push_back(message);
  }
}

void MessageStore::Share(std::shared_ptr<const TeamMessages> team) {
  SYNCLINE_CHECK(kept_->records.size() == 0);
  kept_->team = std::move(team);
}

Result<void> MessageStore::ForEach(const std::function<void(const Message&)>& visit) const {
  const auto offer = [&](const Message& message) {
    if (set_aside_records_.empty() || !set_aside_records_.contains(Pack(message))) visit(message);
  };
  if (kept_->team) return kept_->team->ForEach(offer);
  if (kept_->error) return tl::unexpected(*kept_->error);
  return kept_->records.ForEach([&](uint64_t /*first*/, std::span<const Record> records) {
    for (const Record& record : records) offer(Unpack(record));
  });
}

Result<std::vector<Message>> MessageStore::Some(uint64_t first, uint64_t most) const {
  if (kept_->error) return tl::unexpected(*kept_->error);
  BlockReader<Record> reader(kept_->records);
  const uint64_t end = first + std::min(most, kept_->records.size() - first);
  std::vector<Message> messages;
  messages.reserve(end - first);
  for (uint64_t i = first; i < end; ++i) {
    SYNCLINE_ASSIGN(const Record* record, reader.At(i));
    messages.push_back(Unpack(*record));
  }
  return messages;
}

}  // namespace syncline
