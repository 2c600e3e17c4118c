#include "estimate/drift_bounded/agreement.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace syncline::drift_bounded {
namespace {

// By how much a suspect misses what right messages of its pair, the last ones each way, leave.
struct Miss {
  int64_t by = 0;  // of right messages 0
  int64_t width = 0;
};

// A message as one of its clocks sees it.
struct Seen {
  int64_t at = 0;
  PairMessage* message = nullptr;
  size_t pair = 0;
  Miss miss;
};

std::vector<Miss> MissesOf(const PairOfTracks& pair) {
  const std::set<uint64_t> suspects(pair.history.suspects.begin(), pair.history.suspects.end());
  std::vector<Miss> misses(pair.messages.size());
  OffsetInterval last;
  for (size_t i = 0; i < pair.messages.size(); ++i) {
    const PairMessage& m = pair.messages[i];
    if (!suspects.contains(m.message)) {
      (m.is_upper ? last.high : last.low) = m.theta;
    } else if (!last.IsOpen()) {
      misses[i] = {last.Missing(m), last.Width()};
    }
  }
  return misses;
}

}  // namespace

std::vector<size_t> MarkAgreement(std::span<PairOfTracks> pairs) {
  const auto has_suspects = [](const PairOfTracks& p) { return !p.history.suspects.empty(); };
  if (std::ranges::count_if(pairs, has_suspects) < 2) return {};
  std::map<std::pair<uint32_t, bool>, std::vector<Seen>> by_end;  // track, whether it sends
  for (size_t p = 0; p < pairs.size(); ++p) {
    const std::vector<Miss> misses = MissesOf(pairs[p]);
    for (size_t i = 0; i < misses.size(); ++i) {
      PairMessage& m = pairs[p].messages[i];
      by_end[{pairs[p].a, m.is_upper}].push_back({m.at_a, &m, p, misses[i]});
      by_end[{pairs[p].b, !m.is_upper}].push_back({m.at_b, &m, p, misses[i]});
    }
  }
  std::set<size_t> marked;
  for (auto& [end, seen] : by_end) {
    std::ranges::stable_sort(seen, {}, &Seen::at);
    for (size_t i = 1; i < seen.size(); ++i) {
      const Seen &before = seen[i - 1], &now = seen[i];
      const int64_t width = std::max(before.miss.width, now.miss.width);
      if (!AreAlike(before.miss.by, now.miss.by, width)) continue;
      for (const Seen* s : {&before, &now}) {
        s->message->agrees = true;
        marked.insert(s->pair);
      }
    }
  }
  return {marked.begin(), marked.end()};
}

}  // namespace syncline::drift_bounded
