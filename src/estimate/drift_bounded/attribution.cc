#include "estimate/drift_bounded/attribution.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace syncline::drift_bounded {
namespace {

bool Overlap(const Window& a, const Window& b) { return a.after < b.before && b.after < a.before; }

// To what is common with another window, if anything is; whether it is less then.
bool Narrow(Window& window, const Window& other) {
  if (!Overlap(window, other)) return false;
  const bool is_narrower = other.after > window.after || other.before < window.before;
  window = {std::max(window.after, other.after), std::min(window.before, other.before)};
  return is_narrower;
}

int64_t WidthOf(const Window& window) {
  if (window.after.epoch != window.before.epoch) return 0;
  return window.before.reading - window.after.reading;
}

bool AreAtOnce(const SeenStep& a, const SeenStep& b, ClockId clock) {
  if (clock != b.clocks.first && clock != b.clocks.second) return false;
  return Overlap(clock == a.clocks.first ? a.first : a.second,
                 clock == b.clocks.first ? b.first : b.second);
}

// Of the same amount, as far as they tell; as a clock that both have sees it, the same way.
bool IsTheSame(const SeenStep& a, const SeenStep& b) {
  for (const ClockId clock : {a.clocks.first, a.clocks.second}) {
    const bool is_shared = clock == b.clocks.first || clock == b.clocks.second;
    if (is_shared) return Overlap(a.Of(clock), b.Of(clock));
  }
  return CanBeAsLarge(a.jump, b.jump);
}

// Of all that saw a step; none where one of them is certain.
std::vector<uint64_t> EvidenceOf(const std::vector<SeenStep>& together) {
  std::vector<uint64_t> all;
  for (const SeenStep& s : together) {
    if (s.evidence.empty()) return {};
    all.insert(all.end(), s.evidence.begin(), s.evidence.end());
  }
  return all;
}

class Attribution {
 public:
  Attribution(std::vector<SeenStep> seen, const Collection& messages, const TrackTable& tracks,
              std::span<const ClockInput> clocks, std::span<const RateLimits> limits, ClockId root)
      : clocks_(clocks), limits_(limits), root_(root) {
    all_ = seen;
    for (SeenStep& s : seen) (s.is_slew ? slews_ : seen_).push_back(std::move(s));
    for (const KeptDirection& d : messages.directions) AddMessages(d, tracks);
    for (auto& [pair, ends] : ends_) std::ranges::sort(ends);
  }

  std::vector<CutPlace> Run() {
    std::vector<CutPlace> cuts;
    SortByAgreement();
    while (!seen_.empty()) {
      if (AddToOneThatIsKnown(seen_.front(), cuts)) {
        seen_.erase(seen_.begin());
        continue;
      }
      const std::vector<Window> windows = WindowsAbout(seen_.front());
      std::vector<SeenStep> together, others;
      moving_.clear();
      const auto is_same = [&](const SeenStep& s) {
        const bool is_then = Overlap(s.first, windows[s.clocks.first.index()]) &&
                             Overlap(s.second, windows[s.clocks.second.index()]);
        if (is_then) moving_.insert(s.clocks);
        return together.empty() || (is_then && IsTheSame(s, together.front()));
      };
      for (SeenStep& s : seen_) (is_same(s) ? together : others).push_back(std::move(s));
      seen_ = std::move(others);
      for (const SeenStep& s : slews_) {
        if (is_same(s)) together.push_back(s);
      }
      AddCuts(together, windows, cuts);
    }
    return cuts;
  }

 private:
  // Of a message between two clocks.
  struct Ends {
    Place first, second;  // at the clocks of the pair
    bool is_back = false;
    friend auto operator<=>(const Ends&, const Ends&) = default;
  };

  void AddMessages(const KeptDirection& d, const TrackTable& tracks) {
    const auto& from = tracks[d.from];
    const auto& to = tracks[d.to];
    if (from.clock == to.clock) return;
    const bool is_in_order = from.clock < to.clock;
    auto& ends = ends_[std::minmax(from.clock, to.clock)];
    for (const Constraint& m : d.all) {
      const Place s{from.epoch, m.s};
      const Place r{to.epoch, m.r};
      ends.push_back(is_in_order ? Ends{s, r, false} : Ends{r, s, true});
    }
  }

