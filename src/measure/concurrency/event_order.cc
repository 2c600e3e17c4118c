#include "measure/concurrency/event_order.h"

#include <algorithm>

#include <absl/container/flat_hash_set.h>

namespace syncline {

void EventOrder::Add(ProcessId process, std::span<const EventOrigin> after) {
  Process& p = processes_[process.index()];
  ++p.events;
  ++size_.events;
  if (!is_kept_) return;
  size_.links += after.size();
  ForgetIfTooMany(size_);
  if (is_kept_) p.after.emplace_back(after.begin(), after.end());
}

void EventOrder::ForgetIfTooMany(const Size& size) {
  is_kept_ &=
      size.events == 0 || (size.events + 1 <= max_cuts_ && size.links / kLinksPerCut <= max_cuts_);
  if (is_kept_) return;
  for (Process& each : processes_) each.after = {};
}

void EventOrder::SetSizeOfAll(const Size& all) { ForgetIfTooMany(all); }

void EventOrder::Put(Parcel& parcel) const {
  parcel.Put(size_, is_kept_);
  for (const Process& p : processes_) {
    parcel.Put(p.events);
    for (const std::vector<EventOrigin>& after : p.after) parcel.Put(after);
  }
}

void EventOrder::Adopt(ParcelReader& parcel) {
  const auto size = parcel.Take<Size>();
  const bool are_told = parcel.Take<bool>();
  size_.events += size.events;
  size_.links += size.links;
  is_kept_ &= are_told;
  for (Process& p : processes_) {
    const auto events = parcel.Take<uint64_t>();
    p.events += events;
    for (uint64_t i = 0; are_told && i < events; ++i) {
      p.after.push_back(parcel.TakeAll<EventOrigin>());
    }
  }
  ForgetIfTooMany(size_);
}

bool EventOrder::CanAdd(const Cut& cut, size_t process) const {
  const Process& p = processes_[process];
  if (cut[process] == p.after.size()) return false;
  const std::vector<EventOrigin>& after = p.after[cut[process]];
  return std::ranges::all_of(after,
                             [&](EventOrigin e) { return cut[e.process.index()] >= e.number; });
}

std::optional<uint64_t> EventOrder::CountCuts() const {
  if (!is_kept_) return std::nullopt;
  uint64_t count = 0;
  uint64_t words = 0;
  absl::flat_hash_set<Cut> cuts{Cut(processes_.size())};
  while (!cuts.empty()) {
    count += cuts.size();
    absl::flat_hash_set<Cut> larger;
    for (Cut cut : cuts) {
      for (size_t i = 0; i < cut.size(); ++i) {
        if (!CanAdd(cut, i)) continue;
        ++cut[i];
        larger.insert(cut);
        --cut[i];
        words += cut.size();
      }
      if (count + larger.size() > max_cuts_ || words > kMostWords) return std::nullopt;
    }
    cuts = std::move(larger);
  }
  return count;
}

ConsistentCuts EventOrder::Count() const {
  ConsistentCuts cuts;
  cuts.sequential = size_.events + 1;
  for (const Process& p : processes_) cuts.concurrent *= static_cast<double>(p.events + 1);
  cuts.count = CountCuts();
  const double range = cuts.concurrent - static_cast<double>(cuts.sequential);
  if (cuts.count && range > 0) {
    cuts.measure = static_cast<double>(*cuts.count - cuts.sequential) / range;
  }
  return cuts;
}

}  // namespace syncline
