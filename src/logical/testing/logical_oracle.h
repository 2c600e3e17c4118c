// Test only: the logical clocks of a whole trace in memory, by their definitions.
//
// Quadratic: what the filter keeps incrementally is searched for again at every event. Shares with
// the filter the fixed-point fractions and the values they are rounded to, and the naive
// amortization on whole arrays, nothing else. Incomplete collectives are not known here, nor is
// what the filter amortizes before the receives of a broadcast, which it does not wait for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "logical/fixed_point.h"
#include "logical/logical_test_util.h"
#include "logical/testing/amortizer_oracle.h"

namespace syncline::oracle {

struct Clocks {
  std::vector<int64_t> simple;      // LC by tag
  std::vector<int64_t> controlled;  // LC'
  std::vector<int64_t> amortized;   // LC^A
  std::vector<uint64_t> order;      // tags in order of evaluation
};

class Oracle {
 public:
  Oracle(const TestTrace& trace, const LogicalOptions& options, const DelayModel& delays)
      : trace_(trace),
        options_(options),
        delays_(delays),
        next_(trace.processes.size()),
        simple_(trace.size()),
        controlled_(trace.size()),
        jump_(trace.size()),
        fraction_(trace.processes.size()),
        original_(trace.processes.size()),
        leads_(trace.processes.size()),
        is_computed_(trace.size()),
        is_given_up_(trace.size()) {
    const int64_t q_init = options.original.q_init_ns;
    for (Original& o : original_) {
      o = {q_init, q_init, Fraction::FromDouble(options.original.gamma_max)};
    }
  }

  Clocks Run() {
    while (const auto process = Choose()) Compute(*process);
    Clocks clocks{simple_, controlled_, std::vector<int64_t>(trace_.size()), order_};
    for (const auto& events : trace_.processes) Amortize(events, clocks.amortized);
    return clocks;
  }

 private:
  using Kind = LogicalEvent::Kind;
  struct Original {
    int64_t simple = 0;
    int64_t controlled = 0;
    Fraction gamma;
  };
  struct Lead {
    int64_t raised = 0;
    int64_t since = 0;
    int64_t now = 0;
  };
  struct Constraint {
    const LogicalEvent* send = nullptr;
    int64_t delay = 0;
  };

  const LogicalEvent* Head(size_t p) const {
    const auto& events = trace_.processes[p];
    return next_[p] < events.size() ? &events[next_[p]] : nullptr;
  }
  bool IsDone(size_t p) const { return Head(p) == nullptr; }
  int64_t Delay(const LogicalEvent& send, const LogicalEvent& receive) const {
    return delays_
        .Of(ClockId{send.process.value}, ClockId{receive.process.value},
            std::max(send.bytes, receive.bytes))
        .ns;
  }
  bool Precedes(const LogicalEvent& a, const LogicalEvent& b) const {
    if (a.process == b.process) return false;
    if (b.kind == Kind::kReceive) {
      const bool is_send = a.kind == Kind::kSend && a.peer == b.process;
      return (is_send || a.kind == Kind::kBroadcast) && a.process == b.peer &&
             a.message == b.message;
    }
    if (b.kind != Kind::kLeaveCollective || a.kind != Kind::kEnterCollective) return false;
    if (a.group != b.group || a.message != b.message || !a.takes_part || !b.takes_part)
      return false;
    const auto& members = trace_.groups[b.group];
    const auto rank = [&](ProcessId p) {
      return std::find(members.begin(), members.end(), p) - members.begin();
    };
    switch (b.flow) {
      case CollectiveFlow::kNone: return false;
      case CollectiveFlow::kAllToAll: return true;
      case CollectiveFlow::kOneToAll: return a.is_root;
      case CollectiveFlow::kAllToOne: return b.is_root;
      case CollectiveFlow::kFork: return rank(a.process) == 0;
      case CollectiveFlow::kJoin: return rank(b.process) == 0;
      default: return rank(a.process) < rank(b.process);
    }
  }
  // The events that `event` must not precede.
  std::vector<Constraint> Constraints(const LogicalEvent& event) const {
    std::vector<Constraint> result;
    if (event.kind != Kind::kReceive && event.kind != Kind::kLeaveCollective) return result;
    for (const auto& events : trace_.processes) {
      for (const LogicalEvent& other : events) {
        if (Precedes(other, event)) result.push_back({&other, Delay(other, event)});
      }
    }
    return result;
  }
  // A process that the head of `p` waits for.
  std::optional<size_t> WaitsFor(size_t p) const {
    const LogicalEvent& head = *Head(p);
    if (head.kind == Kind::kReceive && Constraints(head).empty()) {
      if (head.peer == head.process || is_given_up_[head.tag] || IsDone(head.peer.index())) {
        return std::nullopt;
      }
      return head.peer.index();
    }
    if (head.kind == Kind::kLeaveCollective) return WaitsForMember(head);
    for (const Constraint& c : Constraints(head)) {
      if (!is_computed_[c.send->tag]) return c.send->process.index();
    }
    return std::nullopt;
  }
  // The lowest rank that has not entered, where the leave has to wait: whether a member takes part
  // is known when it enters.
  std::optional<size_t> WaitsForMember(const LogicalEvent& leave) const {
    if (!leave.takes_part) return std::nullopt;
    std::optional<size_t> missing;
    bool has_to_wait = false;
    bool is_higher = false;
    for (const ProcessId member : trace_.groups[leave.group]) {
      is_higher = is_higher || member == leave.process;
      for (const LogicalEvent& e : trace_.processes[member.index()]) {
        if (e.kind != Kind::kEnterCollective || e.group != leave.group ||
            e.message != leave.message || is_computed_[e.tag]) {
          continue;
        }
        const bool is_prefix =
            leave.flow == CollectiveFlow::kPrefix || leave.flow == CollectiveFlow::kExclusivePrefix;
        if (is_prefix && is_higher) continue;
        if (!missing) missing = member.index();
        has_to_wait = has_to_wait || is_prefix || leave.flow == CollectiveFlow::kAllToAll ||
                      (leave.flow == CollectiveFlow::kOneToAll && !leave.is_root && e.is_root) ||
                      (leave.flow == CollectiveFlow::kAllToOne && leave.is_root) ||
                      leave.flow == CollectiveFlow::kFork ||
                      (leave.flow == CollectiveFlow::kJoin &&
                       leave.process == trace_.groups[leave.group].front());
      }
    }
    return has_to_wait ? missing : std::nullopt;
  }
  std::optional<size_t> Choose() {
    while (true) {
      std::optional<size_t> best;
      for (size_t p = 0; p < next_.size(); ++p) {
        if (IsDone(p) || WaitsFor(p)) continue;
        if (!best || Head(p)->time < Head(*best)->time) best = p;
      }
      if (best || !BreakCircle()) return best;
    }
  }
  // Of a circle of waiting processes, the first receive without a send goes on.
  bool BreakCircle() {
    size_t first = 0;
    while (first < next_.size() && IsDone(first)) ++first;
    if (first == next_.size()) return false;
    std::vector<size_t> path;
    while (std::find(path.begin(), path.end(), first) == path.end()) {
      path.push_back(first);
      first = *WaitsFor(first);
    }
    const size_t start = first;
    do {
      const LogicalEvent& head = *Head(first);
      if (head.kind == Kind::kReceive && Constraints(head).empty()) {
        is_given_up_[head.tag] = true;
        return true;
      }
      first = *WaitsFor(first);
    } while (first != start);
    return false;
  }

