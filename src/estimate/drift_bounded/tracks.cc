#include "estimate/drift_bounded/tracks.h"

#include <tuple>
#include <utility>

namespace syncline::drift_bounded {
namespace {

auto KeyOf(const TrackTable::Entry& e) { return std::tuple(e.clock, e.epoch, e.from_ns); }

bool IsBefore(const TrackTable::Entry& a, const TrackTable::Entry& b) {
  return KeyOf(a) < KeyOf(b);
}

}  // namespace

TrackTable::TrackTable(std::span<const uint32_t> epochs) {
  for (uint32_t c = 0; c < epochs.size(); ++c) {
    for (uint32_t e = 0; e < std::max(epochs[c], uint32_t{1}); ++e) {
      entries_.push_back({ClockId(c), e, INT64_MIN});
    }
  }
  Index(epochs.size());
}

TrackTable::TrackTable(std::vector<Entry> entries, size_t clocks) : entries_(std::move(entries)) {
  Index(clocks);
}

void TrackTable::Index(size_t clocks) {
  first_.assign(clocks + 1, 0);
  for (const Entry& e : entries_) ++first_[e.clock.index() + 1];
  for (size_t c = 0; c < clocks; ++c) first_[c + 1] += first_[c];
}

void TrackTable::Cut(ClockId clock, uint32_t epoch, int64_t reading_ns, bool is_between) {
  const Entry cut{clock, epoch, reading_ns, is_between};
  const auto at = std::ranges::lower_bound(entries_, cut, IsBefore);
  if (at != entries_.end() && KeyOf(*at) == KeyOf(cut)) return;
  entries_.insert(at, cut);
  Index(first_.size() - 1);
}

TrackTable TrackTable::WithoutSteps() const {
  std::vector<Entry> kept = entries_;
  std::erase_if(kept, [](const Entry& e) { return e.from_ns != INT64_MIN; });
  return {std::move(kept), clocks()};
}

uint32_t TrackTable::Find(ClockId clock, uint32_t epoch, int64_t reading_ns) const {
  const auto begin = entries_.begin() + first_[clock.index()];
  const auto end = entries_.begin() + first_[clock.index() + 1];
  const auto behind = std::upper_bound(begin, end, Entry{clock, epoch, reading_ns}, IsBefore);
  const auto found = behind == begin ? begin : behind - 1;
  return static_cast<uint32_t>(found - entries_.begin());
}

}  // namespace syncline::drift_bounded
