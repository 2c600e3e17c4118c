#include "match/mpi_matcher.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

// Spreads the kind's number over 64 bits, so that sums of few kinds are hardly ever equal by chance
// (Steele, Lea, Flood, OOPSLA 2014: the finalizer of SplitMix64).
uint64_t Spread(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Beyond the limits channels are in doubt, whatever the number.
uint64_t NumberIn(uint64_t place, uint64_t n) {
  return place << MpiPairing::kSequenceBits | (n & (MpiPairing::kMaxSequence - 1));
}

}  // namespace

void MpiProcessSurvey::Add(const Event& event, const MpiOperation& operation, uint64_t index) {
  switch (operation.kind) {
    case MpiKind::kNone: return;
    case MpiKind::kSend:
    case MpiKind::kImmediateSend: return AddSend(operation);
    case MpiKind::kSendComplete: immediate_sends_.erase(operation.request); return;
    case MpiKind::kReceive:
    case MpiKind::kReceiveComplete: return AddReceive(operation, index);
    case MpiKind::kReceivePosted:
      surveyed_.receives.Post(operation.request, PostingOrder::kNoIndex);
      return;
    case MpiKind::kCancelled: return Cancel(operation.request);
    case MpiKind::kCollectiveBegin:
      collective_begin_ = index;
      if (event.kind == EventKind::kCollectiveBegin) {
        number_ = participations_[{operation.communicator, operation.own}].ends;
      } else {
        ++counts_.begins_without_end;
      }
      return;
    case MpiKind::kCollectivePosted:
      surveyed_.collectives.Post(operation.request, index);
      number_ = 0;
      return;
    case MpiKind::kBeginAlone:
    case MpiKind::kEndAlone:
      collective_begin_ = PostingOrder::kNoIndex;
      return AddCollective(event, operation, index);
    case MpiKind::kCollectiveEnd:
    case MpiKind::kCollectiveComplete: return AddCollective(event, operation, index);
  }
}

void MpiProcessSurvey::AddSend(const MpiOperation& operation) {
  if (operation.own == operation.peer) {
    ++counts_.to_itself;
    return;
  }
  const uint32_t place =
      ChannelOf({operation.communicator, operation.tag, operation.own, operation.peer});
  number_ = NumberIn(place, channels_[place].sends++);
  if (operation.kind == MpiKind::kImmediateSend) immediate_sends_[operation.request] = place;
}

void MpiProcessSurvey::AddReceive(const MpiOperation& operation, uint64_t index) {
  PostingOrder& order = surveyed_.receives;
  if (operation.own == operation.peer) {
    ++counts_.to_itself;
    if (operation.kind == MpiKind::kReceiveComplete) order.Cancel(operation.request);
    return;
  }
  const uint32_t place =
      ChannelOf({operation.communicator, operation.tag, operation.peer, operation.own});
  number_ = NumberIn(place, channels_[place].receives++);
  if (operation.kind == MpiKind::kReceive)
    return order.CompleteAtOnce(place, PostingOrder::kNoIndex, index);
  const auto found = order.Complete(operation.request, place, index).found;
  if (found == PostingOrder::Found::kGivenUp) channels_[place].in_doubt = true;
  if (found == PostingOrder::Found::kNotPosted) ++counts_.receives_without_request;
}

void MpiProcessSurvey::AddCollective(const Event& event, const MpiOperation& operation,
                                     uint64_t index) {
  Participation& part = participations_[{operation.communicator, operation.own}];
  // Those who wait for the instance know its members alone.
  if (process_ != operation.own) part.in_doubt = true;
  number_ = part.ends++;
  part.kinds += Spread(event.name);
  if (operation.kind != MpiKind::kCollectiveComplete) {
    surveyed_.collectives.CompleteAtOnce(operation.communicator, collective_begin_, index);
    return;
  }
  const PostingOrder::Completion completion =
      surveyed_.collectives.Complete(operation.request, operation.communicator, index);
  if (completion.found != PostingOrder::Found::kPosted) {
    part.in_doubt = true;
    return;
  }
  surveyed_.posted.emplace(
      completion.posted_index,
      MpiPairing::PostedCollective{event.name, event.group, event.is_root, event.bytes});
}

void MpiProcessSurvey::Cancel(uint64_t request) {
  if (surveyed_.receives.Cancel(request) || surveyed_.collectives.Cancel(request)) return;
  const auto it = immediate_sends_.find(request);
  if (it == immediate_sends_.end()) return;
  channels_[it->second].in_doubt = true;
  immediate_sends_.erase(it);
}

uint32_t MpiProcessSurvey::ChannelOf(const ChannelKey& key) {
  const uint32_t peer = (key.sender == process_ ? key.receiver : key.sender).value;
  uint32_t& known = known_places_[(2 * peer + (key.sender == process_ ? 1 : 0)) % kKnownPlaces];
  if (known < channels_.size() && channels_[known].key == key) return known;
  const auto [it, is_new] = places_.try_emplace(key, static_cast<uint32_t>(channels_.size()));
  if (is_new) channels_.push_back({.key = key});
  known = it->second;
  return known;
}

MpiSurvey::MpiSurvey(const TraceSet& traces)
    : traces_(traces),
      pairing_(std::make_shared<MpiPairing>()),
      adopted_(traces.processes.size()),
      counts_(traces.processes.size()) {
  pairing_->processes_.resize(traces.processes.size());
  for (uint32_t i = 0; i < traces.processes.size(); ++i) processes_.emplace_back(ProcessId(i));
}

