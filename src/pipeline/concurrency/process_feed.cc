#include "pipeline/concurrency/process_feed.h"

#include <algorithm>

#include "base/int128.h"
#include "base/try.h"
#include "match/mpi_record.h"

namespace syncline {

ConcurrencyEvent ProcessFeed::Make(Kind kind, uint64_t event, int64_t ns) const {
  return {.process = process_, .kind = kind, .time_ns = ns, .event = event};
}

void ProcessFeed::Take(const SourcedEvent& sourced) {
  const LogicalEvent& event = sourced.event;
  last_event_ = event.tag;
  const uint32_t before = epochs_.current();
  const bool is_set_back = epochs_.At(event.tag) != before && has_begun_;
  const Int128 nominal_ns = clock_.NominalNs(sourced.local);
  if (is_set_back) set_back_ns_ = Saturate(last_ns_ - nominal_ns);
  last_ns_ = Saturate(nominal_ns + set_back_ns_);
  if (!has_begun_) {
    has_begun_ = true;
    last_message_ = LastMessage{last_ns_, {}};
    Put(Kind::kInternal);
  }
  const bool has_wait = waits_ && next_wait_ < waits_->size();
  if (has_wait && event.tag == (*waits_)[next_wait_].begin) EnterCall();
  if (has_wait && event.tag == (*waits_)[next_wait_].end) LeaveCall();
  switch (event.kind) {
    case LogicalEvent::Kind::kInternal:
      if (sourced.recorded == EventKind::kBlock) Put(Kind::kBlock);
      break;
    case LogicalEvent::Kind::kSend:
    case LogicalEvent::Kind::kBroadcast: TakeSend(event); break;
    case LogicalEvent::Kind::kReceive: TakeReceive(event); break;
    case LogicalEvent::Kind::kEnterCollective: TakeBegin(event); break;
    case LogicalEvent::Kind::kLeaveCollective: TakeEnd(event); break;
  }
}

void ProcessFeed::EnterCall() {
  is_in_call_ = true;
  Put(Kind::kBlock);
}

void ProcessFeed::LeaveCall() {
  for (ConcurrencyEvent& delivery : in_call_) {
    delivery.time_ns = last_ns_;
    meter_->Add(delivery);
  }
  in_call_.clear();
  Put(Kind::kResume);
  is_in_call_ = false;
  ++next_wait_;
}

void ProcessFeed::TakeSend(const LogicalEvent& event) {
  ConcurrencyEvent send = Make(Kind::kSend, event.tag, last_ns_);
  send.message = MessageLinks::NumberOfSend(process_, event.tag);
  send.copies = links_->CopiesOf(process_, event.tag);
  send.leaving = static_cast<uint32_t>(links_->LeavingFrom(process_, event.tag).size());
  if (send.copies == 0) {
    if (!is_in_call_) Put(Kind::kResume);
    return;
  }
  meter_->Add(send);
  if (is_in_call_) Put(Kind::kBlock);
  last_message_ = {last_ns_, {}};
  if (event.kind == LogicalEvent::Kind::kSend) last_message_->awaited = event.peer;
}

void ProcessFeed::TakeReceive(const LogicalEvent& event) {
  const bool is_same = receives_ > 0 && received_ == event.tag;
  received_ = event.tag;
  receives_ = is_same ? receives_ + 1 : 1;
  const auto number = links_->NumberOfReceive(process_, event.tag, receives_ - 1);
  if (!number) {
    if (!is_in_call_) Put(Kind::kResume);
    return;
  }
  const bool is_reply = last_message_->awaited == event.peer;
  const bool is_awaited = rule_ == WaitRule::kReceives || (rule_ == WaitRule::kReplies && is_reply);
  if (is_awaited && !is_in_call_) meter_->Add(Make(Kind::kBlock, event.tag, last_message_->ns));
  ConcurrencyEvent delivery = Make(Kind::kDelivery, event.tag, last_ns_);
  delivery.message = *number;
  Deliver(delivery);
  last_message_ = {last_ns_, is_reply ? std::optional(event.peer) : std::nullopt};
}

void ProcessFeed::Deliver(const ConcurrencyEvent& delivery) {
  if (is_in_call_) {
    in_call_.push_back(delivery);
  } else {
    meter_->Add(delivery);
  }
}

// Where calls tell the waits, a collective begun outside of them does not block, unless it is a
// barrier or the join of a team of threads, which make no calls: the other threads wait for the
// next fork then.
bool ProcessFeed::Blocks(const LogicalEvent& begin) {
  if (begin.flow == CollectiveFlow::kFork) return false;
  if (begin.flow == CollectiveFlow::kJoin) return true;
  return is_in_call_ || !waits_ || teams_.contains(begin.group);
}

void ProcessFeed::TakeBegin(const LogicalEvent& event) {
  ConcurrencyEvent begin = Make(Kind::kCollectiveBegin, event.tag, last_ns_);
  begin.message = event.message;
  begin.group = event.group;
  begin.flow = event.flow;
  begin.is_root = event.is_root;
  begin.takes_part = event.takes_part;
  meter_->Add(begin);
  if (Blocks(event)) Put(Kind::kBlock);
  last_message_ = {last_ns_, {}};
}

void ProcessFeed::TakeEnd(const LogicalEvent& event) {
  if (event.flow == CollectiveFlow::kFork) teams_.insert(event.group);
  ConcurrencyEvent end = Make(Kind::kCollectiveEnd, event.tag, last_ns_);
  end.message = event.message;
  end.group = event.group;
  end.flow = event.flow;
  end.is_root = event.is_root;
  end.takes_part = event.takes_part && !ends_aside_.contains(event.tag);
  Deliver(end);
  last_message_ = {last_ns_, {}};
}

void ProcessFeed::Finish() {
  if (!has_begun_) return;
  if (is_in_call_) LeaveCall();
  Put(Kind::kInternal);
}

Result<MessageLinks> MessageLinks::Of(const LoadedTraces& loaded) {
  MessageLinks links;
  links.processes_.resize(loaded.traces.processes.size());
  for (const MessageStore* store : {&loaded.messages, &loaded.likely_messages}) {
    SYNCLINE_TRY(store->ForEach([&](const Message& m) {
      links.processes_[m.send.process.index()].sends.push_back(m.send.index);
      links.processes_[m.receive.process.index()].receives.emplace_back(
          m.receive.index, NumberOfSend(m.send.process, m.send.index));
    }));
  }
  for (Process& process : links.processes_) process.Sort();
  return links;
}

MessageLinks MessageLinks::OfShare(std::span<const ReplayTrace::Message> messages,
                                   std::span<const uint32_t> shares, uint32_t own) {
  MessageLinks links;
  links.processes_.resize(shares.size());
  for (const ReplayTrace::Message& m : messages) {
    const uint32_t from = shares[m.sender.index()];
    const uint32_t to = shares[m.receiver.index()];
    Process& sender = links.processes_[m.sender.index()];
    if (from == own) sender.sends.push_back(m.send);
    if (from == own && to != own) sender.leaving.emplace_back(m.send, to);
    if (to != own) continue;
    links.processes_[m.receiver.index()].receives.emplace_back(m.receive,
                                                               NumberOfSend(m.sender, m.send));
  }
  for (Process& process : links.processes_) process.Sort();
  return links;
}

void MessageLinks::Process::Sort() {
  std::ranges::sort(sends);
  std::ranges::sort(receives);
  std::ranges::sort(leaving);
}

uint32_t MessageLinks::CopiesOf(ProcessId process, uint64_t index) const {
  const std::vector<uint64_t>& sends = processes_[process.index()].sends;
  const auto [first, last] = std::equal_range(sends.begin(), sends.end(), index);
  return static_cast<uint32_t>(last - first);
}

std::span<const MessageLinks::Leaving> MessageLinks::LeavingFrom(ProcessId process,
                                                                 uint64_t index) const {
  const std::vector<Leaving>& leaving = processes_[process.index()].leaving;
  const auto first = std::ranges::lower_bound(leaving, Leaving{index, 0});
  const auto last =
      std::find_if(first, leaving.end(), [&](const Leaving& send) { return send.first != index; });
  return {first, last};
}

uint64_t MessageLinks::NumberOfSend(ProcessId process, uint64_t index) {
  return uint64_t{process.value} << kEventIndexBits | index;
}

uint64_t MessageLinks::IndexOfSend(uint64_t number) {
  return number & ((uint64_t{1} << kEventIndexBits) - 1);
}

std::optional<uint64_t> MessageLinks::NumberOfReceive(ProcessId process, uint64_t index,
                                                      uint32_t copy) const {
  const auto& receives = processes_[process.index()].receives;
  const auto first = std::ranges::lower_bound(receives, std::pair(index, uint64_t{0}));
  if (receives.end() - first <= copy || first[copy].first != index) return std::nullopt;
  return first[copy].second;
}

}  // namespace syncline
