#include "logical/replay_forward.h"

#include <algorithm>

#include "syncline/time.h"

namespace syncline {

using LinkTo = ReplayLink::Kind;

ReplayForward::ReplayForward(ReplayTrace& trace, const ReplayLinks& links,
                             const LogicalOptions& options, const DelayModel& delays,
                             LogicalReport& report)
    : trace_(&trace),
      options_(&options),
      report_(&report),
      collectives_(trace, links, delays, report),
      messages_(trace.messages.size() + 2),
      jumps_(trace.processes.size()) {
  SetDelays(links, delays);
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    ReplayTrace::Process& process = trace.processes[p];
    process.after.resize(process.before.size());
    lanes_.push_back(
        {process.before.data(), process.after.data(), links[p].data(), 0, process.before.size()});
  }
}

void ReplayForward::SetDelays(const ReplayLinks& links, const DelayModel& delays) {
  const auto clock_of = [&](ProcessId p) { return trace_->processes[p.index()].clock; };
  for (uint32_t i = 0; i < trace_->messages.size(); ++i) {
    if (!links.is_linked(i)) continue;
    const ReplayTrace::Message& m = trace_->messages[i];
    messages_[i].delay = delays.Of(clock_of(m.sender), clock_of(m.receiver), m.bytes).ns;
    messages_[i].receiver = m.receiver.value;
  }
}

bool ReplayForward::MayDoWithoutOrder(const ReplayTrace& trace, const LogicalOptions& options) {
  if (options.clock == LogicalClockKind::kSimple) return true;
  if (options.controller == ControllerKind::kOriginal) return true;
  // Leaves wait for members that do not take part, too.
  return options.revised.gamma_floor <= options.revised.gamma_max &&
         std::all_of(trace.parts.begin(), trace.parts.end(),
                     [](const ReplayTrace::Part& part) { return part.takes_part; });
}

ReplayForward::Outcome ReplayForward::RunInAnyOrder() {
  const bool looks_at_all = options_->clock == LogicalClockKind::kControlled &&
                            options_->controller == ControllerKind::kRevised;
  LogicalClocks all =
      looks_at_all ? LogicalClocks::Steady(*options_) : LogicalClocks::By(*options_);
  all.Resize(lanes_.size());
  for (auto p = static_cast<uint32_t>(lanes_.size()); p-- > 0;) ready_.push_back(p);
  bool is_steady = true;
  all.With([&](auto& clocks) {
    RunReady(clocks, is_steady);
    if (team_ != nullptr) {
      // One that is not steady still takes what the others tell, lest they wait.
      for (TellOthers(); Learn(); TellOthers()) RunReady(clocks, is_steady);
    }
    if constexpr (requires { clocks.controller().is_steady(); }) {
      const bool is_never = IsNeverAllAhead(clocks.controller());
      is_steady = is_steady && (done_ < lanes_.size() || is_never);
    }
  });
  is_steady = is_steady && !(looks_at_all && !IsFarFromTheEnds());
  report_->gamma = all.gamma_report();
  const Outcome own = done_ == lanes_.size() ? Outcome::kDone : Outcome::kBlocked;
  const Outcome outcome = OutcomeOfAll(is_steady ? own : Outcome::kNeedsOrder);
  if (team_ != nullptr && outcome == Outcome::kDone) ExchangeLimits();
  return outcome;
}

template <typename Clocks>
void ReplayForward::RunReady(Clocks& clocks, bool& is_steady) {
  // Others start early on what processes next to theirs have computed, which go first, being ready
  // last: shares that tell all at the end take turns, rather than go on side by side.
  constexpr uint32_t kRunsBetween = 8;
  for (uint32_t runs = 1; !ready_.empty() && is_steady; ++runs) {
    const uint32_t process = ready_.back();
    ready_.pop_back();
    GoOn(clocks, process);
    if (team_ != nullptr && runs % kRunsBetween == 0) TellOthers();
    if constexpr (requires { clocks.controller().is_steady(); }) {
      is_steady = clocks.controller().is_steady();
    }
  }
}

template <typename Clocks>
[[gnu::always_inline]] inline void ReplayForward::GoOn(Clocks& clocks, uint32_t process) {
  Lane& lane = lanes_[process];
  lane.next_link = {};
  uint64_t next_told = NextTold(process);
  for (; lane.next < lane.end; ++lane.next) {
    const uint64_t event = lane.next;
    const ReplayLink link = lane.links[event];
    if (Waits(link)) {
      lane.next_link = link;
      return;
    }
    constexpr uint64_t kAhead = 32;
    if (lane.end - event > kAhead) {
      __builtin_prefetch(lane.before + event + kAhead);
      __builtin_prefetch(lane.after + event + kAhead, 1);
      __builtin_prefetch(lane.links + event + kAhead);
      PrefetchToChange(lane.links[event + kAhead / 2]);
    }
    const int64_t before = lane.before[event];
    const ClockStep step = link.kind() == LinkTo::kPart
                               ? TakePart(clocks, process, before, link.index())
                               : TakeMessage(clocks, process, before, link);
    lane.after[event] = step.controlled;
    if (step.jump > 0) NoteJump(process, event, step.jump);
    if (event == next_told) [[unlikely]] {
      KeepForOthers(process, event, link, step);
      next_told = NextTold(process);
    }
  }
  ++done_;
}

