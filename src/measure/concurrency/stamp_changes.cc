#include "measure/concurrency/stamp_changes.h"

namespace syncline {

void StampChanges::Put(uint64_t source, const PastStamp& stamp, std::vector<std::byte>& bytes) {
  PastStamp& last = LastOf(source);
  PutVarintStep(last.height_ns, stamp.height_ns, bytes);
  PutVarintStep(last.event_height, stamp.event_height, bytes);
  size_t next = 0;
  const auto put = [&](size_t place, const PastEntry& before, const PastEntry& now) {
    PutVarint(place - next + 1, bytes);
    next = place + 1;
    PutVarintStep(before.computed_ns, now.computed_ns, bytes);
    PutVarintStep(before.delayed_ns, now.delayed_ns, bytes);
    PutVarintStep(before.events, now.events, bytes);
    PutVarintStep(before.height, now.height, bytes);
  };
  stamp.past.ForEachChange(last.past, put);
  PutVarint(0, bytes);
  last = stamp;
}

PastStamp StampChanges::Take(uint64_t source, VarintReader& reader) {
  PastStamp& last = LastOf(source);
  last.height_ns = reader.TakeStep(last.height_ns);
  last.event_height = reader.TakeStep(last.event_height);
  std::vector<PlacedEntry> changed;
  size_t next = 0;
  while (const uint64_t gap = reader.Take()) {
    const size_t place = next + gap - 1;
    next = place + 1;
    PastEntry entry = last.past.At(place);
    entry.computed_ns = reader.TakeStep(entry.computed_ns);
    entry.delayed_ns = reader.TakeStep(entry.delayed_ns);
    entry.events = reader.TakeStep(entry.events);
    entry.height = reader.TakeStep(entry.height);
    changed.push_back({place, entry});
  }
  last.past.SetEach(changed);
  return last;
}

}  // namespace syncline