  // Those that most others agree with come first, of these the narrowest: what is seen in a wide
  // window can be two steps.
  void SortByAgreement() {
    std::vector<std::tuple<int64_t, int64_t, size_t>> order;
    for (size_t i = 0; i < seen_.size(); ++i) {
      int64_t agreeing[2] = {};
      for (const SeenStep& s : seen_) {
        if (!IsTheSame(seen_[i], s)) continue;
        agreeing[0] += AreAtOnce(seen_[i], s, seen_[i].clocks.first);
        agreeing[1] += AreAtOnce(seen_[i], s, seen_[i].clocks.second);
      }
      const int64_t most = std::max(agreeing[0], agreeing[1]);
      order.emplace_back(-most, WidthOf(seen_[i].first), i);
    }
    std::ranges::sort(order);
    std::vector<SeenStep> sorted;
    for (const auto& [most, width, i] : order) sorted.push_back(std::move(seen_[i]));
    seen_ = std::move(sorted);
  }
  // Where one of its clocks was found to have been set then, by another amount: so was the other
  // one. False where none was.
  bool AddToOneThatIsKnown(const SeenStep& s, std::vector<CutPlace>& cuts) const {
    const auto find = [&](ClockId clock, const Window& window) {
      return std::ranges::find_if(cuts, [&](const CutPlace& cut) {
        return cut.clock == clock && Overlap(Window{cut.after, cut.from}, window);
      });
    };
    const auto first = find(s.clocks.first, s.first);
    const auto second = find(s.clocks.second, s.second);
    if (first == cuts.end() && second == cuts.end()) return false;
    if (first != cuts.end() && second != cuts.end()) return true;
    const CutPlace& known = first != cuts.end() ? *first : *second;
    const bool is_its_own = !known.knows_direction || Overlap(s.Of(known.clock), known.jump);
    if (CanBeAsLarge(s.jump, known.jump)) return is_its_own;  // or it was set back
    const ClockId other = first != cuts.end() ? s.clocks.second : s.clocks.first;
    const Window& window = first != cuts.end() ? s.second : s.first;
    cuts.push_back({other, window.before, window.after, s.jump, s.evidence});
    return true;
  }

  // What is known of the same time at the other clock of a pair.
  Window Follow(ClockId from, ClockId to, const Window& window) const {
    const bool is_in_order = from < to;
    Window there;
    std::optional<Ends> last, next;
    for (const auto& [first, second, is_back] : ends_.at(std::minmax(from, to))) {
      const Ends e = is_in_order ? Ends{first, second} : Ends{second, first};
      if (e.first <= window.after && (!last || e.first > last->first)) last = e;
      if (e.first >= window.before && (!next || e.first < next->first)) next = e;
    }
    if (last) there.after = last->second;
    if (next) there.before = next->second;
    if (there.after >= there.before) std::swap(there.after, there.before);
    return there;
  }

  // By clock, from the two that saw the step on.
  std::vector<Window> WindowsAbout(const SeenStep& seen) const {
    std::vector<std::optional<Window>> known(clocks_.size());
    known[seen.clocks.first.index()] = seen.first;
    known[seen.clocks.second.index()] = seen.second;
    std::deque<ClockId> queue = {seen.clocks.first, seen.clocks.second};
    while (!queue.empty()) {
      const ClockId at = queue.front();
      queue.pop_front();
      for (const auto& [pair, ends] : ends_) {
        if (pair.first != at && pair.second != at) continue;
        const ClockId next = pair.first == at ? pair.second : pair.first;
        if (known[next.index()]) continue;
        known[next.index()] = Follow(at, next, *known[at.index()]);
        queue.push_back(next);
      }
    }
    std::vector<Window> windows;
    for (const auto& window : known) windows.push_back(window.value_or(Window{}));
    return windows;
  }

  // For how long within the window at its first clock a pair had no messages, in the way that had
  // none for longer: the longer, the larger is a step that it cannot see.
  static int64_t SilenceOf(const std::vector<Ends>& ends, const Window& window) {
    std::optional<Place> last[2];
    bool is_over[2] = {};
    int64_t silence = 0;
    for (const Ends& e : ends) {
      std::optional<Place>& before = last[e.is_back];
      const bool is_within = e.first > window.after && !is_over[e.is_back];
      if (is_within) {
        if (!before || before->epoch != e.first.epoch) return INT64_MAX;
        silence = std::max(silence, e.first.reading - before->reading);
        is_over[e.is_back] = e.first >= window.before;
      }
      before = e.first;
    }
    return is_over[0] && is_over[1] ? silence : INT64_MAX;
  }

