#include "logical/message_flow.h"

#include <algorithm>

#include "syncline/time.h"

namespace syncline {

using State = MessageRecord::State;

void MessageFlow::Resize(size_t processes) { waiting_.resize(processes); }

int64_t MessageFlow::DelayOf(uint32_t sender, uint32_t receiver, uint64_t bytes) const {
  return delays_->Of((*progress_)[sender].clock, (*progress_)[receiver].clock, bytes).ns;
}

// Whether a record may bear this name from now on.
bool MessageFlow::Admit(const MessageName& name, const LogicalEvent& send, const ClockStep& step) {
  const uint32_t other = table_.Find(name);
  if (other == kNoRecord) return true;
  const MessageRecord& r = table_[other];
  if (r.state != State::kReceiveGivenUp) {
    ++report_->ambiguous;
    return false;
  }
  ++report_->late_partners;
  const int64_t delay = DelayOf(name.sender, name.receiver, std::max(send.bytes, r.bytes));
  if (r.receive_after < SaturatedSum(step.controlled, delay)) ++report_->broken;
  // So long after it, the name may as well be that of another message, whose receive will come.
  const bool may_be_another = r.deadline < (*progress_)[name.sender].reach;
  DropReceive(other);
  return may_be_another;
}

uint32_t MessageFlow::Create(const MessageName& name, const LogicalEvent& send,
                             const ClockStep& step) {
  const uint32_t record = table_.Create(name);
  MessageRecord& r = table_[record];
  r.bytes = send.bytes;
  r.send_simple = step.simple;
  r.send_after = step.controlled;
  r.send_before = send.time.ns;
  r.send_tag = send.tag;
  return record;
}

std::optional<uint32_t> MessageFlow::CreateSend(const LogicalEvent& send, const ClockStep& step) {
  const MessageName name{send.process.value, send.peer.value, send.message};
  if (!Admit(name, send, step)) return std::nullopt;
  if ((*progress_)[name.receiver].is_done) {
    ++report_->unmatched_sends;
    return std::nullopt;
  }
  const uint32_t record = Create(name, send, step);
  table_[record].state = State::kHeld;
  return record;
}

void MessageFlow::AwaitReceive(uint32_t record) {
  MessageRecord& r = table_[record];
  const uint32_t receiver = r.name.receiver;
  r.deadline = Deadline((*progress_)[receiver], r.send_before, options_->max_horizon_ns);
  r.is_waiting = true;
  table_.AddName(record);
  Waiting& waiting = waiting_[receiver];
  table_.Append(waiting.held, record);
  waiting.nearest = std::min(waiting.nearest, r.deadline);
  (*progress_)[receiver].SetAlarm(r.deadline);
}

std::optional<uint32_t> MessageFlow::CreateBroadcast(const LogicalEvent& broadcast,
                                                     const ClockStep& step) {
  const MessageName name{broadcast.process.value, kEveryone, broadcast.message};
  if (!Admit(name, broadcast, step)) return std::nullopt;
  const uint32_t record = Create(name, broadcast, step);
  table_[record].state = State::kBroadcast;
  table_[record].is_waiting = true;
  table_.AddName(record);
  table_.Append(broadcasts_, record);
  ++waiting_[name.sender].broadcasts;
  return record;
}

std::optional<uint32_t> MessageFlow::FindSend(const LogicalEvent& receive) const {
  const uint32_t sender = receive.peer.value;
  const uint32_t send = table_.Find({sender, receive.process.value, receive.message});
  if (send != kNoRecord && table_[send].state != State::kReceiveGivenUp) return send;
  if (waiting_[sender].broadcasts == 0) return std::nullopt;
  const uint32_t broadcast = table_.Find({sender, kEveryone, receive.message});
  return broadcast == kNoRecord ? std::nullopt : std::optional(broadcast);
}

int64_t MessageFlow::MinimumDelay(uint32_t record, const LogicalEvent& receive) const {
  const MessageRecord& r = table_[record];
  return DelayOf(r.name.sender, receive.process.value, std::max(r.bytes, receive.bytes));
}

ClockBound MessageFlow::BoundOf(uint32_t record, int64_t minimum_delay) {
  MessageRecord& r = table_[record];
  int64_t send = r.send_after;
  if (!r.send_is_final && r.state != State::kHeld) {
    send = std::max(send, output_->Current(r.name.sender, r.sequence));
  }
  const ClockBound sent{r.send_simple, send};
  if (!sent.HasRoomFor(minimum_delay)) ++report_->saturated;
  return sent.After(minimum_delay);
}

// The record of one receive of a broadcast.
uint32_t MessageFlow::AddChild(uint32_t broadcast, const LogicalEvent& receive) {
  const uint32_t child =
      table_.Create({table_[broadcast].name.sender, receive.process.value, receive.message});
  MessageRecord& parent = table_[broadcast];
  MessageRecord& c = table_[child];
  c.is_broadcast = true;
  c.bytes = parent.bytes;
  c.sequence = parent.sequence;
  c.send_is_final = parent.send_is_final;
  c.send_before = parent.send_before;
  c.send_after = parent.send_after;
  c.send_tag = parent.send_tag;
  if (!parent.send_is_final) {
    c.chain = parent.chain;
    parent.chain = child;
  }
  return child;
}

uint32_t MessageFlow::Match(uint32_t record, const LogicalEvent& receive, int64_t minimum_delay,
                            const ClockStep& step) {
  ++report_->messages;
  const State state = table_[record].state;
  if (state == State::kReleased) ++report_->late_partners;
  if (state == State::kBroadcast) {
    record = AddChild(record, receive);
  } else {
    StopWaiting(record);
  }
  MessageRecord& r = table_[record];
  r.state = State::kMatched;
  r.minimum_delay = minimum_delay;
  r.receive_before = receive.time.ns;
  r.receive_tag = receive.tag;
  if (r.send_is_final) return record;
  output_->Limit(r.name.sender, r.sequence, SaturatedDifference(step.controlled, minimum_delay));
  if (state == State::kHeld) output_->Release(r.name.sender, r.sequence);
  return record;
}

void MessageFlow::GiveUpReceive(const LogicalEvent& receive, const ClockStep& step) {
  ++report_->unmatched_receives;
  const MessageName name{receive.peer.value, receive.process.value, receive.message};
  if (name.sender >= waiting_.size() || name.sender == name.receiver) return;
  const ProcessProgress& partner = (*progress_)[name.sender];
  if (partner.is_done || table_.Find(name) != kNoRecord) return;
  const uint32_t record = table_.Create(name);
  MessageRecord& r = table_[record];
  r.state = State::kReceiveGivenUp;
  r.is_waiting = true;
  r.bytes = receive.bytes;
  r.receive_after = step.controlled;
  r.deadline = Deadline(partner, receive.time.ns, options_->max_horizon_ns);
  table_.AddName(record);
  RecordList& receives = waiting_[name.sender].receives;
  table_.Append(receives, record);
  if (++given_up_receives_ <= kMostGivenUp) return;
  ++report_->forgotten_receives;
  DropReceive(receives.first);
}

// Takes a send's or broadcast's record from its list and its name.
void MessageFlow::StopWaiting(uint32_t record) {
  MessageRecord& r = table_[record];
  if (!r.is_waiting) return;
  r.is_waiting = false;
  table_.RemoveName(record);
  Waiting& waiting = waiting_[r.name.receiver];
  table_.Remove(r.state == State::kHeld ? waiting.held : waiting.released, record);
}

void MessageFlow::OnProgress(uint32_t process) {
  const ProcessProgress& progress = (*progress_)[process];
  Waiting& waiting = waiting_[process];
  if (progress.reach <= waiting.nearest) return;
  const auto is_over = [&](const RecordList& list) {
    return list.first != kNoRecord && table_[list.first].deadline < progress.reach;
  };
  while (is_over(waiting.held)) GiveUpHold(waiting.held.first);
  while (is_over(waiting.released)) Forget(waiting.released.first);
  waiting.nearest = INT64_MAX;
  for (const RecordList* list : {&waiting.held, &waiting.released}) {
    if (list->first == kNoRecord) continue;
    waiting.nearest = std::min(waiting.nearest, table_[list->first].deadline);
  }
}

void MessageFlow::OnDone(uint32_t process) {
  Waiting& waiting = waiting_[process];
  while (waiting.held.first != kNoRecord) Forget(waiting.held.first);
  while (waiting.released.first != kNoRecord) Forget(waiting.released.first);
  while (waiting.receives.first != kNoRecord) DropReceive(waiting.receives.first);
}

// The send's receive is still recognised, but nothing waits for it.
void MessageFlow::GiveUpHold(uint32_t record) {
  MessageRecord& r = table_[record];
  const uint32_t receiver = r.name.receiver;
  Waiting& waiting = waiting_[receiver];
  ++report_->given_up;
  table_.Remove(waiting.held, record);
  r.state = State::kReleased;
  r.deadline = Deadline((*progress_)[receiver], INT64_MIN, options_->max_horizon_ns);
  table_.Append(waiting.released, record);
  if (!r.send_is_final) output_->Release(r.name.sender, r.sequence);
}

void MessageFlow::Forget(uint32_t record) {
  ++report_->unmatched_sends;
  const State state = table_[record].state;
  StopWaiting(record);
  MessageRecord& r = table_[record];
  if (r.send_is_final) {
    table_.Free(record);
    return;
  }
  r.state = State::kForgotten;
  if (state == State::kHeld) output_->Release(r.name.sender, r.sequence);
}

void MessageFlow::DropReceive(uint32_t record) {
  --given_up_receives_;
  table_.RemoveName(record);
  table_.Remove(waiting_[table_[record].name.sender].receives, record);
  table_.Free(record);
}

void MessageFlow::OnEpoch() {
  while (old_broadcasts_.first != kNoRecord) {
    const uint32_t record = old_broadcasts_.first;
    table_.Remove(old_broadcasts_, record);
    table_.RemoveName(record);
    MessageRecord& r = table_[record];
    --waiting_[r.name.sender].broadcasts;
    r.state = State::kForgotten;
    if (r.send_is_final) table_.Free(record);
  }
  std::swap(old_broadcasts_, broadcasts_);
}

void MessageFlow::OnFinal(const FinalLink& link, int64_t after) {
  if (link.kind() == FinalLink::Kind::kSend) {
    OnSendFinal(link.index(), after);
    return;
  }
  MessageRecord& r = table_[link.index()];
  r.receive_after = after;
  r.receive_is_final = true;
  EmitIfFinal(link.index());
}

void MessageFlow::OnSendFinal(uint32_t record, int64_t after) {
  MessageRecord& r = table_[record];
  r.send_after = after;
  r.send_is_final = true;
  uint32_t child = r.chain;
  r.chain = kNoRecord;
  while (child != kNoRecord) {
    const uint32_t next = table_[child].chain;
    table_[child].send_after = after;
    table_[child].send_is_final = true;
    EmitIfFinal(child);
    child = next;
  }
  if (r.state == State::kForgotten) table_.Free(record);
  if (r.state == State::kMatched) EmitIfFinal(record);
}

void MessageFlow::EmitIfFinal(uint32_t record) {
  const MessageRecord& r = table_[record];
  if (!r.send_is_final || !r.receive_is_final) return;
  sink_->OnMessage(
      {ProcessId{r.name.sender}, ProcessId{r.name.receiver}, r.send_tag, r.receive_tag,
       GlobalTime{r.send_before}, GlobalTime{r.send_after}, GlobalTime{r.receive_before},
       GlobalTime{r.receive_after}, Duration{r.minimum_delay},
       r.is_broadcast ? RetimedMessage::Kind::kBroadcast : RetimedMessage::Kind::kMessage});
  table_.Free(record);
}

}  // namespace syncline
