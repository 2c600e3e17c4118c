#include "estimate/drift_bounded/steps.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace syncline::drift_bounded {
namespace {

constexpr double kStepCost = 8;
constexpr double kRunCost = 7;      // what each further suspect in a row costs more
constexpr double kPairCost = 8;     // and the second, where it agrees with the first
constexpr double kFreeSlew = 8;     // seconds of it between two messages; 1 for each further one
constexpr double kMovingCost = 8;   // what a suspect near a slew costs more
constexpr int kNearby = 8;          // messages
constexpr uint32_t kFewBefore = 3;  // messages that a contradiction may turn into suspects at once
constexpr size_t kMostStates = 12;
constexpr double kMostBehind = 9;  // in cost, behind the cheapest
constexpr size_t kNear = 256;      // messages that a jump is measured from
constexpr size_t kNearSlew = 32;   // and one that may be none

enum class Verdict : uint8_t { kSuspect, kSlew, kStep, kRestart };

// A decision, and the one before it.
struct Decision {
  Verdict verdict = Verdict::kSuspect;
  size_t message = 0;
  ptrdiff_t previous = -1;
};

struct State {
  OffsetInterval interval;  // as rates and slews so far leave it
  OffsetInterval widest;    // as any slew would
  double cost = 0;
  int since_slew = kNearby, since_suspect = kNearby;  // messages, at most kNearby
  int run[2] = {};         // suspects in a row, of messages from b and from a
  int64_t missed[2] = {};  // by the last of each
  int accepted[2] = {};    // since the last step or restart, from b and from a
  int before[2] = {};      // in a row before that, which are suspects
  ptrdiff_t last = -1;     // decision
};

class Search {
 public:
  Search(std::span<const PairMessage> messages, double rate, double slew_rate, Agreement agreement)
      : messages_(messages),
        rate_(rate),
        slew_rate_(slew_rate),
        agreement_counts_(agreement == Agreement::kIsNoSuspicion) {}

  PairHistory Run() {
    if (messages_.empty()) return {};
    State first;
    first.interval.at = first.widest.at = messages_.front().at_a;
    states_.push_back(first);
    for (size_t i = 0; i < messages_.size(); ++i) Advance(i);
    return Trace(states_.front());
  }

 private:
  void Advance(size_t i) {
    const PairMessage& m = messages_[i];
    next_.clear();
    for (State& state : states_) {
      state.interval = state.interval.At(m.at_a, rate_);
      state.widest = state.widest.At(m.at_a, slew_rate_);
      if (state.interval.Allows(m)) {
        Accept(state, m);
        if (NarrowsMuch(state.interval, m)) Reject(state, i);
        continue;
      }
      if (state.widest.Allows(m)) {
        Slew(state, i);
      } else {
        Reject(state, i);
      }
      Step(state, i);
      const int accepted = state.accepted[0] + state.accepted[1];
      if (accepted > 0 && accepted <= static_cast<int>(kFewBefore)) Restart(state, i);
    }
    Prune();
  }

  static bool NarrowsMuch(const OffsetInterval& now, const PairMessage& m) {
    if (now.IsOpen()) return false;
    const int64_t width = now.high - now.low;
    const int64_t left = m.is_upper ? m.theta - now.low : now.high - m.theta;
    return left < width / 2;
  }