MpiFindings MpiSurvey::FindingsOf(ProcessId process) {
  MpiProcessSurvey& survey = OfProcess(process);
  MpiPairing::Process& surveyed = pairing_->processes_[process.index()];
  surveyed = std::move(survey.surveyed_);
  surveyed.receives.Finish();
  surveyed.collectives.Finish();
  survey.counts_.never_completed = surveyed.receives.never_completed();
  survey.counts_.collectives_never_completed = surveyed.collectives.never_completed();
  survey.places_ = {};
  return {survey.channels_,
          {survey.participations_.begin(), survey.participations_.end()},
          survey.counts_};
}

void MpiSurvey::Adopt(ProcessId process, MpiFindings findings) {
  adopted_[process.index()] = std::move(findings);
}

std::shared_ptr<const MpiPairing> MpiSurvey::Finish(Diagnostics& diagnostics) {
  for (uint32_t i = 0; i < processes_.size(); ++i) {
    Merge(ProcessId(i), adopted_[i] ? *adopted_[i] : FindingsOf(ProcessId(i)));
    adopted_[i].reset();
  }
  FinishChannels();
  FinishCollectives();
  Report(diagnostics);
  return std::move(pairing_);
}

std::shared_ptr<const MpiPairing> MpiSurvey::FinishAs(MpiPairing::Table table) {
  pairing_->channels_.reserve(table.channels.size());
  for (const auto& [key, channel] : table.channels) pairing_->channels_.emplace(key, channel);
  pairing_->complete_instances_ = std::move(table.complete_instances);
  return std::move(pairing_);
}

// Numbers channels in order of processes and of their first use, whatever the threads did.
void MpiSurvey::Merge(ProcessId process, const MpiFindings& findings) {
  counts_[process.index()] = findings.counts;
  for (const MpiFindings::Channel& own : findings.channels) {
    const uint64_t next = pairing_->channels_.size();
    const auto [it, is_new] = pairing_->channels_.try_emplace(own.key);
    MpiPairing::Channel& channel = it->second;
    if (is_new) channel.number = next;
    // Channels beyond those that can be numbered are all in doubt, and those of several processes.
    channel.in_doubt |= own.in_doubt || channel.number >= MpiPairing::kMaxChannels ||
                        (own.sends > 0 && channel.sends > 0) ||
                        (own.receives > 0 && channel.receives > 0);
    if (own.sends > 0) channel.sender = process;
    if (own.receives > 0) channel.receiver = process;
    channel.sends += own.sends;
    channel.receives += own.receives;
  }
  for (const auto& [key, own] : findings.participations) {
    MpiFindings::Participation& part = participations_[key];
    part.ends += own.ends;
    part.kinds += own.kinds;
    part.in_doubt |= own.in_doubt;
  }
}

void MpiSurvey::FinishChannels() {
  MpiMatchCounts& counts = pairing_->counts_;
  for (const MpiFindings::Counts& of_process : counts_) {
    counts.never_completed += of_process.never_completed;
    counts.to_itself += of_process.to_itself;
  }
  for (auto& [key, channel] : pairing_->channels_) {
    // With no receive at all, requests of the member itself are looked at.
    const ProcessId receiver = channel.receives > 0 ? channel.receiver : key.receiver;
    const bool may_lack_receives = counts_[receiver.index()].never_completed > 0;
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
    const auto it = participations_.find(MpiFindings::ParticipationKey{communicator, member});
    const MpiFindings::Participation part =
        it == participations_.end() ? MpiFindings::Participation{} : it->second;
    least = std::min(least, part.ends);
    most = std::max(most, part.ends);
    sum += part.ends;
    in_doubt |= part.in_doubt;
    const MpiFindings::Counts& of_member = counts_[member.index()];
    lacks_some |= of_member.begins_without_end > 0 || of_member.collectives_never_completed > 0;
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
  diagnostics.Count("unmatched-send", Severity::kInfo, counts.unmatched_sends);
  diagnostics.Count("unmatched-receive", Severity::kInfo, counts.unmatched_receives);
  diagnostics.Count("message-to-itself", Severity::kInfo, counts.to_itself);
  diagnostics.Count("ambiguous-message", Severity::kWarning, counts.ambiguous);
  diagnostics.Count("request-never-completed", Severity::kInfo, counts.never_completed);
  uint64_t without_request = 0;
  for (const MpiFindings::Counts& of : counts_) without_request += of.receives_without_request;
  diagnostics.Count("receive-without-request", Severity::kInfo, without_request);
  diagnostics.Count("unmatched-collective", Severity::kInfo, counts.unmatched_collectives);
  diagnostics.Count("ambiguous-collective", Severity::kWarning, counts.ambiguous_collectives);
}

MpiPairing::Table MpiPairing::MakeTable() const {
  Table table{{}, complete_instances_};
  table.channels.reserve(channels_.size());
  for (const auto& [key, channel] : channels_) table.channels.push_back({key, channel});
  return table;
}

std::vector<MpiPairing::PairedChannel> MpiPairing::PairedChannels() const {
  std::vector<PairedChannel> paired;
  for (const auto& [key, channel] : channels_) {
    const uint64_t messages = std::min(channel.sends, channel.receives);
    if (channel.in_doubt || messages == 0) continue;
    paired.push_back({channel.number, messages, channel.sender, channel.receiver});
  }
  std::ranges::sort(paired, {}, &PairedChannel::number);
  return paired;
}

}  // namespace syncline
