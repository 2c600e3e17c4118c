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
      messages_(trace.messages.size()),
      jumps_(trace.processes.size()) {
  SetDelays(delays);
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

void ReplayForward::SetDelays(const DelayModel& delays) {
  const auto clock_of = [&](ProcessId p) { return trace_->processes[p.index()].clock; };
  for (size_t i = 0; i < messages_.size(); ++i) {
    const ReplayTrace::Message& m = trace_->messages[i];
    messages_[i].delay = delays.Of(clock_of(m.sender), clock_of(m.receiver), m.bytes).ns;
    messages_[i].receiver = m.receiver.value;
  }
}

bool ReplayForward::Run() {
  for (uint32_t p = 0; p < lanes_.size(); ++p) NextHead(p);
  for (uint32_t p = order_.first(); p != ProcessOrder::kNobody; p = order_.first()) Take(p);
  report_->gamma = clocks_.gamma_report();
  return done_ == lanes_.size();
}

void ReplayForward::Take(uint32_t process) {
  Lane& lane = lanes_[process];
  const uint64_t event = lane.next++;
  const int64_t before = lane.before[event];
  const ReplayLink link = lane.links[event];
  ClockStep step;
  switch (link.kind()) {
    case LinkTo::kNone:
      step = clocks_.Advance(process, before, {});
      break;
    case LinkTo::kSend: {
      step = clocks_.Advance(process, before, {});
      UnderWay& message = messages_[link.index()];
      message.simple = step.simple;
      message.controlled = step.controlled;
      if (lanes_[message.receiver].awaited == link.index()) MakeReady(message.receiver);
      break;
    }
    case LinkTo::kReceive:
      step = TakeReceive(process, before, link.index());
      break;
    case LinkTo::kPart:
      step = clocks_.Advance(process, before, collectives_.BoundOf(link.index()));
      collectives_.Take(link.index(), step);
      for (const uint32_t member : collectives_.ready()) MakeReady(member);
      collectives_.ready().clear();
      break;
  }
  lane.after[event] = step.controlled;
  if (step.jump > 0) {
    jumps_[process].push_back({event, step.jump});
    report_->AddJump(ProcessId{process}, trace_->processes[process].TagOf(event),
                     GlobalTime{before}, step.jump);
  }
  NextHead(process);
}

ClockStep ReplayForward::TakeReceive(uint32_t process, int64_t before, uint32_t index) {
  UnderWay& message = messages_[index];
  const ClockBound sent{message.simple, message.controlled};
  if (!sent.HasRoomFor(message.delay)) ++report_->saturated;
  const ClockStep step = clocks_.Advance(process, before, sent.After(message.delay));
  ++report_->messages;
  message.controlled = SaturatingSubtract(step.controlled, message.delay);
  return step;
}

// The process has a next event, or is done.
void ReplayForward::NextHead(uint32_t process) {
  Lane& lane = lanes_[process];
  if (lane.next == lane.end) {
    ++done_;
    order_.Clear(process);
    return;
  }
  const ReplayLink link = lane.links[lane.next];
  if (link.kind() == LinkTo::kReceive && messages_[link.index()].simple == kNotSent) {
    lane.awaited = link.index();
    order_.Clear(process);
  } else if (link.kind() == LinkTo::kPart && !collectives_.IsReadyElseBlock(link.index())) {
    order_.Clear(process);
  } else {
    order_.Set(process, lane.before[lane.next]);
  }
}

void ReplayForward::MakeReady(uint32_t process) {
  Lane& lane = lanes_[process];
  lane.awaited = kNothing;
  order_.Set(process, lane.before[lane.next]);
}

}  // namespace syncline