  void Accept(State state, const PairMessage& m) {
    state.interval.Narrow(m);
    state.widest.Narrow(m);
    state.run[m.is_upper] = 0;
    ++state.accepted[m.is_upper];
    Add(state);
  }
  // Rates were higher for as long as that takes at least. What moves by itself needs no suspects.
  void Slew(State state, size_t i) {
    const PairMessage& m = messages_[i];
    const auto missing = static_cast<double>(state.interval.Missing(m));
    state.cost += std::max(0.0, missing / (slew_rate_ - rate_) * 1e-9 - kFreeSlew);
    if (state.since_suspect < kNearby) state.cost += kMovingCost;
    state.since_suspect = kNearby;
    state.since_slew = 0;
    state.interval.low = state.interval.high = m.theta;
    Record(state, Verdict::kSlew, i);
    Accept(state, m);
  }
  void Reject(State state, size_t i) {
    const bool is_upper = messages_[i].is_upper;
    int& run = state.run[is_upper];
    const int64_t missing = state.interval.Missing(messages_[i]);
    const bool is_like_the_last = AreAlike(missing, state.missed[is_upper], state.interval.Width());
    state.cost += 1 + kRunCost * run;
    if (agreement_counts_ && run == 1 && is_like_the_last) state.cost += kPairCost;
    state.missed[is_upper] = missing;
    ++run;
    if (state.since_slew < kNearby) {
      state.cost += kMovingCost;
    } else {
      state.since_suspect = 0;
    }
    Decide(state, Verdict::kSuspect, i);
  }
  void Add(State& state) {
    state.since_slew = std::min(state.since_slew + 1, kNearby);
    state.since_suspect = std::min(state.since_suspect + 1, kNearby);
    next_.push_back(state);
  }
  void Step(const State& state, size_t i) {
    State stepped = Begin(state, i);
    stepped.cost += kStepCost;
    std::ranges::copy(state.run, stepped.before);
    Decide(stepped, Verdict::kStep, i);
  }
  // What was accepted since the beginning, or the last step, is wrong.
  void Restart(const State& state, size_t i) {
    State restarted = Begin(state, i);
    for (const size_t side : {0, 1}) {
      const int n = state.accepted[side];
      int& before = restarted.before[side];
      restarted.cost += n + kRunCost * (n * before + n * (n - 1) / 2);
      before += n;
    }
    Decide(restarted, Verdict::kRestart, i);
  }
  State Begin(const State& state, size_t i) const {
    State begun = state;
    begun.interval = {.at = messages_[i].at_a};
    begun.interval.Narrow(messages_[i]);
    begun.widest = begun.interval;
    begun.run[0] = begun.run[1] = 0;
    begun.since_slew = begun.since_suspect = kNearby;
    begun.accepted[0] = begun.accepted[1] = 0;
    begun.accepted[messages_[i].is_upper] = 1;
    return begun;
  }
  void Record(State& state, Verdict verdict, size_t i) {
    decisions_.push_back({verdict, i, state.last});
    state.last = static_cast<ptrdiff_t>(decisions_.size()) - 1;
  }
  void Decide(State& state, Verdict verdict, size_t i) {
    Record(state, verdict, i);
    Add(state);
  }

  // Keeps states that none is both cheaper and freer than.
  void Prune() {
    std::ranges::stable_sort(next_, [](const State& a, const State& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.run[0] + a.run[1] < b.run[0] + b.run[1];
    });
    states_.clear();
    for (const State& state : next_) {
      if (states_.size() == kMostStates) break;
      if (!states_.empty() && state.cost > states_.front().cost + kMostBehind) continue;
      const bool is_dominated = std::ranges::any_of(states_, [&](const State& other) {
        return other.cost <= state.cost && other.run[0] <= state.run[0] &&
               other.run[1] <= state.run[1] && other.since_slew >= state.since_slew &&
               other.since_suspect >= state.since_suspect && other.widest.low <= state.widest.low &&
               other.widest.high >= state.widest.high;
      });
      if (!is_dominated) states_.push_back(state);
    }
  }

  // From the last decision back: which messages are wrong, and where segments begin.
  PairHistory Trace(const State& best) const {
    std::vector<bool> is_wrong(messages_.size(), false);
    std::vector<size_t> begins, slews;  // of steps, and at messages
    std::vector<std::pair<size_t, Verdict>> all;
    for (ptrdiff_t d = best.last; d >= 0; d = decisions_[d].previous) {
      all.emplace_back(decisions_[d].message, decisions_[d].verdict);
    }
    std::ranges::reverse(all);
    size_t begin = 0;
    for (const auto& [i, verdict] : all) {
      if (verdict == Verdict::kSuspect) is_wrong[i] = true;
      if (verdict == Verdict::kRestart) {
        for (size_t k = begin; k < i; ++k) is_wrong[k] = true;
      }
      if (verdict == Verdict::kStep) begins.push_back(i);
      if (verdict == Verdict::kSlew) slews.push_back(i);
      if (verdict == Verdict::kStep || verdict == Verdict::kRestart) begin = i;
    }
    const std::vector<Segment> segments = SettleDoubts(std::move(begins), is_wrong);
    return HistoryOf(segments, slews, std::move(is_wrong));
  }

  // Of the messages between two steps.
  struct Segment {
    size_t begin = 0, end = 0;
    // Of the step before it: messages without which it would not be seen, and such as are on
    // neither side.
    std::vector<size_t> evidence = {}, beside = {};
  };

