#include "logical/replay_forward.h"

namespace syncline {

using LinkTo = ReplayLink::Kind;

ReplayForward::ReplayForward(ReplayTrace& trace, const ReplayLinks& links,
                             const LogicalOptions& options, const DelayModel& delays,
                             LogicalReport& report)
    : trace_(&trace),
      report_(&report),
      clocks_(LogicalClocks::By(options)),
      collectives_(trace, links, delays, report),
      messages_(trace.messages.size() + 1),
      jumps_(trace.processes.size()) {
  SetDelays(links, delays);
  clocks_.Resize(trace.processes.size());
  order_.Resize(trace.processes.size());
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    ReplayTrace::Process& process = trace.processes[p];
    process.after.resize(process.before.size());
    lanes_.push_back({process.before.data(), process.after.data(), links[p].data(), 0,
                      process.before.size(), kNothing});
    if (process.before.empty()) clocks_.Leave();
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

bool ReplayForward::Run() {
  for (uint32_t p = 0; p < lanes_.size(); ++p) NextHead(p);
  clocks_.With([&](auto& clocks) {
    for (uint32_t p = order_.first(); p != ProcessOrder::kNobody; p = order_.first()) {
      Take(clocks, p);
    }
  });
  report_->gamma = clocks_.gamma_report();
  return done_ == lanes_.size();
}

template <typename Clocks>
void ReplayForward::Take(Clocks& clocks, uint32_t process) {
  Lane& lane = lanes_[process];
  const uint64_t event = lane.next++;
  const int64_t before = lane.before[event];
  const ReplayLink link = lane.links[event];
  const ClockStep step = link.kind() == LinkTo::kPart
                             ? TakePart(clocks, process, before, link.index())
                             : TakeMessage(clocks, process, before, link);
  lane.after[event] = step.controlled;
  if (step.jump > 0) NoteJump(process, event, step.jump);
  NextHead(process);
}

// Without branches between internal events, sends and receives: which comes next is hard to
// foresee. Internal events have a message of their own, which nobody receives.
template <typename Clocks>
ClockStep ReplayForward::TakeMessage(Clocks& clocks, uint32_t process, int64_t before,
                                     ReplayLink link) {
  UnderWay& message = messages_[link.index()];
  const bool is_receive = link.kind() == LinkTo::kReceive;
  const ClockBound sent{message.simple, message.controlled};
  const ClockBound earliest = sent.After(message.delay);
  const ClockStep step = clocks.Advance(
      process, before,
      {is_receive ? earliest.simple : INT64_MIN, is_receive ? earliest.controlled : INT64_MIN});
  if (is_receive && !sent.HasRoomFor(message.delay)) ++report_->saturated;
  message.simple = is_receive ? sent.simple : step.simple;
  message.controlled =
      is_receive ? SaturatingSubtract(step.controlled, message.delay) : step.controlled;
  if (lanes_[message.receiver].awaited == link.index()) MakeReady(message.receiver);
  return step;
}

template <typename Clocks>
ClockStep ReplayForward::TakePart(Clocks& clocks, uint32_t process, int64_t before, uint32_t part) {
  const ClockStep step = clocks.Advance(process, before, collectives_.BoundOf(part));
  collectives_.Take(part, step);
  for (const uint32_t member : collectives_.ready()) MakeReady(member);
  collectives_.ready().clear();
  return step;
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
  const ReplayLink link = lane.links[lane.next];
  const bool is_ready =
      link.kind() == LinkTo::kPart
          ? collectives_.IsReadyElseBlock(link.index())
          : link.kind() != LinkTo::kReceive || messages_[link.index()].simple != kNotSent;
  if (is_ready) {
    order_.Set(process, lane.before[lane.next]);
  } else {
    Block(process);
  }
}

void ReplayForward::Block(uint32_t process) {
  Lane& lane = lanes_[process];
  const ReplayLink link = lane.links[lane.next];
  if (link.kind() == LinkTo::kReceive) lane.awaited = link.index();
  order_.Clear(process);
}

void ReplayForward::MakeReady(uint32_t process) {
  Lane& lane = lanes_[process];
  lane.awaited = kNothing;
  order_.Set(process, lane.before[lane.next]);
}

}  // namespace syncline