// The next of its events that another share needs.
inline uint64_t ReplayForward::NextTold(uint32_t process) const {
  if (crossings_ == nullptr) return UINT64_MAX;
  const auto outgoing = crossings_->outgoing(process);
  const size_t told = told_[process];
  return told < outgoing.size() ? outgoing[told].event : UINT64_MAX;
}

void ReplayForward::KeepForOthers(uint32_t process, uint64_t event, ReplayLink link,
                                  const ClockStep& step) {
  const ClockBound clocks = link.kind() == LinkTo::kPart ? collectives_.ToOthers(link.index(), step)
                                                         : messages_[link.index()].bound;
  const auto outgoing = crossings_->outgoing(process);
  size_t& told = told_[process];
  for (; told < outgoing.size() && outgoing[told].event == event; ++told) {
    to_each_[outgoing[told].share].push_back({outgoing[told].number, clocks});
  }
}

void ReplayForward::TellOthers() {
  for (size_t share = 0; share < to_each_.size(); ++share) {
    std::vector<Told>& told = to_each_[share];
    if (told.empty()) continue;
    team_->Post(share, ReplayTeam::BytesOf(std::span<const Told>(told)));
    told.clear();
  }
}

bool ReplayForward::Learn() {
  const std::vector<ReplayTeam::Arrival> arrivals = team_->Receive(done_ == lanes_.size());
  for (const ReplayTeam::Arrival& arrival : arrivals) {
    for (const Told& told : ReplayTeam::ValuesOf<Told>(arrival.bytes)) Learn(arrival.from, told);
  }
  return !arrivals.empty();
}

void ReplayForward::Learn(size_t share, const Told& told) {
  const ReplayLink link = crossings_->incoming(share, static_cast<uint32_t>(told.number));
  if (link.kind() == LinkTo::kPart) {
    collectives_.Adopt(link.index(), told.clocks);
    MakeReadyMembers();
    return;
  }
  UnderWay& message = messages_[link.index()];
  message.bound = told.clocks;
  message.is_sent = true;
  if (lanes_[message.receiver].next_link == link) MakeReady(message.receiver);
}

// How late the amortization may put sends of other shares, which they are told.
void ReplayForward::ExchangeLimits() {
  std::vector<std::vector<int64_t>> limits(team_->shares());
  for (size_t share = 0; share < limits.size(); ++share) {
    for (const uint32_t message : crossings_->messages_from(share)) {
      limits[share].push_back(messages_[message].bound.controlled);
    }
  }
  const auto received = team_->ExchangeAll(limits);
  for (size_t share = 0; share < received.size(); ++share) {
    const auto messages = crossings_->messages_to(share);
    for (size_t i = 0; i < messages.size(); ++i) {
      messages_[messages[i]].bound.controlled = received[share][i];
    }
  }
}

ReplayForward::Outcome ReplayForward::OutcomeOfAll(Outcome own) {
  if (team_ == nullptr) return own;
  constexpr uint32_t kBlocked = 1;
  constexpr uint32_t kNeedsOrder = 2;
  uint32_t flags = own == Outcome::kBlocked ? kBlocked : 0;
  if (own == Outcome::kNeedsOrder) flags = kNeedsOrder;
  team_->Exchange(std::vector<ReplayTeam::Bytes>(team_->shares()), flags);
  if ((flags & kNeedsOrder) != 0) return Outcome::kNeedsOrder;
  return flags == 0 ? Outcome::kDone : Outcome::kBlocked;
}

bool ReplayForward::IsNeverAllAhead(const SteadyController& controller) {
  using Ahead = SteadyController::Ahead;
  std::vector<Ahead> common = controller.TimesAllAhead();
  if (team_ == nullptr) return common.empty();
  const std::vector<std::vector<Ahead>> own(team_->shares(), common);
  for (const std::vector<Ahead>& others : team_->ExchangeAll(own)) {
    common = SteadyController::InCommon(common, others);
  }
  return common.empty();
}

void ReplayForward::Share(const ReplayCrossings& crossings, ReplayTeam& team) {
  crossings_ = &crossings;
  team_ = &team;
  told_.resize(lanes_.size());
  to_each_.resize(team.shares());
}

// Whether nothing can have been cut off at the ends of int64: what was is no later than the last
// event of a process.
bool ReplayForward::IsFarFromTheEnds() const {
  constexpr int64_t kFar = int64_t{1} << 62;
  return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return lane.next == 0 || lane.after[lane.next - 1] < kFar;
  });
}