  // A suspect after which, or before which, nothing contradicts its offset until the next step, or
  // the end, can as well come from another side of a step.
  std::vector<Segment> SettleDoubts(std::vector<size_t> begins, std::vector<bool>& is_wrong) const {
    begins.insert(begins.begin(), 0);
    begins.push_back(messages_.size());
    for (size_t k = 1; k + 1 < begins.size(); ++k) {
      begins[k] = FirstThatFits({begins[k], begins[k + 1]}, begins[k - 1], is_wrong);
    }
    std::vector<Segment> segments;
    std::vector<size_t> beside;  // the step that comes next
    for (size_t k = 0; k + 1 < begins.size(); ++k) {
      const size_t begin = begins[k], end = begins[k + 1];
      if (begin == end) continue;
      size_t last = begin, first = end;  // of those between which it is out of doubt
      OffsetInterval known{.at = messages_[end - 1].at_a};
      for (size_t i = end; i-- > begin && Fits(messages_[i], known);) {
        if (is_wrong[i]) first = i;
      }
      known = {.at = messages_[begin].at_a};
      for (size_t i = begin; i < first && Fits(messages_[i], known); ++i) {
        if (is_wrong[i]) last = i + 1;
      }
      if (first == begin) {
        Acquit(begin, end, is_wrong);
        first = end;
      }
      std::vector<size_t> before = Acquit(begin, last, is_wrong);
      std::vector<size_t> behind = Acquit(first, end, is_wrong);
      // A few of them next to a step that there is anyway are on neither side of it.
      if (k > 0 && last <= begin + kFewBefore) {
        beside.insert(beside.end(), before.begin(), before.end());
        before.clear();
      } else if (begin < last) {
        segments.push_back({begin, last, {}, std::exchange(beside, {})});
      }
      if (last < first) {
        segments.push_back({last, first, std::exchange(before, {}), std::exchange(beside, {})});
      }
      if (k + 2 < begins.size() && first + kFewBefore >= end) {
        beside.insert(beside.end(), behind.begin(), behind.end());
      } else if (first < end) {
        behind.insert(behind.end(), before.begin(), before.end());
        segments.push_back({first, end, std::move(behind), std::exchange(beside, {})});
      }
    }
    return segments;
  }
  // The suspects among these, which are none any more.
  static std::vector<size_t> Acquit(size_t begin, size_t end, std::vector<bool>& is_wrong) {
    std::vector<size_t> acquitted;
    for (size_t i = begin; i < end; ++i) {
      if (is_wrong[i]) acquitted.push_back(i);
      is_wrong[i] = false;
    }
    return acquitted;
  }
  // Whether the message agrees with what is known, which then holds at it.
  bool Fits(const PairMessage& m, OffsetInterval& known) const {
    known = known.At(m.at_a, slew_rate_);
    if (!known.Allows(m)) return false;
    known.Narrow(m);
    return true;
  }

  // Suspects at the end of the segment before that agree with this one belong to it.
  size_t FirstThatFits(const Segment& segment, size_t least, std::vector<bool>& is_wrong) const {
    const std::vector<size_t> right = RightOnes(segment, is_wrong);
    if (right.empty()) return segment.begin;
    const OffsetInterval fresh = Known(right, slew_rate_);
    size_t first = segment.begin;
    for (size_t i = segment.begin; i-- > least;) {
      if (!fresh.At(messages_[i].at_a, slew_rate_).Allows(messages_[i])) break;
      if (is_wrong[i]) first = i;
    }
    Acquit(first, segment.begin, is_wrong);
    return first;
  }
  std::vector<size_t> RightOnes(const Segment& segment, const std::vector<bool>& is_wrong) const {
    std::vector<size_t> right;
    for (size_t i = segment.begin; i < segment.end && right.size() < kNear; ++i) {
      if (!is_wrong[i]) right.push_back(i);
    }
    return right;
  }

