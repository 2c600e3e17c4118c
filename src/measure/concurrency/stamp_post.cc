#include "measure/concurrency/stamp_post.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kMuch = size_t{1} << 16;

}  // namespace

StampPost::StampPost(std::span<const uint32_t> shares,
                     std::span<const std::vector<ProcessId>> groups, ReplayTeam& team)
    : team_(team),
      processes_(shares.size()),
      to_(team.shares(), Way{StampChanges(shares.size()), {}, {}}),
      from_(to_) {
  for (const std::vector<ProcessId>& group : groups) {
    std::vector<uint32_t>& others = others_.emplace_back();
    for (const ProcessId member : group) others.push_back(shares[member.index()]);
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    std::erase(others, static_cast<uint32_t>(team.own()));
  }
}

uint64_t StampPost::SourceOf(const BeginsElsewhere& begins) const {
  return processes_ + begins.group;
}

void StampPost::Tell(uint32_t share, const SendElsewhere& send, const PastStamp& stamp) {
  Way& way = to_[share];
  const uint64_t source = send.origin.process.value;
  int64_t& last = way.last_numbers[source];
  const auto number = static_cast<int64_t>(send.message);
  PutVarint(static_cast<uint64_t>(Kind::kSend), way.bytes);
  PutVarint(source, way.bytes);
  PutVarintStep(std::exchange(last, number), number, way.bytes);
  way.stamps.Put(source, stamp, way.bytes);
  PostIfMuch(share);
}

void StampPost::Tell(const BeginsElsewhere& begins) {
  const uint64_t source = SourceOf(begins);
  const auto instance = static_cast<int64_t>(begins.instance);
  for (const uint32_t share : others_[begins.group]) {
    Way& way = to_[share];
    PutVarint(static_cast<uint64_t>(Kind::kBegins), way.bytes);
    PutVarint(begins.group, way.bytes);
    PutVarint(static_cast<uint64_t>(begins.flow), way.bytes);
    PutVarintStep(std::exchange(way.last_numbers[source], instance), instance, way.bytes);
    PutVarint(begins.use, way.bytes);
    PutVarint(begins.count, way.bytes);
    PutVarint(begins.members.size(), way.bytes);
    for (const BeginsElsewhere::Member& member : begins.members) {
      PutVarint(member.origin.process.value, way.bytes);
      PutVarint(static_cast<uint64_t>(member.origin.number), way.bytes);
      PutVarint((member.is_root ? 1 : 0) + (member.takes_part ? 2 : 0), way.bytes);
    }
    PutVarint(begins.stamp ? 1 : 0, way.bytes);
    if (begins.stamp) way.stamps.Put(source, *begins.stamp, way.bytes);
    PostIfMuch(share);
  }
}

void StampPost::PostIfMuch(size_t share) {
  if (to_[share].bytes.size() < kMuch) return;
  team_.Post(share, std::exchange(to_[share].bytes, {}));
}

void StampPost::Flush() {
  for (size_t share = 0; share < to_.size(); ++share) {
    if (!to_[share].bytes.empty()) team_.Post(share, std::exchange(to_[share].bytes, {}));
  }
}

bool StampPost::Learn(ConcurrencyMeter& meter, bool is_done) {
  const std::vector<ReplayTeam::Arrival> arrivals = team_.Receive(is_done);
  for (const ReplayTeam::Arrival& arrival : arrivals) {
    Way& way = from_[arrival.from];
    for (VarintReader reader(arrival.bytes); !reader.is_at_end();) {
      if (static_cast<Kind>(reader.Take()) == Kind::kSend) {
        LearnSend(way, reader, meter);
      } else {
        LearnBegins(way, reader, meter);
      }
    }
  }
  return !arrivals.empty();
}

void StampPost::LearnSend(Way& way, VarintReader& reader, ConcurrencyMeter& meter) {
  const uint64_t source = reader.Take();
  int64_t& number = way.last_numbers[source];
  number = reader.TakeStep(number);
  PastStamp stamp = way.stamps.Take(source, reader);
  // A past knows how many events its own process has had.
  const EventOrigin origin{ProcessId(static_cast<uint32_t>(source)), stamp.past.At(source).events};
  meter.Adopt(SendElsewhere{static_cast<uint64_t>(number), origin}, std::move(stamp));
}

void StampPost::LearnBegins(Way& way, VarintReader& reader, ConcurrencyMeter& meter) {
  BeginsElsewhere begins;
  begins.group = static_cast<uint32_t>(reader.Take());
  begins.flow = static_cast<CollectiveFlow>(reader.Take());
  const uint64_t source = SourceOf(begins);
  int64_t& instance = way.last_numbers[source];
  instance = reader.TakeStep(instance);
  begins.instance = static_cast<uint64_t>(instance);
  begins.use = reader.Take();
  begins.count = reader.Take();
  for (uint64_t members = reader.Take(); members > 0; --members) {
    BeginsElsewhere::Member member;
    member.origin.process = ProcessId(static_cast<uint32_t>(reader.Take()));
    member.origin.number = static_cast<int64_t>(reader.Take());
    const uint64_t flags = reader.Take();
    member.is_root = (flags & 1) != 0;
    member.takes_part = (flags & 2) != 0;
    begins.members.push_back(member);
  }
  if (reader.Take() != 0) begins.stamp = way.stamps.Take(source, reader);
  meter.Adopt(begins);
}

}  // namespace syncline
