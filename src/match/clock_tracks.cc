#include "match/clock_tracks.h"

#include <algorithm>

#include "base/int128.h"
#include "match/key_hash.h"

namespace syncline {
namespace {

uint64_t HashOf(const std::pair<int64_t, int64_t>& sample) {
  KeyHash hash;
  hash.Add(static_cast<uint64_t>(sample.first), static_cast<uint64_t>(sample.second));
  return hash.First();
}

uint64_t KeyOf(ClockId low, ClockId high) { return uint64_t{low.value} << 32 | high.value; }

}  // namespace

void ClockTracks::Add(ClockId a, int64_t time_a, ClockId b, int64_t time_b) {
  if (b < a) {
    std::swap(a, b);
    std::swap(time_a, time_b);
  }
  Track& track = tracks_[KeyOf(a, b)];
  const Sample sample{time_a, time_b};
  if ((HashOf(sample) & track.mask) != 0) return;
  track.by_low.push_back(sample);
  track.is_sorted = false;
  while (track.by_low.size() > kMaxSamples) {
    track.mask = track.mask << 1 | 1;
    std::erase_if(track.by_low, [&](const Sample& s) { return (HashOf(s) & track.mask) != 0; });
  }
}

void ClockTracks::Sort(Track& track) {
  std::ranges::sort(track.by_low);
  track.by_high.clear();
  for (const Sample& s : track.by_low) track.by_high.emplace_back(s.second, s.first);
  std::ranges::sort(track.by_high);
  track.is_sorted = true;
}

std::optional<int64_t> ClockTracks::Convert(ClockId from, int64_t time, ClockId to) {
  if (from == to) return time;
  const auto found = tracks_.find(KeyOf(std::min(from, to), std::max(from, to)));
  if (found == tracks_.end()) return std::nullopt;
  if (!found->second.is_sorted) Sort(found->second);
  const std::vector<Sample>& samples = from < to ? found->second.by_low : found->second.by_high;
  if (samples.empty()) return std::nullopt;
  const auto distance = [&](const Sample& s) {
    const Int128 d = static_cast<Int128>(s.first) - time;
    return d < 0 ? -d : d;
  };
  auto nearest = std::ranges::lower_bound(samples, Sample{time, INT64_MIN});
  const bool is_before =
      nearest != samples.begin() &&
      (nearest == samples.end() || distance(*std::prev(nearest)) <= distance(*nearest));
  if (is_before) --nearest;
  if (distance(*nearest) > kMaxDistanceNs) return std::nullopt;
  return Saturate(static_cast<Int128>(nearest->second) + time - nearest->first);
}

}  // namespace syncline
