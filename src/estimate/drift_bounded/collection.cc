#include "estimate/drift_bounded/collection.h"

#include "base/parallel.h"
#include "match/team_messages.h"

namespace syncline::drift_bounded {
void MessageCollector::Add(const RecordedMessage& m) {
  if (!clocks_.is_inside[m.from.index()]) return;
  if (!explanation_.left_out.empty() && explanation_.left_out.contains(m.id)) return;
  auto& from = clocks_.origins[m.from.index()];
  auto& to = clocks_.origins[m.to.index()];
  if (!from) from = m.send_ns;
  if (!to) to = m.receive_ns;
  const TrackTable& tracks = explanation_.tracks;
  const auto placed = clocks_.Place(m, tracks);
  if (!placed) {
    out_of_range_.push_back(m.id);
    return;
  }
  if (tracks[placed->from].is_between || tracks[placed->to].is_between) return;
  HalvesOf(placed->from, placed->to).Add(placed->s, placed->r, m.id);
}

void MessageCollector::Halves::Settle() {
  even.Add(added, is_odd, 2);
  odd.Add(added, !is_odd, 2);
  is_odd ^= added.size() % 2 == 1;
  added.clear();
}

MessageCollector::Halves& MessageCollector::HalvesOf(uint32_t from, uint32_t to) {
  const uint64_t key = (static_cast<uint64_t>(from) << 32 | to) + 1;
  if (key == last_key_) return *last_;
  Halves*& found = known_[key];
  if (found == nullptr) {
    const auto& [tracks, limits, left_out] = explanation_;
    found = &halves_
                 .try_emplace({from, to}, limits[tracks[from].clock.index()],
                              limits[tracks[to].clock.index()])
                 .first->second;
  }
  last_key_ = key;
  return *(last_ = found);
}

Collection MessageCollector::Finish(const DelayMap& delays) {
  Collection collection;
  collection.out_of_range = std::move(out_of_range_);
  std::vector<Halves*> parts;
  for (auto& [key, half] : halves_) {
    const auto& [from, to] = key;
    const auto delay =
        delays.find({explanation_.tracks[from].clock, explanation_.tracks[to].clock});
    const int64_t least_delay_ns = delay == delays.end() ? 0 : delay->second;
    collection.directions.push_back({from, to, least_delay_ns, {}, {}, {}});
    parts.push_back(&half);
  }
  ForEachParallel(parts.size(), [&](size_t i) {
    HalvedDirection& direction = collection.directions[i];
    parts[i]->Settle();
    direction.even = parts[i]->even.Take();
    direction.odd = parts[i]->odd.Take();
    Envelope all(explanation_.limits[explanation_.tracks[direction.from].clock.index()],
                 explanation_.limits[explanation_.tracks[direction.to].clock.index()]);
    all.Reserve(direction.even.size() + direction.odd.size());
    all.AddBoth(direction.even, direction.odd);
    direction.all = all.Take();
  });
  return collection;
}

void MessageCollector::PutTask(Parcel& task) const {
  task.Put(TeamTask::kCollect);
  PutTracks(explanation_.tracks, task);
  const auto& left_out = explanation_.left_out;
  const auto& is_inside = clocks_.is_inside;
  task.PutEach(explanation_.limits, std::vector<uint64_t>(left_out.begin(), left_out.end()),
               std::vector<uint8_t>(is_inside.begin(), is_inside.end()), clocks_.origins);
}

void MessageCollector::PutOutcome(Parcel& outcome) {
  outcome.PutAll(out_of_range_);
  for (auto& [tracks, halves] : halves_) {
    halves.Settle();
    outcome.PutEach(tracks.first, tracks.second, halves.is_odd);
    outcome.PutEach(halves.even.Kept(), halves.odd.Kept());
  }
}

void MessageCollector::TakeOutcome(ParcelReader& outcome) {
  const auto beyond = outcome.TakeAll<uint64_t>();
  out_of_range_.insert(out_of_range_.end(), beyond.begin(), beyond.end());
  while (!outcome.is_at_end()) {
    const auto from = outcome.Take<uint32_t>();
    const auto to = outcome.Take<uint32_t>();
    Halves& halves = HalvesOf(from, to);
    halves.is_odd = outcome.Take<bool>();
    halves.even.Add(outcome.TakeAll<Constraint>());
    halves.odd.Add(outcome.TakeAll<Constraint>());
  }
}

CollectorTask::CollectorTask(ParcelReader& task)
    : explanation{TakeTracks(task), task.TakeAll<RateLimits>(), {}} {
  const auto left_out = task.TakeAll<uint64_t>();
  explanation.left_out.insert(left_out.begin(), left_out.end());
  const auto is_inside = task.TakeAll<uint8_t>();
  clocks.is_inside.assign(is_inside.begin(), is_inside.end());
  clocks.origins = task.TakeAll<std::optional<int64_t>>();
}

void PutTracks(const TrackTable& tracks, Parcel& parcel) {
  parcel.Put(uint64_t{tracks.clocks()});
  parcel.PutAll(tracks.entries());
}

TrackTable TakeTracks(ParcelReader& parcel) {
  const auto clocks = parcel.Take<uint64_t>();
  return {parcel.TakeAll<TrackTable::Entry>(), clocks};
}

}  // namespace syncline::drift_bounded