  // Whether messages of a pair before and behind the window at its first clock tell that it did not
  // see this.
  bool Excludes(const ClockPair& pair, const std::vector<Ends>& ends, const Window& window,
                const Jump& jump) const {
    const auto& [a, b] = pair;
    const double rate = RelativeRate(limits_[a.index()], limits_[b.index()]);
    const int64_t late[2] = {clocks_[a.index()].clock.reading_ns,
                             clocks_[b.index()].clock.reading_ns};
    const auto add = [&](const Ends& e, OffsetInterval& known) {
      const auto [at_a, at_b] = std::pair(e.first.reading, e.second.reading);
      const int64_t theta = at_b - at_a + (e.is_back ? -late[0] : late[1]);
      known.Follow({at_a, at_b, !e.is_back, theta}, rate);
    };
    OffsetInterval before, behind;
    for (auto e = ends.begin(); e != ends.end() && e->first <= window.after; ++e) add(*e, before);
    for (auto e = ends.rbegin(); e != ends.rend() && e->first >= window.before; ++e) {
      add(*e, behind);
    }
    return !CanBeAsLarge(before.At(behind.at, rate).To(behind), jump);
  }

  // Whether one of the pair's clocks can have been set back again, or before, while it was silent:
  // then its messages show nothing, though it was set.
  bool CanHide(const ClockPair& pair, const std::vector<Ends>& ends, ClockId clock,
               const Window& window, const Jump& jump) const {
    Window silence;
    for (const Ends& e : ends) {
      const Place& at = clock == pair.first ? e.first : e.second;
      if (at <= window.after) silence.after = std::max(silence.after, at);
      if (at >= window.before) silence.before = std::min(silence.before, at);
    }
    return std::ranges::any_of(all_, [&](const SeenStep& s) {
      if (s.clocks.first != clock && s.clocks.second != clock) return false;
      const Window& other = clock == s.clocks.first ? s.first : s.second;
      return !Overlap(other, window) && Overlap(other, silence) && CanBeAsLarge(s.jump, jump);
    });
  }

  // Blocks that pairs without a step hold together; by clock, one of its block.
  std::vector<size_t> BlocksWithout(const std::vector<SeenStep>& together,
                                    const std::vector<Window>& windows) const {
    std::vector<size_t> block(clocks_.size());
    std::iota(block.begin(), block.end(), size_t{0});
    std::vector<std::pair<int64_t, ClockPair>> quiet;
    for (const auto& [pair, ends] : ends_) {
      if (moving_.contains(pair)) continue;
      const Window& window = windows[pair.first.index()];
      const Jump& jump = together.front().jump;
      if (!Excludes(pair, ends, window, jump)) continue;
      if (CanHide(pair, ends, pair.first, window, jump)) continue;
      if (CanHide(pair, ends, pair.second, windows[pair.second.index()], jump)) continue;
      quiet.emplace_back(SilenceOf(ends, window), pair);
    }
    std::ranges::sort(quiet);
    for (const auto& [silence, pair] : quiet) {
      if (silence == INT64_MAX) break;
      const size_t a = block[pair.first.index()];
      const size_t b = block[pair.second.index()];
      const bool parts = std::ranges::any_of(together, [&](const SeenStep& s) {
        const size_t x = block[s.clocks.first.index()];
        const size_t y = block[s.clocks.second.index()];
        return (x == a && y == b) || (x == b && y == a);
      });
      if (parts || a == b) continue;
      std::ranges::replace(block, b, a);
    }
    return block;
  }

  std::vector<bool> ClocksSet(const std::vector<SeenStep>& together,
                              const std::vector<Window>& windows) const {
    const std::vector<size_t> block = BlocksWithout(together, windows);
    std::map<size_t, std::vector<size_t>> saw;  // by block, the blocks beyond the pairs of it
    for (const SeenStep& s : together) {
      const size_t a = block[s.clocks.first.index()];
      const size_t b = block[s.clocks.second.index()];
      saw[a].push_back(b);
      saw[b].push_back(a);
    }
    std::map<size_t, size_t> sizes;
    for (const size_t b : block) ++sizes[b];
    std::set<size_t> set_blocks, done;
    for (const auto& [b, others] : saw) {
      if (!done.contains(b)) set_blocks.merge(SetOf(b, saw, sizes, block[root_.index()], done));
    }
    std::vector<bool> is_set;
    for (const size_t b : block) is_set.push_back(set_blocks.contains(b));
    return is_set;
  }

