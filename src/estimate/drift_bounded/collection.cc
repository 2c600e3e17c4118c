#include "estimate/drift_bounded/collection.h"

#include <algorithm>

#include "base/parallel.h"
#include "match/team_messages.h"

namespace syncline::drift_bounded {
namespace {

int64_t Taken(const Constraint& m) { return m.r - m.s; }

// The median of what messages near this one take.
int64_t Usual(const KeptDirection& d, size_t place) {
  constexpr size_t kNeighbours = 8;  // each way
  std::vector<int64_t> near;
  const size_t from = place > kNeighbours ? place - kNeighbours : 0;
  for (size_t i = from; i < std::min(d.all.size(), place + kNeighbours + 1); ++i) {
    if (i != place) near.push_back(Taken(d.all[i]));
  }
  if (near.empty()) return Taken(d.all[place]);
  std::nth_element(near.begin(), near.begin() + static_cast<ptrdiff_t>(near.size() / 2),
                   near.end());
  return near[near.size() / 2];
}

}  // namespace

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
  KeptOf(placed->from, placed->to).Add(placed->s, placed->r, m.id);
}

void MessageCollector::Kept::Settle() {
  envelope.Add(added);
  added.clear();
}

MessageCollector::Kept& MessageCollector::KeptOf(uint32_t from, uint32_t to) {
  const uint64_t key = (static_cast<uint64_t>(from) << 32 | to) + 1;
  if (key == last_key_) return *last_;
  Kept*& found = known_[key];
  if (found == nullptr) {
    const auto& [tracks, limits, left_out] = explanation_;
    found = &kept_
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
  std::vector<Kept*> parts;
  for (auto& [key, kept] : kept_) {
    const auto& [from, to] = key;
    const auto delay =
        delays.find({explanation_.tracks[from].clock, explanation_.tracks[to].clock});
    const int64_t least_delay_ns = delay == delays.end() ? 0 : delay->second;
    collection.directions.push_back({from, to, least_delay_ns, {}});
    parts.push_back(&kept);
  }
  ForEachParallel(parts.size(), [&](size_t i) {
    parts[i]->Settle();
    collection.directions[i].all = parts[i]->envelope.Take();
  });
  return collection;
}

void MessageCollector::PutTask(Parcel& task) const {
  task.Put(TeamTask::kCollect, explanation_.tracks, explanation_.limits, explanation_.left_out,
           clocks_.is_inside, clocks_.origins);
}

void MessageCollector::PutOutcome(Parcel& outcome) {
  outcome.Put(out_of_range_);
  for (auto& [tracks, kept] : kept_) {
    kept.Settle();
    outcome.Put(tracks, kept.envelope.Kept());
  }
}

void MessageCollector::TakeOutcome(ParcelReader& outcome) {
  const auto beyond = outcome.TakeAll<uint64_t>();
  out_of_range_.insert(out_of_range_.end(), beyond.begin(), beyond.end());
  while (!outcome.is_at_end()) {
    const auto [from, to] = outcome.Take<std::pair<uint32_t, uint32_t>>();
    KeptOf(from, to).envelope.Add(outcome.TakeAll<Constraint>());
  }
}

CollectorTask::CollectorTask(ParcelReader& task)
    : explanation{task.Take<TrackTable>(), task.TakeAll<RateLimits>(),
                  task.Take<absl::flat_hash_set<uint64_t>>()} {
  task.Take(clocks.is_inside, clocks.origins);
}

uint64_t MostUnlikely(const Collection& messages, std::span<const Constraint> cycle) {
  uint64_t worst = cycle.front().message;
  int64_t least = INT64_MAX;
  for (const Constraint& m : cycle) {
    for (const KeptDirection& d : messages.directions) {
      const auto at = std::ranges::lower_bound(d.all, m.s, {}, &Constraint::s);
      if (at == d.all.end() || at->message != m.message) continue;
      const int64_t beyond = Taken(m) - Usual(d, static_cast<size_t>(at - d.all.begin()));
      if (beyond < least) {
        least = beyond;
        worst = m.message;
      }
    }
  }
  return worst;
}

}  // namespace syncline::drift_bounded