  Fraction Gamma(size_t p) const {
    if (options_.clock == LogicalClockKind::kSimple) return {};
    if (options_.controller == ControllerKind::kOriginal) return original_[p].gamma;
    const Fraction a = Fraction::FromDouble(options_.revised.gamma_max);
    Fraction b = a;
    int64_t least = INT64_MAX;
    int64_t most = 0;
    int64_t largest = 0;
    bool all_have_started = true;
    for (size_t k = 0; k < next_.size(); ++k) {
      if (next_[k] == 0) {
        all_have_started = all_have_started && trace_.processes[k].empty();
        continue;
      }
      const LogicalEvent& last = trace_.processes[k][next_[k] - 1];
      const int64_t d = controlled_[last.tag] - last.time.ns;
      least = std::min(least, d);
      most = std::max(most, d);
      largest = std::max(largest, leads_[k].now);
    }
    if (all_have_started && least > 0) {
      const Fraction x =
          Fraction::FromDouble(static_cast<double>(least) / static_cast<double>(most));
      b = a * (Fraction::One() - x * x);
    }
    const LogicalEvent& last = trace_.processes[p][next_[p] - 1];
    const Fraction c = GammaC(controlled_[last.tag] - last.time.ns, largest, a);
    return std::max(std::min(std::min(a, b), c),
                    Fraction::FromDouble(options_.revised.gamma_floor));
  }
  Fraction GammaC(int64_t d, int64_t largest, Fraction a) const {
    if (d <= 0) return a;
    if (largest <= 0) return {};
    const double q = static_cast<double>(d) / static_cast<double>(largest);
    if (q <= options_.revised.q_low) return a;
    if (q >= options_.revised.q_high) return {};
    const Fraction t = Fraction::FromDouble((q - options_.revised.q_low) /
                                            (options_.revised.q_high - options_.revised.q_low));
    const Fraction t2 = t * t;
    const Fraction t3 = t2 * t;
    const Int128 one = Fraction::One().units;
    const Int128 fall = one - Int128{3} * t2.units + Int128{2} * t3.units;
    return a * Fraction{static_cast<int64_t>(std::clamp<Int128>(fall, 0, one))};
  }

