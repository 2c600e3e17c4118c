// What the next event of a process does once its turn has come, in four steps (Take): it is looked
// at, without changing anything (Examine: which part it has, and what it must not precede); the
// clocks advance; it takes its part in a message or a collective (Enlist); and once its number in
// the output is known, those who waited for it go on (NoteNumber).
#include "logical/logical_filter.h"

namespace syncline {

using Kind = LogicalEvent::Kind;
using LinkKind = FinalLink::Kind;
using Hold = Amortizer::Hold;

void LogicalFilter::Take(uint32_t process) {
  Lane& lane = lanes_[process];
  const Pending& pending = lane.input.front();
  const LogicalEvent& event = pending.event;
  const int64_t before = event.time.ns;
  --in_input_;
  Turn turn = Examine(event, lane.record);
  const ClockStep step = clocks_.Advance(process, before, turn.bound);
  const FinalLink link = turn.role == Role::kNone ? FinalLink{} : Enlist(turn, event, step);
  const uint64_t sequence =
      output_.Add(process, {before, event.tag, pending.arrival, link}, step, turn.hold);
  if (turn.role != Role::kNone) NoteNumber(turn, event, sequence);
  lane.input.pop_front();
  NoteComputed(process, before);
  NextHead(process);
}

LogicalFilter::Turn LogicalFilter::Examine(const LogicalEvent& event, uint32_t record) {
  switch (event.kind) {
    case Kind::kInternal: return {};
    case Kind::kSend: return ExamineSend(event);
    case Kind::kBroadcast: return {.role = Role::kBroadcast};
    case Kind::kReceive: return ExamineReceive(event, record);
    case Kind::kEnterCollective:
    case Kind::kLeaveCollective: return ExamineCollective(event);
  }
  return {};
}

LogicalFilter::Turn LogicalFilter::ExamineSend(const LogicalEvent& send) {
  if (send.peer == send.process) {
    ++report_.to_itself;
    return {};
  }
  if (send.peer.value >= lanes_.size()) {
    ++report_.unmatched_sends;
    return {};
  }
  return {.role = Role::kSend};
}

// A broadcast may have been forgotten while its receive was ready.
bool LogicalFilter::IsPending(const MessageRecord& record, const LogicalEvent& receive) const {
  using RecordState = MessageRecord::State;
  const bool is_pending = record.state == RecordState::kHeld ||
                          record.state == RecordState::kReleased ||
                          record.state == RecordState::kBroadcast;
  return is_pending && record.name.sender == receive.peer.value &&
         record.name.message == receive.message;
}

LogicalFilter::Turn LogicalFilter::ExamineReceive(const LogicalEvent& receive, uint32_t record) {
  if (receive.peer == receive.process) {
    ++report_.to_itself;
    return {};
  }
  // Given up, but the send has come before the turn of the receive.
  if (record == kNoRecord && receive.takes_part) {
    record = messages_.FindSend(receive).value_or(kNoRecord);
  }
  if (record == kNoRecord || !IsPending(messages_[record], receive)) {
    return {.role = Role::kLostReceive};
  }
  const int64_t delay = messages_.MinimumDelay(record, receive);
  return {.role = Role::kReceive,
          .record = record,
          .delay = delay,
          .bound = messages_.BoundOf(record, delay)};
}

LogicalFilter::Turn LogicalFilter::ExamineCollective(const LogicalEvent& event) {
  const auto place = collectives_.Find(event);
  if (!place) return {};
  if (!collectives_.IsFirst(*place, event.kind)) {
    ++report_.ambiguous;
    return {};
  }
  if (event.kind == Kind::kEnterCollective) return {.role = Role::kEnter, .place = *place};
  return {.role = Role::kLeave, .place = *place, .bound = collectives_.BoundOf(*place, event)};
}

// The event has been computed: it takes its part in a message or a collective.
FinalLink LogicalFilter::Enlist(Turn& turn, const LogicalEvent& event, const ClockStep& step) {
  switch (turn.role) {
    case Role::kNone:
    case Role::kLateSend: return {};
    case Role::kSend:
    case Role::kBroadcast: {
      const auto sent = turn.role == Role::kSend ? messages_.CreateSend(event, step)
                                                 : messages_.CreateBroadcast(event, step);
      if (!sent) {
        turn.role = Role::kNone;
        return {};
      }
      turn.record = sent->record;
      turn.latest = sent->latest;
      if (sent->is_awaiting) {
        turn.hold = Hold::kWaits;
      } else if (turn.role == Role::kSend) {
        turn.role = Role::kLateSend;
      }
      return {sent->record, 0, LinkKind::kSend};
    }
    case Role::kReceive:
      return {messages_.Match(turn.record, event, turn.delay, step), 0, LinkKind::kReceive};
    case Role::kLostReceive: {
      const auto record = messages_.GiveUpReceive(event, step);
      return record ? FinalLink{*record, 0, LinkKind::kReceive} : FinalLink{};
    }
    case Role::kEnter:
      turn.hold = collectives_.Enter(turn.place, event, step);
      return {turn.place.instance, turn.place.rank, LinkKind::kEnter};
    case Role::kLeave:
      collectives_.Leave(turn.place, event, step);
      return {turn.place.instance, turn.place.rank, LinkKind::kLeave};
  }
  return {};
}

// The event's number in the output is known: others may go on.
void LogicalFilter::NoteNumber(const Turn& turn, const LogicalEvent& event, uint64_t sequence) {
  if (turn.latest != INT64_MAX) output_.Limit(event.process.value, sequence, turn.latest);
  switch (turn.role) {
    case Role::kSend:
      messages_[turn.record].sequence = sequence;
      AwaitReceiver(turn.record, event);
      break;
    case Role::kBroadcast:
      messages_[turn.record].sequence = sequence;
      WakeReceivers(turn.record, event);
      break;
    case Role::kEnter:
      collectives_.SetSequence(turn.place, sequence);
      WakeMembers();
      break;
    case Role::kLeave: WakeMembers(); break;
    case Role::kNone:
    case Role::kLateSend:
    case Role::kReceive:
    case Role::kLostReceive: break;
  }
}

void LogicalFilter::AwaitReceiver(uint32_t record, const LogicalEvent& send) {
  const uint32_t receiver = send.peer.value;
  Lane& other = lanes_[receiver];
  if (other.state == State::kAwaitsSend) {
    const LogicalEvent& receive = other.input.front().event;
    if (receive.peer == send.process && receive.message == send.message) {
      RemoveWaiter(receiver);
      other.record = record;
      return MakeReady(receiver);
    }
  }
  messages_.AwaitReceive(record);
}

void LogicalFilter::WakeReceivers(uint32_t record, const LogicalEvent& broadcast) {
  for (uint32_t waiter = lanes_[broadcast.process.value].first_waiter; waiter != kNobody;) {
    const uint32_t next = lanes_[waiter].next_waiter;
    if (lanes_[waiter].input.front().event.message == broadcast.message) {
      RemoveWaiter(waiter);
      lanes_[waiter].record = record;
      MakeReady(waiter);
    }
    waiter = next;
  }
}

}  // namespace syncline
