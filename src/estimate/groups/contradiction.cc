#include "estimate/groups/contradiction.h"

#include <algorithm>
#include <tuple>

namespace syncline {
namespace {

// Pairs of one clock with messages in both directions.
struct Tally {
  uint64_t contradicting = 0;
  uint64_t open = 0;  // contradicting and not yet explained
  uint64_t all = 0;
};

// A blamed clock that only one pair speaks against, besides those that other blamed clocks explain,
// is no more suspect than its partner.
std::vector<bool> WithEquallySuspect(const std::vector<bool>& is_blamed,
                                     std::span<const PairInput> pairs) {
  std::vector<int> private_pairs(is_blamed.size());
  const auto is_private = [&](const PairInput& pair) {
    return pair.estimate.quality == Quality::kApproximate &&
           is_blamed[pair.a.index()] != is_blamed[pair.b.index()];
  };
  for (const PairInput& pair : pairs) {
    if (is_private(pair))
      ++private_pairs[is_blamed[pair.a.index()] ? pair.a.index() : pair.b.index()];
  }
  std::vector<bool> suspect = is_blamed;
  for (const PairInput& pair : pairs) {
    if (!is_private(pair)) continue;
    const bool a_is_blamed = is_blamed[pair.a.index()];
    const size_t blamed = a_is_blamed ? pair.a.index() : pair.b.index();
    const size_t partner = a_is_blamed ? pair.b.index() : pair.a.index();
    if (private_pairs[blamed] == 1) suspect[partner] = true;
  }
  return suspect;
}

}  // namespace

std::vector<bool> ContradictedClocks(size_t clocks, std::span<const PairInput> pairs,
                                     std::optional<ClockId> reference) {
  std::vector<bool> is_blamed(clocks);
  for (;;) {
    std::vector<Tally> tallies(clocks);
    for (const PairInput& pair : pairs) {
      const Quality quality = pair.estimate.quality;
      if (quality != Quality::kAccurate && quality != Quality::kApproximate) continue;
      const bool contradicts = quality == Quality::kApproximate;
      const bool is_open = contradicts && !is_blamed[pair.a.index()] && !is_blamed[pair.b.index()];
      for (const ClockId clock : {pair.a, pair.b}) {
        Tally& tally = tallies[clock.index()];
        ++tally.all;
        tally.contradicting += contradicts ? 1 : 0;
        tally.open += is_open ? 1 : 0;
      }
    }
    const auto blame_of = [&](size_t i) {
      const Tally& t = tallies[i];
      const double share =
          t.all == 0 ? 0 : static_cast<double>(t.contradicting) / static_cast<double>(t.all);
      return std::tuple(t.open, share, !(reference && reference->index() == i), i);
    };
    size_t worst = 0;
    for (size_t i = 1; i < clocks; ++i) {
      if (blame_of(i) > blame_of(worst)) worst = i;
    }
    if (clocks == 0 || tallies[worst].open == 0) return WithEquallySuspect(is_blamed, pairs);
    is_blamed[worst] = true;
  }
}

}  // namespace syncline
