#include "trace/text_parcel.h"

#include <bit>

namespace syncline {
namespace {

constexpr unsigned kKindBits = 4;
static_assert(static_cast<uint64_t>(EventKind::kCollectiveEnd) < uint64_t{1} << kKindBits);

}  // namespace

void BatchPacker::Put(const TextBatch& batch, Parcel& parcel) {
  steps_.clear();
  for (const TextBatch::NumberedEvent& numbered : batch.events) PutEvent(numbered);
  parcel.Put(batch.declared, batch.names, batch.events.size(), steps_);
}

void BatchPacker::PutEvent(const TextBatch::NumberedEvent& numbered) {
  const auto& [event, index] = numbered;
  const uint64_t head = uint64_t{event.process.value} << 1 | (event.is_root ? 1 : 0);
  PutVarint(head << kKindBits | static_cast<uint64_t>(event.kind), steps_);
  Last& last = LastOf(event.process);
  PutVarint(index - last.index, steps_);
  PutVarintStep(last.time.ticks, event.time.ticks, steps_);
  last = {index, event.time};
  // The top bit is set where it stands for a word.
  for (const uint64_t field : {std::rotl(event.message, 1), uint64_t{event.peer.value}, event.bytes,
                               uint64_t{event.name}, uint64_t{event.group}}) {
    PutVarint(field, steps_);
  }
}

TextBatch BatchUnpacker::Take(ParcelReader& parcel) {
  TextBatch batch;
  parcel.Take(batch.declared, batch.names);
  const auto events = parcel.Take<uint64_t>();
  const auto bytes = parcel.TakeAll<std::byte>();
  SYNCLINE_CHECK(events <= bytes.size());
  batch.events.resize(events);
  VarintReader steps(bytes);
  for (TextBatch::NumberedEvent& numbered : batch.events) numbered = TakeEvent(steps);
  return batch;
}

TextBatch::NumberedEvent BatchUnpacker::TakeEvent(VarintReader& steps) {
  const uint64_t head = steps.Take();
  TextBatch::NumberedEvent numbered;
  Event& event = numbered.event;
  event.kind = static_cast<EventKind>(head & ((1u << kKindBits) - 1));
  event.is_root = (head >> kKindBits & 1) != 0;
  event.process = ProcessId(static_cast<uint32_t>(head >> (kKindBits + 1)));
  Last& last = LastOf(event.process);
  numbered.index = last.index + steps.Take();
  event.time = {steps.TakeStep(last.time.ticks)};
  last = {numbered.index, event.time};
  event.message = std::rotr(steps.Take(), 1);
  event.peer = ProcessId(static_cast<uint32_t>(steps.Take()));
  event.bytes = steps.Take();
  event.name = static_cast<uint32_t>(steps.Take());
  event.group = static_cast<uint32_t>(steps.Take());
  return numbered;
}

}  // namespace syncline
