#include "estimate/drift_bounded/steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace syncline::drift_bounded {
namespace {

constexpr int kStepCost = 8;
constexpr int kRunCost = 7;         // what each further suspect in a row costs more
constexpr uint32_t kFewBefore = 3;  // messages that a contradiction may turn into suspects at once
constexpr size_t kMostStates = 12;
constexpr int kMostBehind = 9;  // in cost, behind the cheapest
constexpr size_t kNear = 256;   // messages that a jump is measured from
constexpr int64_t kOpen = INT64_MAX / 4;

// What θ may be, at a reading of a.
struct Interval {
  int64_t low = -kOpen;
  int64_t high = kOpen;
  int64_t at = 0;

  Interval At(int64_t reading, double rate) const {
    const auto wider = static_cast<int64_t>(
        std::ceil(std::abs(static_cast<double>(reading) - static_cast<double>(at)) * rate));
    const auto out = [&](int64_t v, int64_t by) { return std::abs(v) >= kOpen ? v : v + by; };
    return {out(low, -wider), out(high, wider), reading};
  }
  bool Allows(const PairMessage& m) const { return m.is_upper ? m.theta >= low : m.theta <= high; }
  void Narrow(const PairMessage& m) {
    if (m.is_upper)
      high = std::min(high, m.theta);
    else
      low = std::max(low, m.theta);
  }
  bool IsOpen() const { return low <= -kOpen || high >= kOpen; }
};

enum class Verdict : uint8_t { kSuspect, kStep, kRestart };

// A decision, and the one before it.
struct Decision {
  Verdict verdict = Verdict::kSuspect;
  size_t message = 0;
  ptrdiff_t previous = -1;
};

struct State {
  Interval interval;
  int cost = 0;
  int run[2] = {};        // suspects in a row, of messages from b and from a
  uint32_t accepted = 0;  // since the last step or restart
  ptrdiff_t last = -1;    // decision
};

class Search {
 public:
  Search(std::span<const PairMessage> messages, double rate) : messages_(messages), rate_(rate) {}

  PairHistory Run() {
    states_.push_back({});
    if (!messages_.empty()) states_.front().interval.at = messages_.front().at_a;
    for (size_t i = 0; i < messages_.size(); ++i) Advance(i);
    return Trace(states_.front());
  }

 private:
  void Advance(size_t i) {
    const PairMessage& m = messages_[i];
    next_.clear();
    for (State& state : states_) {
      const Interval now = state.interval.At(m.at_a, rate_);
      if (now.Allows(m)) {
        Accept(state, now, m);
        if (NarrowsMuch(now, m)) Reject(state, now, i);
      } else {
        Reject(state, now, i);
        Step(state, i);
        if (state.accepted > 0 && state.accepted <= kFewBefore) Restart(state, i);
      }
    }
    Prune();
  }

  static bool NarrowsMuch(const Interval& now, const PairMessage& m) {
    if (now.IsOpen()) return false;
    const int64_t width = now.high - now.low;
    const int64_t left = m.is_upper ? m.theta - now.low : now.high - m.theta;
    return left < width / 2;
  }

  void Accept(const State& state, Interval now, const PairMessage& m) {
    State accepted = state;
    now.Narrow(m);
    accepted.interval = now;
    accepted.run[m.is_upper] = 0;
    ++accepted.accepted;
    next_.push_back(accepted);
  }
  void Reject(const State& state, const Interval& now, size_t i) {
    State rejected = state;
    rejected.interval = now;
    int& run = rejected.run[messages_[i].is_upper];
    rejected.cost += 1 + kRunCost * run;
    ++run;
    Decide(rejected, Verdict::kSuspect, i);
  }
  void Step(const State& state, size_t i) {
    State stepped = Begin(state, i);
    stepped.cost += kStepCost;
    Decide(stepped, Verdict::kStep, i);
  }
  // What was accepted since the beginning, or the last step, is wrong.
  void Restart(const State& state, size_t i) {
    State restarted = Begin(state, i);
    restarted.cost += static_cast<int>(state.accepted);
    Decide(restarted, Verdict::kRestart, i);
  }
  State Begin(const State& state, size_t i) const {
    State begun = state;
    begun.interval = {.at = messages_[i].at_a};
    begun.interval.Narrow(messages_[i]);
    begun.run[0] = begun.run[1] = 0;
    begun.accepted = 1;
    return begun;
  }
  void Decide(State& state, Verdict verdict, size_t i) {
    decisions_.push_back({verdict, i, state.last});
    state.last = static_cast<ptrdiff_t>(decisions_.size()) - 1;
    next_.push_back(state);
  }