  void Compute(size_t p) {
    const LogicalEvent& e = *Head(p);
    const int64_t c = e.time.ns;
    Int128 own = static_cast<Int128>(c) << kFractionBits;  // LC' with its fraction
    int64_t simple = c;
    if (next_[p] > 0) {
      const LogicalEvent& last = trace_.processes[p][next_[p] - 1];
      const Int128 before = (static_cast<Int128>(controlled_[last.tag]) << kFractionBits) +
                            static_cast<Int128>(fraction_[p]);
      const Int128 passed = static_cast<Int128>(c) - last.time.ns;
      const Int128 gap = options_.min_event_gap_ns;
      own = std::max(before + std::max(gap << kFractionBits, passed * Gamma(p).units),
                     static_cast<Int128>(c) << kFractionBits);
      simple = std::max(simple_[last.tag] + options_.min_event_gap_ns, c);
    }
    int64_t controlled = static_cast<int64_t>(own >> kFractionBits);
    int64_t bound = INT64_MIN;
    for (const Constraint& k : Constraints(e)) {
      bound = std::max(bound, controlled_[k.send->tag] + k.delay);
      simple = std::max(simple, simple_[k.send->tag] + k.delay);
    }
    jump_[e.tag] = std::max<int64_t>(0, bound == INT64_MIN ? 0 : bound - controlled);
    if (jump_[e.tag] > 0) {
      controlled = bound;
      own = static_cast<Int128>(bound) << kFractionBits;
    }
    fraction_[p] = own - (static_cast<Int128>(controlled) << kFractionBits);
    simple_[e.tag] = simple;
    controlled_[e.tag] = controlled;
    is_computed_[e.tag] = true;
    order_.push_back(e.tag);
    UpdateLead(leads_[p], c, simple, next_[p] == 0);
    UpdateOriginal(original_[p], simple - c, controlled - c);
    ++next_[p];
  }
  void UpdateLead(Lead& lead, int64_t c, int64_t simple, bool is_first) const {
    if (is_first) lead = {0, simple, 0};
    const Int128 rest =
        Fraction::One().units - Int128{Fraction::FromDouble(options_.revised.gamma_max).units};
    const Int128 fall = rest * std::max<int64_t>(0, simple - lead.since) >> (kFractionBits + 1);
    lead.now = std::max<int64_t>(0, lead.raised - static_cast<int64_t>(fall));
    if (simple - c > lead.now) lead = {simple - c, simple, simple - c};
  }
  void UpdateOriginal(Original& state, int64_t simple, int64_t controlled) const {
    const OriginalControllerOptions& o = options_.original;
    const auto forget = [&](int64_t d, int64_t seen) {
      const Int128 part = Int128{d - o.q_min_ns} * Fraction::FromDouble(o.q_factor).units;
      return std::max(seen, static_cast<int64_t>((part >> kFractionBits) + o.q_min_ns));
    };
    state.simple = forget(state.simple, simple);
    state.controlled = forget(state.controlled, controlled);
    const auto ratio = [](double v) { return static_cast<Int128>(v * 0x1p32); };
    const Int128 ahead = Int128{state.controlled} * (Int128{1} << 32);
    const Fraction step = Fraction::FromDouble(o.gamma_step);
    if (ahead > ratio(o.l_up) * state.simple) {
      state.gamma = std::max(state.gamma * step, Fraction{1});
    } else if (ahead < ratio(o.l_low) * state.simple) {
      const Int128 raised =
          CeilDiv(static_cast<Int128>(state.gamma.units) << kFractionBits, step.units);
      const Fraction most = Fraction::FromDouble(o.gamma_max);
      state.gamma = raised > most.units ? most : Fraction{static_cast<int64_t>(raised)};
    }
  }

  void Amortize(const std::vector<LogicalEvent>& events, std::vector<int64_t>& after) const {
    std::vector<AmortizedEvent> clocks;
    for (const LogicalEvent& e : events) {
      AmortizedEvent clock{controlled_[e.tag], jump_[e.tag], INT64_MAX};
      for (const auto& others : trace_.processes) {
        for (const LogicalEvent& other : others) {
          if (!Precedes(e, other)) continue;
          clock.latest_ns = std::min(clock.latest_ns, controlled_[other.tag] - Delay(e, other));
        }
      }
      clocks.push_back(clock);
    }
    const Amortized result = syncline::oracle::Amortize(clocks, options_.amortizer);
    for (size_t i = 0; i < events.size(); ++i) after[events[i].tag] = result.after_ns[i];
  }

  const TestTrace& trace_;
  const LogicalOptions& options_;
  const DelayModel& delays_;
  std::vector<size_t> next_;
  std::vector<int64_t> simple_;
  std::vector<int64_t> controlled_;
  std::vector<int64_t> jump_;
  std::vector<Int128> fraction_;
  std::vector<Original> original_;
  std::vector<Lead> leads_;
  std::vector<bool> is_computed_;
  std::vector<bool> is_given_up_;
  std::vector<uint64_t> order_;
};

}  // namespace syncline::oracle