  // Of the blocks that lead from this one on. If those that kept their time and those that were set
  // can take turns along all pairs, the side of fewer clocks was set.
  std::set<size_t> SetOf(size_t start, const std::map<size_t, std::vector<size_t>>& saw,
                         std::map<size_t, size_t>& sizes, size_t root,
                         std::set<size_t>& done) const {
    std::map<size_t, int> side = {{start, 0}};
    std::deque<size_t> queue = {start};
    bool takes_turns = true;
    size_t clocks[2] = {};
    size_t largest = start;
    while (!queue.empty()) {
      const size_t at = queue.front();
      queue.pop_front();
      done.insert(at);
      clocks[side[at]] += sizes[at];
      const auto rank = [&](size_t b) { return std::pair(sizes[b], b == root); };
      if (rank(at) > rank(largest)) largest = at;
      for (const size_t next : saw.at(at)) {
        const auto [found, is_new] = side.try_emplace(next, 1 - side[at]);
        if (is_new) queue.push_back(next);
        takes_turns = takes_turns && found->second != side[at];
      }
    }
    const auto root_side = side.find(root);
    const bool is_all = clocks[0] + clocks[1] == ConnectedClocks();
    std::set<size_t> set;
    for (const auto& [b, of] : side) {
      const size_t own = clocks[of], other = clocks[1 - of];
      // Either side, where nothing else tells.
      const bool is_fewer = own != other
                                ? own < other
                                : !is_all || root_side == side.end() || of != root_side->second;
      if (takes_turns ? is_fewer : b != largest) set.insert(b);
    }
    return set;
  }
  size_t ConnectedClocks() const {
    std::set<ClockId> connected;
    for (const auto& [pair, ends] : ends_) connected.insert({pair.first, pair.second});
    return connected.size();
  }

  void AddCuts(const std::vector<SeenStep>& together, const std::vector<Window>& windows,
               std::vector<CutPlace>& cuts) const {
    const std::vector<bool> is_set = ClocksSet(together, windows);
    std::vector<Window> own = windows;
    for (const SeenStep& s : together) {
      Narrow(own[s.clocks.first.index()], s.first);
      Narrow(own[s.clocks.second.index()], s.second);
    }
    // Clocks that were set together: what one tells of the time holds for the others.
    bool is_narrower = true;
    while (std::exchange(is_narrower, false)) {
      for (const auto& [pair, ends] : ends_) {
        const auto [a, b] = pair;
        if (!is_set[a.index()] || !is_set[b.index()]) continue;
        is_narrower |= Narrow(own[a.index()], Follow(b, a, own[b.index()]));
        is_narrower |= Narrow(own[b.index()], Follow(a, b, own[a.index()]));
      }
    }
    const std::vector<uint64_t> evidence = EvidenceOf(together);
    const SeenStep& front = together.front();
    const bool is_first_set = is_set[front.clocks.first.index()];
    const bool knows_direction = is_first_set != is_set[front.clocks.second.index()];
    const Jump jump = front.Of(is_first_set ? front.clocks.first : front.clocks.second);
    for (uint32_t c = 0; c < clocks_.size(); ++c) {
      if (is_set[c] && own[c].before < Window{}.before) {
        cuts.push_back({ClockId(c), own[c].before, own[c].after, jump, evidence, knows_direction});
      }
    }
  }

  std::span<const ClockInput> clocks_;
  std::span<const RateLimits> limits_;
  std::vector<SeenStep> seen_, slews_;
  std::vector<SeenStep> all_;   // that are no slews
  std::set<ClockPair> moving_;  // pairs that saw a step of whatever size at the time concerned
  ClockId root_;
  std::map<ClockPair, std::vector<Ends>> ends_;
};

}  // namespace

std::vector<CutPlace> AttributeSteps(std::vector<SeenStep> seen, const Collection& messages,
                                     const TrackTable& tracks, std::span<const ClockInput> clocks,
                                     std::span<const RateLimits> limits, ClockId root) {
  return Attribution(std::move(seen), messages, tracks, clocks, limits, root).Run();
}

}  // namespace syncline::drift_bounded
