#include "match/mpi_matcher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace syncline {
namespace {

// The event without what only a partner could give a meaning.
Event AsMark(const Event& event) {
  return Event{.time = event.time, .process = event.process, .kind = EventKind::kMark};
}

// Spreads the kind's number over 64 bits, so that sums of few kinds are hardly ever equal by chance
// (Steele, Lea, Flood, OOPSLA 2014: the finalizer of SplitMix64).
uint64_t Spread(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

MpiSurvey::MpiSurvey(const TraceSet& traces)
    : traces_(traces), pairing_(std::make_shared<MpiPairing>()), states_(traces.processes.size()) {
  pairing_->processes_.resize(traces.processes.size());
}

void MpiSurvey::Add(const Event& event, const MpiOperation& operation, uint64_t index) {
  MpiPairing::Process& process = pairing_->processes_[event.process.index()];
  State& state = states_[event.process.index()];
  switch (operation.kind) {
    case MpiKind::kNone:
      return;
    case MpiKind::kSend:
    case MpiKind::kImmediateSend:
      return AddSend(event, operation);
    case MpiKind::kSendComplete:
      state.immediate_sends.erase(operation.request);
      return;
    case MpiKind::kReceive:
    case MpiKind::kReceiveComplete:
      return AddReceive(event, operation, index);
    case MpiKind::kReceivePosted:
      process.receives.Post(operation.request, PostingOrder::kNoIndex);
      return;
    case MpiKind::kCancelled:
      return Cancel(event.process, operation.request);
    case MpiKind::kCollectiveBegin:
      if (event.kind != EventKind::kCollectiveBegin) ++state.begins_without_end;
      state.collective_begin = index;
      return;
    case MpiKind::kCollectivePosted:
      process.collectives.Post(operation.request, index);
      return;
    case MpiKind::kCollectiveEnd:
    case MpiKind::kCollectiveComplete:
      return AddCollective(event, operation, index);
  }
}

void MpiSurvey::AddSend(const Event& event, const MpiOperation& operation) {
  if (operation.own == operation.peer) {
    ++pairing_->counts_.to_itself;
    return;
  }
  const ChannelKey key = {operation.communicator, operation.tag, operation.own, operation.peer};
  Channel& channel = ChannelOf(key);
  if (channel.sends++ == 0) channel.sender = event.process;
  if (channel.sender != event.process) channel.in_doubt = true;
  if (operation.kind == MpiKind::kImmediateSend)
    states_[event.process.index()].immediate_sends[operation.request] = key;
}

void MpiSurvey::AddReceive(const Event& event, const MpiOperation& operation, uint64_t index) {
  PostingOrder& order = pairing_->processes_[event.process.index()].receives;
  if (operation.own == operation.peer) {
    ++pairing_->counts_.to_itself;
    if (operation.kind == MpiKind::kReceiveComplete) order.Cancel(operation.request);
    return;
  }
  Channel& channel =
      ChannelOf({operation.communicator, operation.tag, operation.peer, operation.own});
  if (channel.receives++ == 0) channel.receiver = event.process;
  if (channel.receiver != event.process) channel.in_doubt = true;
  // Where channels are too many to be numbered, they are all in doubt.
  const auto number = static_cast<uint32_t>(channel.number);
  if (operation.kind == MpiKind::kReceive)
    return order.CompleteAtOnce(number, PostingOrder::kNoIndex, index);
  const auto found = order.Complete(operation.request, number, index).found;
  if (found == PostingOrder::Found::kGivenUp) channel.in_doubt = true;
  if (found == PostingOrder::Found::kNotPosted) ++receives_without_request_;
}

void MpiSurvey::AddCollective(const Event& event, const MpiOperation& operation, uint64_t index) {
  MpiPairing::Process& process = pairing_->processes_[event.process.index()];
  Participation& part = ParticipationOf(event, operation);
  ++part.ends;
  part.kinds += Spread(event.name);
  if (operation.kind == MpiKind::kCollectiveEnd) {
    process.collectives.CompleteAtOnce(operation.communicator,
                                       states_[event.process.index()].collective_begin, index);
    return;
  }
  const PostingOrder::Completion completion =
      process.collectives.Complete(operation.request, operation.communicator, index);
  if (completion.found != PostingOrder::Found::kPosted) {
    part.in_doubt = true;
    return;
  }
  process.posted.emplace(
      completion.posted_index,
      MpiPairing::PostedCollective{event.name, event.group, event.is_root, event.bytes});
}

void MpiSurvey::Cancel(ProcessId process, uint64_t request) {
  MpiPairing::Process& surveyed = pairing_->processes_[process.index()];
  if (surveyed.receives.Cancel(request) || surveyed.collectives.Cancel(request)) return;
  auto& sends = states_[process.index()].immediate_sends;
  const auto it = sends.find(request);
  if (it == sends.end()) return;
  ChannelOf(it->second).in_doubt = true;
  sends.erase(it);
}

MpiSurvey::Channel& MpiSurvey::ChannelOf(const ChannelKey& key) {
  const uint64_t next = pairing_->channels_.size();
  const auto [it, is_new] = pairing_->channels_.try_emplace(key);
  if (is_new) {
    it->second.number = next;
    it->second.in_doubt = next >= MpiPairing::kMaxChannels;
  }
  return it->second;
}

MpiSurvey::Participation& MpiSurvey::ParticipationOf(const Event& event,
                                                     const MpiOperation& operation) {
  Participation& part = participations_[{operation.communicator, operation.own}];
  // Those who wait for the instance know its members alone.
  if (event.process != operation.own) part.in_doubt = true;
  return part;
}

std::shared_ptr<const MpiPairing> MpiSurvey::Finish(Diagnostics& diagnostics) {
  for (MpiPairing::Process& process : pairing_->processes_) {
    process.receives.Finish();
    process.collectives.Finish();
    pairing_->counts_.never_completed += process.receives.never_completed();
  }
  FinishChannels();
  FinishCollectives();
  Report(diagnostics);
  return std::move(pairing_);
}

void MpiSurvey::FinishChannels() {
  MpiMatchCounts& counts = pairing_->counts_;
  for (auto& [key, channel] : pairing_->channels_) {
    // With no receive at all, requests of the member itself are looked at.
    const ProcessId receiver = channel.receives > 0 ? channel.receiver : key.receiver;
    const bool may_lack_receives =
        pairing_->processes_[receiver.index()].receives.never_completed() > 0;
    if (channel.sends != channel.receives && may_lack_receives) channel.in_doubt = true;
    if (std::max(channel.sends, channel.receives) > MpiPairing::kMaxSequence)
      channel.in_doubt = true;
    if (channel.in_doubt) {
      counts.ambiguous += channel.sends + channel.receives;
      continue;
    }
    const uint64_t pairs = std::min(channel.sends, channel.receives);
    counts.messages += pairs;
    counts.unmatched_sends += channel.sends - pairs;
    counts.unmatched_receives += channel.receives - pairs;
  }
}

void MpiSurvey::FinishCollectives() {
  pairing_->complete_instances_.resize(traces_.groups.size());
  for (uint32_t communicator = 0; communicator < traces_.groups.size(); ++communicator)
    FinishCommunicator(communicator);
}

void MpiSurvey::FinishCommunicator(uint32_t communicator) {
  const std::vector<ProcessId>& members = traces_.groups[communicator].members;
  if (members.empty()) return;
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
  uint64_t sum = 0;
  std::optional<uint64_t> kinds;
  bool kinds_differ = false;
  bool in_doubt = false;
  bool lacks_some = false;  // perhaps not the last ones
  for (const ProcessId member : members) {
    const auto it = participations_.find(ParticipationKey{communicator, member});
    const Participation part = it == participations_.end() ? Participation{} : it->second;
    least = std::min(least, part.ends);
    most = std::max(most, part.ends);
    sum += part.ends;
    in_doubt |= part.in_doubt;
    lacks_some |= states_[member.index()].begins_without_end > 0 ||
                  pairing_->processes_[member.index()].collectives.never_completed() > 0;
    kinds_differ |= kinds.value_or(part.kinds) != part.kinds;
    kinds = part.kinds;
  }
  MpiMatchCounts& counts = pairing_->counts_;
  if (in_doubt || (least == most ? kinds_differ : lacks_some)) {
    counts.ambiguous_collectives += sum;
    return;
  }
  pairing_->complete_instances_[communicator] = least;
  counts.collectives += least;
  counts.unmatched_collectives += sum - least * members.size();
}

void MpiSurvey::Report(Diagnostics& diagnostics) const {
  const MpiMatchCounts& counts = pairing_->counts_;
  const auto report = [&](std::string_view name, Severity severity, uint64_t count) {
    if (count > 0) diagnostics.Count(name, severity, count);
  };
  report("unmatched-send", Severity::kInfo, counts.unmatched_sends);
  report("unmatched-receive", Severity::kInfo, counts.unmatched_receives);
  report("message-to-itself", Severity::kInfo, counts.to_itself);
  report("ambiguous-message", Severity::kWarning, counts.ambiguous);
  report("request-never-completed", Severity::kInfo, counts.never_completed);
  report("receive-without-request", Severity::kInfo, receives_without_request_);
  report("unmatched-collective", Severity::kInfo, counts.unmatched_collectives);
  report("ambiguous-collective", Severity::kWarning, counts.ambiguous_collectives);
}

Event MpiNumbering::Number(const Event& event, const MpiOperation& operation, uint64_t index) {
  const MpiPairing::Process& surveyed = pairing_->processes_[process_.index()];
  switch (operation.kind) {
    case MpiKind::kSend:
    case MpiKind::kImmediateSend:
      if (operation.own == operation.peer) return AsMark(event);
      return Message(event,
                     UseOf({operation.communicator, operation.tag, operation.own, operation.peer}),
                     std::nullopt);
    case MpiKind::kReceive:
    case MpiKind::kReceiveComplete:
      if (operation.own == operation.peer) return AsMark(event);
      return Message(event,
                     UseOf({operation.communicator, operation.tag, operation.peer, operation.own}),
                     surveyed.receives.NumberOf(index));
    case MpiKind::kCollectiveBegin:
      if (event.kind != EventKind::kCollectiveBegin) return event;
      return Collective(
          event, surveyed.collectives.NumberOf(index).value_or(completed_[operation.communicator]));
    case MpiKind::kCollectiveEnd:
    case MpiKind::kCollectiveComplete: {
      const uint64_t before = completed_[operation.communicator]++;
      return Collective(event, surveyed.collectives.NumberOf(index).value_or(before));
    }
    case MpiKind::kCollectivePosted:
      return Posted(event, index);
    case MpiKind::kNone:
    case MpiKind::kSendComplete:
    case MpiKind::kReceivePosted:
    case MpiKind::kCancelled:
      break;
  }
  return event;
}

MpiNumbering::Use& MpiNumbering::UseOf(const MpiPairing::ChannelKey& key) {
  const auto [it, is_new] = uses_.try_emplace(key);
  if (is_new) {
    const auto channel = pairing_->channels_.find(key);
    if (channel != pairing_->channels_.end()) it->second.channel = &channel->second;
  }
  return it->second;
}

Event MpiNumbering::Message(const Event& event, Use& use, std::optional<uint64_t> misplaced) const {
  const uint64_t number = misplaced.value_or(use.next);
  ++use.next;
  const MpiPairing::Channel* channel = use.channel;
  if (!channel || channel->in_doubt || number >= std::min(channel->sends, channel->receives))
    return AsMark(event);
  Event numbered = event;
  numbered.message = channel->number << MpiPairing::kSequenceBits | number;
  numbered.peer = event.kind == EventKind::kSend ? channel->receiver : channel->sender;
  return numbered;
}

Event MpiNumbering::Collective(const Event& event, uint64_t number) const {
  if (number >= pairing_->complete_instances_[event.group]) return AsMark(event);
  Event numbered = event;
  numbered.message = number;
  return numbered;
}

Event MpiNumbering::Posted(const Event& event, uint64_t index) const {
  const MpiPairing::Process& surveyed = pairing_->processes_[process_.index()];
  const auto it = surveyed.posted.find(index);
  const std::optional<uint64_t> number = surveyed.collectives.NumberOf(index);
  if (it == surveyed.posted.end() || !number) return event;
  Event begin = event;
  begin.kind = EventKind::kCollectiveBegin;
  begin.name = it->second.name;
  begin.group = it->second.group;
  begin.is_root = it->second.is_root;
  begin.bytes = it->second.bytes;
  return Collective(begin, *number);
}

}  // namespace syncline
