#include "estimate/drift_bounded/collect.h"

#include <map>

#include "base/parallel.h"

namespace syncline::drift_bounded {
namespace {

struct Halves {
  Halves(RateLimits sender, RateLimits receiver) : even(sender, receiver), odd(sender, receiver) {}
  Envelope even;
  Envelope odd;
  bool is_odd = false;
};

std::vector<Constraint> Copy(std::span<const Constraint> kept) {
  return {kept.begin(), kept.end()};
}

}  // namespace

Result<Collection> Collect(const MessagePass& pass, const TrackTable& tracks,
                           std::span<const RateLimits> limits, const DelayMap& delays,
                           const absl::flat_hash_set<uint64_t>& left_out, Origins& origins) {
  Collection collection;
  collection.extents.resize(tracks.size());
  std::map<std::pair<uint32_t, uint32_t>, Halves> halves;  // by tracks
  absl::flat_hash_map<uint64_t, Halves*> known;
  uint64_t last_key = 0;
  Halves* last = nullptr;  // successive messages are often of one direction
  const auto find = [&](uint32_t from, uint32_t to) -> Halves& {
    const uint64_t key = (static_cast<uint64_t>(from) << 32 | to) + 1;
    if (key == last_key) return *last;
    Halves*& found = known[key];
    if (found == nullptr) {
      found = &halves
                   .try_emplace({from, to}, limits[tracks[from].clock.index()],
                                limits[tracks[to].clock.index()])
                   .first->second;
    }
    last_key = key;
    return *(last = found);
  };
  auto done = pass([&](const RecordedMessage& m) {
    if (!left_out.empty() && left_out.contains(m.id)) return;
    auto& from = origins[m.from.index()];
    auto& to = origins[m.to.index()];
    if (!from) from = m.send_ns;
    if (!to) to = m.receive_ns;
    const auto s = Since(*from, m.send_ns);
    const auto r = Since(*to, m.receive_ns);
    if (!s || !r) {
      ++collection.out_of_range;
      return;
    }
    const uint32_t sender = tracks.Of(m.from, m.from_epoch, m.send_ns);
    const uint32_t receiver = tracks.Of(m.to, m.to_epoch, m.receive_ns);
    if (tracks[sender].is_between || tracks[receiver].is_between) return;
    Halves& direction = find(sender, receiver);
    (direction.is_odd ? direction.odd : direction.even).Add({*s, *r, m.id});
    direction.is_odd = !direction.is_odd;
  });
  if (!done) return tl::unexpected(done.error());
  std::vector<Halves*> parts;
  for (auto& [key, half] : halves) {
    const auto delay = delays.find({tracks[key.first].clock, tracks[key.second].clock});
    collection.directions.push_back({.from = key.first,
                                     .to = key.second,
                                     .least_delay_ns = delay == delays.end() ? 0 : delay->second});
    parts.push_back(&half);
  }
  ForEachParallel(parts.size(), [&](size_t i) {
    HalvedDirection& direction = collection.directions[i];
    direction.even = Copy(parts[i]->even.Kept());
    direction.odd = Copy(parts[i]->odd.Kept());
    parts[i]->even.Merge(parts[i]->odd);
    direction.all = Copy(parts[i]->even.Kept());
    *parts[i] = Halves({}, {});
  });
  return collection;
}

}  // namespace syncline::drift_bounded
