#include "estimate/drift_bounded/attribution.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace syncline::drift_bounded {
namespace {

bool Overlap(const Window& a, const Window& b) { return a.after < b.before && b.after < a.before; }

Window Common(const Window& a, const Window& b) {
  return {std::max(a.after, b.after), std::min(a.before, b.before)};
}

class Attribution {
 public:
  Attribution(std::vector<SeenStep> seen, const Collection& messages, const TrackTable& tracks,
              size_t clocks, ClockId root)
      : seen_(std::move(seen)), clocks_(clocks), root_(root) {
    for (const HalvedDirection& d : messages.directions) AddMessages(d, tracks);
    for (auto& [pair, ends] : ends_) std::sort(ends.begin(), ends.end());
  }

  std::vector<CutPlace> Run() {
    std::vector<CutPlace> cuts;
    while (!seen_.empty()) {
      const std::vector<Window> windows = WindowsAbout(seen_.front());
      std::vector<SeenStep> together = {seen_.front()};
      std::vector<SeenStep> others;
      for (size_t i = 1; i < seen_.size(); ++i) {
        const SeenStep& s = seen_[i];
        const bool is_same = Overlap(s.first, windows[s.clocks.first.index()]) &&
                             Overlap(s.second, windows[s.clocks.second.index()]);
        (is_same ? together : others).push_back(s);
      }
      seen_ = std::move(others);
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

  void AddMessages(const HalvedDirection& d, const TrackTable& tracks) {
    const auto& from = tracks[d.from];
    const auto& to = tracks[d.to];
    if (from.clock == to.clock) return;
    const bool is_in_order = from.clock < to.clock;
    auto& ends =
        ends_[is_in_order ? ClockPair{from.clock, to.clock} : ClockPair{to.clock, from.clock}];
    for (const Constraint& m : d.all) {
      const Place s{from.epoch, m.s};
      const Place r{to.epoch, m.r};
      ends.push_back(is_in_order ? Ends{s, r, false} : Ends{r, s, true});
    }
  }

  // What is known of the same time at the other clock of a pair.
  Window Follow(ClockId from, ClockId to, const Window& window) const {
    const bool is_in_order = from < to;
    Window there;
    const auto& ends = ends_.at(is_in_order ? ClockPair{from, to} : ClockPair{to, from});
    std::optional<Ends> last, next;
    for (const auto& [first, second, is_back] : ends) {
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
    std::vector<std::optional<Window>> known(clocks_);
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

  // For how long about the window at its first clock a pair had no messages, in the way that had
  // none for longer: the longer, the larger is a step that it cannot see.
  static int64_t SilenceOf(const std::vector<Ends>& ends, const Window& window) {
    std::optional<Place> last[2], next[2];
    for (const Ends& e : ends) {
      if (e.first <= window.after)
        last[e.is_back] = std::max(last[e.is_back].value_or(e.first), e.first);
      if (e.first >= window.before)
        next[e.is_back] = std::min(next[e.is_back].value_or(e.first), e.first);
    }
    int64_t silence = 0;
    for (int way = 0; way < 2; ++way) {
      if (!last[way] || !next[way] || last[way]->epoch != next[way]->epoch) return INT64_MAX;
      silence = std::max(silence, next[way]->reading - last[way]->reading);
    }
    return silence;
  }

  // Blocks that pairs without a step hold together; by clock, one of its block.
  std::vector<size_t> BlocksWithout(const std::vector<SeenStep>& together,
                                    const std::vector<Window>& windows) const {
    std::vector<size_t> block(clocks_);
    std::iota(block.begin(), block.end(), size_t{0});
    const auto is_seen = [&](const ClockPair& pair) {
      return std::any_of(together.begin(), together.end(),
                         [&](const SeenStep& s) { return s.clocks == pair; });
    };
    std::vector<std::pair<int64_t, ClockPair>> quiet;
    for (const auto& [pair, ends] : ends_) {
      if (is_seen(pair)) continue;
      quiet.emplace_back(SilenceOf(ends, windows[pair.first.index()]), pair);
    }
    std::sort(quiet.begin(), quiet.end());
    for (const auto& [silence, pair] : quiet) {
      const size_t a = block[pair.first.index()];
      const size_t b = block[pair.second.index()];
      const bool parts = std::any_of(together.begin(), together.end(), [&](const SeenStep& s) {
        const size_t x = block[s.clocks.first.index()];
        const size_t y = block[s.clocks.second.index()];
        return (x == a && y == b) || (x == b && y == a);
      });
      if (parts || a == b) continue;
      std::replace(block.begin(), block.end(), b, a);
    }
    return block;
  }

  void AddCuts(const std::vector<SeenStep>& together, const std::vector<Window>& windows,
               std::vector<CutPlace>& cuts) const {
    const std::vector<size_t> block = BlocksWithout(together, windows);
    std::map<size_t, size_t> sizes;
    for (const size_t b : block) ++sizes[b];
    size_t kept = block[root_.index()];
    for (const auto& [b, size] : sizes) {
      if (size > sizes[kept]) kept = b;
    }
    // Clocks of other components, and blocks that saw nothing, are as they were.
    std::vector<bool> is_part(clocks_, false);
    for (const SeenStep& s : together) {
      is_part[block[s.clocks.first.index()]] = true;
      is_part[block[s.clocks.second.index()]] = true;
    }
    const auto is_set = [&](size_t c) { return block[c] != kept && is_part[block[c]]; };
    std::vector<Window> own = windows;
    for (const SeenStep& s : together) {
      Narrow(own[s.clocks.first.index()], s.first);
      Narrow(own[s.clocks.second.index()], s.second);
    }
    // Clocks that were set together: what one tells of the time holds for the others.
    for (const auto& [pair, ends] : ends_) {
      const auto [a, b] = pair;
      if (!is_set(a.index()) || !is_set(b.index())) continue;
      Narrow(own[a.index()], Follow(b, a, own[b.index()]));
      Narrow(own[b.index()], Follow(a, b, own[a.index()]));
    }
    for (uint32_t c = 0; c < clocks_; ++c) {
      if (is_set(c) && own[c].before < Window{}.before) {
        const Place cut = JumpWithin(ClockId(c), own[c]).value_or(own[c].before);
        cuts.push_back({ClockId(c), cut, own[c].after});
      }
    }
  }

  // A clock that is set ahead leaves out readings: the middle of a gap that all others in the
  // window are small beside.
  std::optional<Place> JumpWithin(ClockId clock, const Window& window) const {
    if (window.after.epoch != window.before.epoch) return std::nullopt;
    std::vector<int64_t> readings = {window.after.reading, window.before.reading};
    for (const auto& [pair, ends] : ends_) {
      if (pair.first != clock && pair.second != clock) continue;
      for (const auto& [first, second, is_back] : ends) {
        const Place& own = pair.first == clock ? first : second;
        if (window.after < own && own < window.before) readings.push_back(own.reading);
      }
    }
    std::sort(readings.begin(), readings.end());
    int64_t largest = 0, next = 0, middle = 0;
    for (size_t i = 1; i < readings.size(); ++i) {
      const int64_t gap = readings[i] - readings[i - 1];
      if (gap > largest) {
        next = std::exchange(largest, gap);
        middle = readings[i - 1] + gap / 2;
      } else {
        next = std::max(next, gap);
      }
    }
    constexpr int64_t kTimes = 4;
    if (largest / kTimes < next) return std::nullopt;
    return Place{window.after.epoch, middle};
  }

  static void Narrow(Window& window, const Window& other) {
    if (Overlap(window, other)) window = Common(window, other);
  }

  std::vector<SeenStep> seen_;
  size_t clocks_;
  ClockId root_;
  std::map<ClockPair, std::vector<Ends>> ends_;
};

}  // namespace

std::vector<CutPlace> AttributeSteps(std::vector<SeenStep> seen, const Collection& messages,
                                     const TrackTable& tracks, size_t clocks, ClockId root) {
  return Attribution(std::move(seen), messages, tracks, clocks, root).Run();
}

}  // namespace syncline::drift_bounded
