// What the next event of a process does once its turn has come.
#include "logical/logical_engine.h"

namespace syncline {

using Kind = LogicalEvent::Kind;
using LinkKind = FinalLink::Kind;
using Hold = Amortizer::Hold;

void LogicalEngine::Take(uint32_t process) {
  Lane& lane = lanes_[process];
  const Pending& pending = lane.input.front();
  const uint32_t record = lane.record;
  --in_input_;
  switch (pending.event.kind) {
    case Kind::kInternal:
      TakeInternal(pending);
      break;
    case Kind::kSend:
      TakeSend(pending);
      break;
    case Kind::kBroadcast:
      TakeBroadcast(pending);
      break;
    case Kind::kReceive:
      TakeReceive(pending, record);
      break;
    case Kind::kEnterCollective:
      TakeEnter(pending);
      break;
    case Kind::kLeaveCollective:
      TakeLeave(pending);
      break;
  }
  const int64_t before = pending.event.time.ns;
  lane.input.pop_front();
  NoteComputed(process, before);
  NextHead(process);
}

uint64_t LogicalEngine::Emit(const Pending& pending, const ClockStep& step, FinalLink link,
                             Hold hold) {
  const LogicalEvent& event = pending.event;
  return output_.Add(event.process.value, {event.time.ns, event.tag, pending.arrival, link}, step,
                     hold);
}

void LogicalEngine::TakeInternal(const Pending& pending) {
  const LogicalEvent& event = pending.event;
  const ClockStep step = clocks_.Advance(event.process.value, event.time.ns, {});
  Emit(pending, step, {}, Hold::kNone);
}

void LogicalEngine::TakeSend(const Pending& pending) {
  const LogicalEvent& send = pending.event;
  const uint32_t receiver = send.peer.value;
  const bool is_to_itself = send.peer == send.process;
  if (is_to_itself || receiver >= lanes_.size()) {
    ++(is_to_itself ? report_.to_itself : report_.unmatched_sends);
    return TakeInternal(pending);
  }
  const ClockStep step = clocks_.Advance(send.process.value, send.time.ns, {});
  const auto record = messages_.CreateSend(send, step);
  if (!record) {
    Emit(pending, step, {}, Hold::kNone);
    return;
  }
  const uint64_t sequence = Emit(pending, step, {*record, 0, LinkKind::kSend}, Hold::kWaits);
  messages_[*record].sequence = sequence;
  Lane& other = lanes_[receiver];
  if (other.state == State::kAwaitsSend) {
    const LogicalEvent& receive = other.input.front().event;
    if (receive.peer == send.process && receive.message == send.message) {
      RemoveWaiter(receiver);
      other.record = *record;
      MakeReady(receiver);
      return;
    }
  }
  messages_.AwaitReceive(*record);
}

void LogicalEngine::TakeBroadcast(const Pending& pending) {
  const LogicalEvent& broadcast = pending.event;
  const uint32_t process = broadcast.process.value;
  const ClockStep step = clocks_.Advance(process, broadcast.time.ns, {});
  const auto record = messages_.CreateBroadcast(broadcast, step);
  if (!record) {
    Emit(pending, step, {}, Hold::kNone);
    return;
  }
  const uint64_t sequence = Emit(pending, step, {*record, 0, LinkKind::kSend}, Hold::kNone);
  messages_[*record].sequence = sequence;
  for (uint32_t waiter = lanes_[process].first_waiter; waiter != kNobody;) {
    const uint32_t next = lanes_[waiter].next_waiter;
    if (lanes_[waiter].input.front().event.message == broadcast.message) {
      RemoveWaiter(waiter);
      lanes_[waiter].record = *record;
      MakeReady(waiter);
    }
    waiter = next;
  }
}

// A broadcast may have been forgotten while its receive was ready.
bool LogicalEngine::IsPending(const MessageRecord& record, const LogicalEvent& receive) const {
  using RecordState = MessageRecord::State;
  const bool is_pending = record.state == RecordState::kHeld ||
                          record.state == RecordState::kReleased ||
                          record.state == RecordState::kBroadcast;
  return is_pending && record.name.sender == receive.peer.value &&
         record.name.message == receive.message;
}

void LogicalEngine::TakeReceive(const Pending& pending, uint32_t record) {
  const LogicalEvent& receive = pending.event;
  const uint32_t process = receive.process.value;
  if (receive.peer == receive.process) {
    ++report_.to_itself;
    return TakeInternal(pending);
  }
  if (record == kNoRecord || !IsPending(messages_[record], receive)) {
    const ClockStep step = clocks_.Advance(process, receive.time.ns, {});
    messages_.GiveUpReceive(receive, step);
    Emit(pending, step, {}, Hold::kNone);
    return;
  }
  const int64_t delay = messages_.MinimumDelay(record, receive);
  const ClockBound bound = messages_.BoundOf(record, delay);
  const ClockStep step = clocks_.Advance(process, receive.time.ns, bound);
  const uint32_t own = messages_.Match(record, receive, delay, step);
  Emit(pending, step, {own, 0, LinkKind::kReceive}, Hold::kNone);
}

void LogicalEngine::TakeEnter(const Pending& pending) {
  const LogicalEvent& enter = pending.event;
  const auto place = collectives_.Find(enter);
  if (!place) return TakeInternal(pending);
  if (!collectives_.IsFirst(*place, enter.kind)) {
    ++report_.ambiguous;
    return TakeInternal(pending);
  }
  const ClockStep step = clocks_.Advance(enter.process.value, enter.time.ns, {});
  const Hold hold = collectives_.Enter(*place, enter, step);
  const uint64_t sequence =
      Emit(pending, step, {place->instance, place->rank, LinkKind::kEnter}, hold);
  collectives_.SetSequence(*place, sequence);
  WakeMembers();
}

void LogicalEngine::TakeLeave(const Pending& pending) {
  const LogicalEvent& leave = pending.event;
  const auto place = collectives_.Find(leave);
  if (!place) return TakeInternal(pending);
  if (!collectives_.IsFirst(*place, leave.kind)) {
    ++report_.ambiguous;
    return TakeInternal(pending);
  }
  const ClockBound bound = collectives_.BoundOf(*place, leave);
  const ClockStep step = clocks_.Advance(leave.process.value, leave.time.ns, bound);
  collectives_.Leave(*place, leave, step);
  Emit(pending, step, {place->instance, place->rank, LinkKind::kLeave}, Hold::kNone);
  WakeMembers();
}

}  // namespace syncline