  // Keeps states that none is both cheaper and freer than.
  void Prune() {
    std::stable_sort(next_.begin(), next_.end(), [](const State& a, const State& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.run[0] + a.run[1] < b.run[0] + b.run[1];
    });
    states_.clear();
    for (const State& state : next_) {
      if (states_.size() == kMostStates) break;
      if (!states_.empty() && state.cost > states_.front().cost + kMostBehind) continue;
      const bool is_dominated =
          std::any_of(states_.begin(), states_.end(), [&](const State& other) {
            return other.cost <= state.cost && other.run[0] <= state.run[0] &&
                   other.run[1] <= state.run[1] && other.interval.low <= state.interval.low &&
                   other.interval.high >= state.interval.high;
          });
      if (!is_dominated) states_.push_back(state);
    }
  }

  // From the last decision back: which messages are wrong, and where segments begin.
  PairHistory Trace(const State& best) const {
    std::vector<bool> is_wrong(messages_.size(), false);
    std::vector<size_t> begins;  // of steps
    std::vector<std::pair<size_t, Verdict>> all;
    for (ptrdiff_t d = best.last; d >= 0; d = decisions_[d].previous) {
      all.emplace_back(decisions_[d].message, decisions_[d].verdict);
    }
    std::reverse(all.begin(), all.end());
    size_t begin = 0;
    for (const auto& [i, verdict] : all) {
      if (verdict == Verdict::kSuspect) is_wrong[i] = true;
      if (verdict == Verdict::kRestart) {
        for (size_t k = begin; k < i; ++k) is_wrong[k] = true;
      }
      if (verdict == Verdict::kStep) begins.push_back(i);
      if (verdict != Verdict::kSuspect) begin = i;
    }
    PairHistory history;
    for (size_t i = 0; i < messages_.size(); ++i) {
      if (is_wrong[i]) history.suspects.push_back(messages_[i].message);
    }
    for (const size_t at : begins) AddStep(at, is_wrong, history);
    return history;
  }

  // The step before message `at`, from right messages near it.
  void AddStep(size_t at, const std::vector<bool>& is_wrong, PairHistory& history) const {
    std::vector<size_t> before, after;
    for (size_t i = at; i < messages_.size() && after.size() < kNear; ++i) {
      if (!is_wrong[i]) after.push_back(i);
    }
    if (after.empty()) return;
    const Interval fresh = Known(after);
    // The last ones before it may fit both offsets: it can have happened before them.
    bool fits_both = true;
    for (size_t i = at; i-- > 0 && before.size() < kNear;) {
      if (is_wrong[i]) continue;
      fits_both = fits_both && fresh.At(messages_[i].at_a, rate_).Allows(messages_[i]);
      if (!fits_both) before.push_back(i);
    }
    if (before.empty()) return;
    PairStep step;
    CutBetween(before, after, &PairMessage::at_a, step.before_a, step.after_a);
    CutBetween(before, after, &PairMessage::at_b, step.before_b, step.after_b);
    const Interval old = Known(before);
    step.least_jump = fresh.low <= -kOpen || old.high >= kOpen ? -kOpen : fresh.low - old.high;
    step.most_jump = fresh.high >= kOpen || old.low <= -kOpen ? kOpen : fresh.high - old.low;
    history.steps.push_back(step);
  }

  // What messages that lead away from a step leave θ at it.
  Interval Known(const std::vector<size_t>& from_step) const {
    Interval known{.at = messages_[from_step.front()].at_a};
    for (size_t k = from_step.size(); k-- > 0;) {
      known = known.At(messages_[from_step[k]].at_a, rate_);
      // Messages are those of one offset, but for such that a later step away.
      if (!known.Allows(messages_[from_step[k]])) known = {.at = known.at};
      known.Narrow(messages_[from_step[k]]);
    }
    return known;
  }

  // Messages under way during a step are on one side of it at one clock and on the other at the
  // other, so readings can overlap: the cut that the fewest of them lie beyond.
  void CutBetween(const std::vector<size_t>& before, const std::vector<size_t>& after,
                  int64_t PairMessage::*reading, int64_t& last, int64_t& first) const {
    std::vector<std::pair<int64_t, bool>> order;  // whether it is behind the step
    for (const size_t i : before) order.emplace_back(messages_[i].*reading, false);
    for (const size_t i : after) order.emplace_back(messages_[i].*reading, true);
    std::sort(order.begin(), order.end());
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
  double rate_;
  std::vector<State> states_, next_;
  std::vector<Decision> decisions_;
};

}  // namespace

PairHistory FindSteps(std::span<const PairMessage> messages, double rate) {
  return Search(messages, rate).Run();
}

}  // namespace syncline::drift_bounded
