#include "logical/message_flow.h"

#include <algorithm>
#include <utility>

#include "syncline/time.h"

namespace syncline {

using State = MessageRecord::State;

void MessageFlow::Resize(size_t processes) { waiting_.resize(processes); }

int64_t MessageFlow::DelayOf(uint32_t sender, uint32_t receiver, uint64_t bytes) const {
  return delays_->Of((*progress_)[sender].clock, (*progress_)[receiver].clock, bytes).ns;
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

std::optional<MessageFlow::Sent> MessageFlow::CreateSend(const LogicalEvent& send,
                                                         const ClockStep& step) {
  const MessageName name{send.process.value, send.peer.value, send.message};
  uint32_t other = table_.Find(name);
  if (other != kNoRecord && table_[other].state == State::kReleased && IsOld(other)) {
    Forget(other);
    other = kNoRecord;
  }
  if (other != kNoRecord && table_[other].state != State::kReceiveGivenUp) {
    ++report_->ambiguous;
    return std::nullopt;
  }
  if (other == kNoRecord && (*progress_)[name.receiver].is_done) {
    ++report_->unmatched_sends;
    return std::nullopt;
  }
  const uint32_t record = Create(name, send, step);
  table_[record].state = State::kHeld;
  if (other == kNoRecord) return Sent{record, true};
  StopRemembering(other);
  if (MayBeOfAnother(other)) {
    table_[record].chain = other;
    return Sent{record, true};
  }
  table_[record].state = State::kForgotten;
  return Sent{record, false, MatchLate(other, record)};
}

// So long after the receive, its name may as well be that of another message, whose receive will
// come.
bool MessageFlow::MayBeOfAnother(uint32_t receive) const {
  const MessageRecord& r = table_[receive];
  return !r.is_set_aside && r.deadline < (*progress_)[r.name.sender].reach &&
         !(*progress_)[r.name.receiver].is_done;
}

// A released send whose name another message may bear.
bool MessageFlow::IsOld(uint32_t send) const {
  return table_[send].deadline < (*progress_)[table_[send].name.receiver].reach;
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

std::optional<MessageFlow::Sent> MessageFlow::CreateBroadcast(const LogicalEvent& broadcast,
                                                              const ClockStep& step) {
  const MessageName name{broadcast.process.value, kEveryone, broadcast.message};
  if (table_.Find(name) != kNoRecord) {
    ++report_->ambiguous;
    return std::nullopt;
  }
  const uint32_t record = Create(name, broadcast, step);
  table_[record].state = State::kBroadcast;
  table_[record].is_waiting = true;
  table_.AddName(record);
  table_.Append(broadcasts_, record);
  ++waiting_[name.sender].broadcasts;
  Sent sent{record};
  for (uint32_t p = 0; waiting_[name.sender].receives.first != kNoRecord && p < waiting_.size();
       ++p) {
    const uint32_t receive = table_.Find({name.sender, p, name.message});
    if (receive == kNoRecord || table_[receive].state != State::kReceiveGivenUp) continue;
    if (MayBeOfAnother(receive)) continue;
    StopRemembering(receive);
    table_[receive].is_broadcast = true;
    sent.latest = std::min(sent.latest, MatchLate(receive, record));
  }
  return sent;
}

std::optional<uint32_t> MessageFlow::FindSend(const LogicalEvent& receive) const {
  const uint32_t sender = receive.peer.value;
  if (sender >= waiting_.size()) return std::nullopt;
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
  table_[child].is_broadcast = true;
  TakeSend(child, broadcast);
  return child;
}

// A receive's own record gets to know the send, and its final time.
void MessageFlow::TakeSend(uint32_t child, uint32_t send) {
  MessageRecord& parent = table_[send];
  MessageRecord& c = table_[child];
  c.state = State::kMatched;
  c.bytes = std::max(c.bytes, parent.bytes);
  c.sequence = parent.sequence;
  c.send_is_final = parent.send_is_final;
  c.send_before = parent.send_before;
  c.send_after = parent.send_after;
  c.send_tag = parent.send_tag;
  if (parent.send_is_final) return;
  c.chain = parent.chain;
  parent.chain = child;
}

// The send of a receive that went on without it has come. Where it must stay for the sake of that
// receive; anywhere if it is too late for that.
int64_t MessageFlow::MatchLate(uint32_t receive, uint32_t send) {
  ++report_->messages;
  --report_->unmatched_receives;
  TakeSend(receive, send);
  MessageRecord& r = table_[receive];
  r.minimum_delay = DelayOf(r.name.sender, r.name.receiver, r.bytes);
  r.is_late = !r.is_set_aside;
  report_->late_partners += r.is_late ? 1 : 0;
  const int64_t latest = SaturatedDifference(r.receive_after, r.minimum_delay);
  const bool is_in_time = r.is_late && latest >= r.send_after;
  EmitIfFinal(receive);
  return is_in_time ? latest : INT64_MAX;
}

uint32_t MessageFlow::Match(uint32_t record, const LogicalEvent& receive, int64_t minimum_delay,
                            const ClockStep& step) {
  ++report_->messages;
  const State state = table_[record].state;
  if (state == State::kReleased) ++report_->late_partners;
  const bool is_send = state == State::kHeld || state == State::kReleased;
  if (is_send && table_[record].chain != kNoRecord) DiscardLate(record);
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

std::optional<uint32_t> MessageFlow::GiveUpReceive(const LogicalEvent& receive,
                                                   const ClockStep& step) {
  ++report_->unmatched_receives;
  const MessageName name{receive.peer.value, receive.process.value, receive.message};
  if (name.sender >= waiting_.size() || name.sender == name.receiver) return std::nullopt;
  const ProcessProgress& partner = (*progress_)[name.sender];
  if (partner.is_done || table_.Find(name) != kNoRecord) return std::nullopt;
  const uint32_t record = table_.Create(name);
  MessageRecord& r = table_[record];
  r.state = State::kReceiveGivenUp;
  r.is_waiting = true;
  r.is_set_aside = !receive.takes_part;
  r.bytes = receive.bytes;
  r.receive_tag = receive.tag;
  r.receive_before = receive.time.ns;
  r.receive_after = step.controlled;
  r.deadline = Deadline(partner, receive.time.ns, options_->max_horizon_ns);
  table_.AddName(record);
  RecordList& receives = waiting_[name.sender].receives;
  table_.Append(receives, record);
  if (++given_up_receives_ > kMostGivenUp) {
    ++report_->forgotten_receives;
    DropReceive(receives.first);
  }
  return record;
}

// Takes a send's or broadcast's record from its list and its name.
void MessageFlow::StopWaiting(uint32_t record) {
  MessageRecord& r = table_[record];
  if (!r.is_waiting) return;
  r.is_waiting = false;
  table_.RemoveName(record);
  Waiting& waiting = waiting_[r.name.receiver];
  if (r.state == State::kReleased) --released_;
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
  waiting.nearest = INT64_MAX;
  if (waiting.held.first != kNoRecord) waiting.nearest = table_[waiting.held.first].deadline;
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
  const uint32_t oldest = waiting.released.first;
  if (++released_ > kMostGivenUp && IsOld(oldest)) Forget(oldest);
}

void MessageFlow::Forget(uint32_t record) {
  const State state = table_[record].state;
  StopWaiting(record);
  const uint32_t receive = std::exchange(table_[record].chain, kNoRecord);
  if (receive == kNoRecord) {
    ++report_->unmatched_sends;
  } else {
    const int64_t latest = MatchLate(receive, record);
    output_->Limit(table_[record].name.sender, table_[record].sequence, latest);
  }
  MessageRecord& r = table_[record];
  if (r.send_is_final) {
    table_.Free(record);
    return;
  }
  r.state = State::kForgotten;
  if (state == State::kHeld) output_->Release(r.name.sender, r.sequence);
}

// Takes a given-up receive's record from its list and its name.
void MessageFlow::StopRemembering(uint32_t receive) {
  --given_up_receives_;
  table_[receive].is_waiting = false;
  table_.RemoveName(receive);
  table_.Remove(waiting_[table_[receive].name.sender].receives, receive);
}

void MessageFlow::DropReceive(uint32_t record) {
  StopRemembering(record);
  FreeOnceFinal(record);
}

// The send has found another receive than the one that had gone on without a send: one too many.
void MessageFlow::DiscardLate(uint32_t send) {
  const uint32_t receive = std::exchange(table_[send].chain, kNoRecord);
  const MessageRecord& r = table_[receive];
  const int64_t delay = DelayOf(r.name.sender, r.name.receiver, r.bytes);
  ++report_->late_partners;
  if (r.receive_after < SaturatedSum(table_[send].send_after, delay)) ++report_->broken;
  FreeOnceFinal(receive);
}

void MessageFlow::FreeOnceFinal(uint32_t receive) {
  if (table_[receive].receive_is_final) {
    table_.Free(receive);
  } else {
    table_[receive].state = State::kForgotten;
  }
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
  if (r.state == State::kForgotten) return table_.Free(link.index());
  EmitIfFinal(link.index());
}

void MessageFlow::OnSendFinal(uint32_t record, int64_t after) {
  MessageRecord& r = table_[record];
  r.send_after = after;
  r.send_is_final = true;
  if (r.state == State::kHeld || r.state == State::kReleased) return;
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
  if (r.is_late && r.receive_after < SaturatedSum(r.send_after, r.minimum_delay)) {
    ++report_->broken;
  }
  sink_->OnMessage(
      {ProcessId{r.name.sender}, ProcessId{r.name.receiver}, r.send_tag, r.receive_tag,
       GlobalTime{r.send_before}, GlobalTime{r.send_after}, GlobalTime{r.receive_before},
       GlobalTime{r.receive_after}, Duration{r.minimum_delay},
       r.is_broadcast ? RetimedMessage::Kind::kBroadcast : RetimedMessage::Kind::kMessage});
  table_.Free(record);
}

}  // namespace syncline
