#include "estimate/drift_bounded/pair_messages.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/try.h"
#include "estimate/drift_bounded/message_works.h"

namespace syncline::drift_bounded {

Result<std::vector<PairOfTracks>> MessagesOf(const Component& component, const TrackTable& tracks,
                                             const std::vector<ClockPair>& pairs) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<PairMessage>> by_tracks;
  ChosenMessages of_pairs({.pairs = pairs}, [&](const RecordedMessage& m) {
    const auto placed = component.Place(m, tracks);
    if (!placed || tracks[placed->from].is_between || tracks[placed->to].is_between) return;
    const auto& [from, to, s, r] = *placed;
    // Of a delay, rates within S take at most this.
    const int64_t taken = std::abs(component.LeastDelayNs(m.from, m.to)) / 500;
    const int64_t least = component.LeastBetweenReadingsNs(m.from, m.to) - taken;
    if (m.from < m.to) {
      by_tracks[{from, to}].push_back({s, r, true, r - s - least, m.id});
    } else {
      by_tracks[{to, from}].push_back({r, s, false, s - r + least, m.id});
    }
  });
  SYNCLINE_TRY(component.Run(of_pairs));
  std::vector<PairOfTracks> all;
  for (auto& [of, messages] : by_tracks) {
    std::ranges::stable_sort(messages, {}, &PairMessage::at_a);
    all.push_back({of.first, of.second, std::move(messages)});
  }
  return all;
}

}  // namespace syncline::drift_bounded