  PairHistory HistoryOf(const std::vector<Segment>& segments, const std::vector<size_t>& slews,
                        std::vector<bool> is_wrong) const {
    PairHistory history;
    for (size_t k = 1; k < segments.size(); ++k) {
      if (AddStep(segments[k - 1], segments[k], is_wrong, history.steps)) continue;
      for (const size_t i : segments[k].evidence) is_wrong[i] = true;
      for (const size_t i : segments[k].beside) is_wrong[i] = true;
    }
    for (size_t i = 0; i < messages_.size(); ++i) {
      if (is_wrong[i]) history.suspects.push_back(messages_[i].message);
    }
    for (const size_t i : slews) {
      const auto within = [&](const Segment& s) { return s.begin < i && i < s.end; };
      const auto segment = std::ranges::find_if(segments, within);
      if (segment == segments.end()) continue;
      AddStep({std::max(segment->begin, i - std::min(i, kNearSlew)), i},
              {i, std::min(segment->end, i + kNearSlew)}, is_wrong, history.slews);
    }
    return history;
  }

  // From right messages near it. False where these show none.
  bool AddStep(const Segment& old_segment, const Segment& new_segment,
               const std::vector<bool>& is_wrong, std::vector<PairStep>& steps) const {
    std::vector<size_t> after = RightOnes(new_segment, is_wrong);
    if (after.empty()) return false;
    const OffsetInterval fresh = Known(after, rate_);
    std::vector<size_t> before;
    // The last ones before it may fit both offsets: it can have happened before them.
    bool fits_both = true;
    for (size_t i = old_segment.end; i-- > old_segment.begin && before.size() < kNear;) {
      if (is_wrong[i]) continue;
      fits_both = fits_both && fresh.At(messages_[i].at_a, rate_).Allows(messages_[i]);
      if (!fits_both) before.push_back(i);
    }
    if (before.empty()) return false;
    const OffsetInterval old = Known(before, rate_);
    PairStep step;
    const auto cut = [&] {
      CutBetween(before, after, &PairMessage::at_a, step.before_a, step.after_a);
      CutBetween(before, after, &PairMessage::at_b, step.before_b, step.after_b);
    };
    cut();
    // The first ones behind it may fit both as well: they are from before where a reading says so.
    if (step.after_a <= step.before_a || step.after_b <= step.before_b) {
      const auto first = std::ranges::find_if(
          after, [&](size_t i) { return !old.At(messages_[i].at_a, rate_).Allows(messages_[i]); });
      if (first != after.end()) after.erase(after.begin(), first);
      cut();
    }
    step.jump = old.At(fresh.at, rate_).To(fresh);
    for (const size_t i : new_segment.evidence) step.evidence.push_back(messages_[i].message);
    steps.push_back(std::move(step));
    return true;
  }

  // What messages that lead away from a step leave θ at it.
  OffsetInterval Known(const std::vector<size_t>& from_step, double rate) const {
    OffsetInterval known{.at = messages_[from_step.front()].at_a};
    for (size_t k = from_step.size(); k-- > 0;) known.Follow(messages_[from_step[k]], rate);
    return known;
  }

  // Messages under way during a step are on one side of it at one clock and on the other at the
  // other, so readings can overlap: the cut that the fewest of them lie beyond.
  void CutBetween(const std::vector<size_t>& before, const std::vector<size_t>& after,
                  int64_t PairMessage::*reading, int64_t& last, int64_t& first) const {
    std::vector<std::pair<int64_t, bool>> order;  // whether it is behind the step
    for (const size_t i : before) order.emplace_back(messages_[i].*reading, false);
    for (const size_t i : after) order.emplace_back(messages_[i].*reading, true);
    std::ranges::sort(order);
    // Behind the k-th reading; misplaced are later ones before it and earlier ones behind.
    size_t misplaced = before.size();
    size_t best = order.size();
    size_t least = std::numeric_limits<size_t>::max();
    for (size_t k = 0; k <= order.size(); ++k) {
      if (k > 0 && k < order.size() && misplaced < least) {
        least = misplaced;
        best = k;
      }
      if (k < order.size()) misplaced = order[k].second ? misplaced + 1 : misplaced - 1;
    }
    if (best == order.size()) best = order.size() - 1;
    last = order[best - 1].first;
    first = order[best].first;
  }

  std::span<const PairMessage> messages_;
  double rate_, slew_rate_;
  bool agreement_counts_;
  std::vector<State> states_, next_;
  std::vector<Decision> decisions_;
};

}  // namespace

PairHistory FindSteps(std::span<const PairMessage> messages, double rate, double slew_rate,
                      Agreement agreement) {
  return Search(messages, rate, slew_rate, agreement).Run();
}

}  // namespace syncline::drift_bounded