ReplayForward::Outcome ReplayForward::RunInOrder() {
  is_in_order_ = true;
  LogicalClocks all = LogicalClocks::By(*options_);
  all.Resize(lanes_.size());
  order_.Resize(lanes_.size());
  for (uint32_t p = 0; p < lanes_.size(); ++p) {
    Lane& lane = lanes_[p];
    if (lane.end == 0) {
      all.Leave();
    } else {
      lane.next_before = lane.before[0];
      lane.next_link = lane.links[0];
      ReadSecond(lane);
    }
    NextHead(p);
  }
  all.With([&](auto& clocks) {
    for (uint32_t p = order_.first(); p != ProcessOrder::kNobody; p = order_.first()) {
      Take(clocks, p);
    }
  });
  report_->gamma = all.gamma_report();
  return done_ == lanes_.size() ? Outcome::kDone : Outcome::kBlocked;
}

template <typename Clocks>
[[gnu::always_inline]] inline void ReplayForward::Take(Clocks& clocks, uint32_t process) {
  Lane& lane = lanes_[process];
  const uint64_t event = lane.next;
  const int64_t before = lane.next_before;
  const ReplayLink link = lane.next_link;
  Step(lane);
  const ClockStep step = link.kind() == LinkTo::kPart
                             ? TakePart(clocks, process, before, link.index())
                             : TakeMessage(clocks, process, before, link);
  lane.after[event] = step.controlled;
  if (step.jump > 0) NoteJump(process, event, step.jump);
  NextHead(process);
}

inline void ReplayForward::Step(Lane& lane) const {
  ++lane.next;
  lane.next_before = lane.second_before;
  lane.next_link = lane.second_link;
  ReadSecond(lane);
}

inline void ReplayForward::ReadSecond(Lane& lane) const {
  const uint64_t second = lane.next + 1;
  if (second >= lane.end) return;
  lane.second_before = lane.before[second];
  lane.second_link = lane.links[second];
  // The processes' arrays are more streams than a machine keeps track of.
  constexpr uint64_t kAhead = 16;
  if (lane.end - second <= kAhead) return;
  __builtin_prefetch(lane.before + second + kAhead);
  __builtin_prefetch(lane.after + second + kAhead, 1);
  __builtin_prefetch(lane.links + second + kAhead);
  PrefetchToChange(lane.links[second + kAhead / 2]);
}

// Without branches between internal events, sends and receives: which comes next is hard to
// foresee. What is not sent yet bounds nothing, so sends and internal events wait for nothing.
template <typename Clocks>
[[gnu::always_inline]] inline ClockStep ReplayForward::TakeMessage(Clocks& clocks, uint32_t process,
                                                                   int64_t before,
                                                                   ReplayLink link) {
  const ClockStep step = clocks.Advance(process, before, messages_[link.index()].bound);
  UnderWay& message = messages_[link.index() + link.is_none()];
  const int64_t is_send = link.is_send();
  const int64_t delay = (2 * is_send - 1) * message.delay;
  message.bound = {SaturatedSum(step.simple, delay), SaturatedSum(step.controlled, delay),
                   step.witness};
  if (SaturatedDifference(message.bound.controlled, delay) != step.controlled) [[unlikely]]
    report_->saturated += static_cast<uint64_t>(is_send);
  message.is_sent = true;
  // A receive that is next there and was not sent waits.
  if (lanes_[message.receiver].next_link == ReplayLink(LinkTo::kReceive, link.index())) {
    MakeReady(message.receiver);
  }
  return step;
}

template <typename Clocks>
ClockStep ReplayForward::TakePart(Clocks& clocks, uint32_t process, int64_t before, uint32_t part) {
  const ClockStep step = clocks.Advance(process, before, collectives_.BoundOf(part));
  collectives_.Take(part, step);
  MakeReadyMembers();
  return step;
}

void ReplayForward::MakeReadyMembers() {
  for (const uint32_t member : collectives_.ready()) MakeReady(member);
  collectives_.ready().clear();
}

void ReplayForward::NoteJump(uint32_t process, uint64_t event, int64_t jump_ns) {
  const ReplayTrace::Process& p = trace_->processes[process];
  jumps_[process].push_back({event, jump_ns});
  report_->AddJump(ProcessId{process}, p.TagOf(event), GlobalTime{p.before[event]}, jump_ns);
}

// The process has a next event, or is done.
inline void ReplayForward::NextHead(uint32_t process) {
  Lane& lane = lanes_[process];
  if (lane.next == lane.end) {
    ++done_;
    return order_.Clear(process);
  }
  order_.Set(process, lane.next_before, !Waits(lane.next_link));
}

void ReplayForward::MakeReady(uint32_t process) {
  if (!is_in_order_) return ready_.push_back(process);
  order_.Set(process, lanes_[process].next_before);
}

}  // namespace syncline
