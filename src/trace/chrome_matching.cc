#include "trace/chrome_matching.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace syncline {
namespace {

bool IsRooted(std::string_view kind) {
  return kind == "bcast" || kind == "reduce" || kind == "gather" || kind == "scatter";
}
bool IsFromRoot(std::string_view kind) { return kind == "bcast" || kind == "scatter"; }

}  // namespace

void ChromeMatching::Run() {
  GatherOperations();
  MatchOperations();
  MatchFlows();
  SortParts();
  Count("collective-without-root", Severity::kInfo, without_root_);
  Count("collective-may-leave-out", Severity::kInfo, may_leave_out_);
  Count("nccl-kernel-unexplained", Severity::kInfo, unexplained_);
  Count("message-to-itself", Severity::kInfo, to_itself_);
  Count("unmatched-send", Severity::kInfo, unmatched_begins_);
  Count("unmatched-receive", Severity::kInfo, unmatched_ends_);
  Count("ambiguous-message", Severity::kWarning, ambiguous_);
  loaded_.unmatched_sends += unmatched_begins_;
  loaded_.unmatched_receives += unmatched_ends_;
}

void ChromeMatching::Count(std::string_view name, Severity severity, uint64_t count,
                           const std::string& example) {
  if (count > 0) loaded_.diagnostics.Count(name, severity, count, example);
}

void ChromeMatching::SortParts() {
  for (const MatchedChromeFile& file : files_) {
    file.kept->kinds = kinds_;
    for (KeptChromeTrack& track : file.kept->tracks) {
      std::ranges::stable_sort(track.parts, {}, &ChromePart::index);
    }
  }
}

bool ChromeMatching::IsUsable(const ChromeOperation& kernel, uint32_t file) {
  if (kernel.kind.empty()) {
    ++unexplained_;
    return false;
  }
  const auto& rank = files_[file].contents->header.rank;
  if (kernel.may_leave_out && kernel.kind == "alltoall") {
    ++may_leave_out_;
    return false;
  }
  if (IsRooted(kernel.kind) && !(kernel.root && rank)) {
    ++without_root_;
    return false;
  }
  return true;
}

GroupOperation ChromeMatching::Described(const ChromeOperation& kernel, uint32_t file) const {
  const ProcessId process = ProcessOf(file, kernel.track);
  const auto& rank = files_[file].contents->header.rank;
  GroupOperation operation{.member = file,
                           .kind = kernel.kind,
                           .group = kernel.group,
                           .instance = kernel.instance,
                           .sequence = kernel.sequence,
                           .size = kernel.size,
                           .from = kernel.from,
                           .to = kernel.to,
                           .is_root = kernel.root && kernel.root == rank,
                           .begin = {process, kernel.index, kernel.begin},
                           .end = {process, kernel.index + 1, kernel.end}};
  if (kernel.kind == "send" && rank) operation.from = rank;
  if (kernel.kind == "recv" && rank) operation.to = rank;
  return operation;
}

void ChromeMatching::GatherOperations() {
  for (uint32_t f = 0; f < files_.size(); ++f) {
    std::vector<ChromeOperation>& kernels = files_[f].contents->kernels;
    std::ranges::stable_sort(kernels,
                             [](const auto& a, const auto& b) { return a.begin < b.begin; });
    // Without names of groups a stream stands for one; where each rank has a single stream, the
    // streams' numbers count for nothing.
    std::set<uint32_t> streams;
    for (const ChromeOperation& kernel : kernels) {
      if (kernel.group.empty()) streams.insert(kernel.track);
    }
    for (ChromeOperation& kernel : kernels) {
      if (kernel.group.empty()) {
        const std::string& tid = files_[f].contents->tracks[kernel.track].tid;
        kernel.group = streams.size() == 1
                           ? "all"
                           : files_[f].contents->words.Keep(fmt::format("stream {}", tid));
      }
      if (!IsUsable(kernel, f)) continue;
      operations_.push_back(Described(kernel, f));
      kernels_.emplace_back(f, &kernel);
    }
  }
}

void ChromeMatching::MatchOperations() {
  const MatchedOperations matched = MatchGroupOperations(operations_);
  for (const std::vector<size_t>& members : matched.collectives) AddCollective(members);
  for (const MatchedOperations::Transfer& transfer : matched.transfers) AddTransfer(transfer);
  Count("operations-matched-by-order", Severity::kInfo, matched.by_order);
  Count("unmatched-collective", Severity::kInfo, matched.unmatched_collectives);
  unmatched_begins_ += matched.unmatched_sends;
  unmatched_ends_ += matched.unmatched_receives;
  if (!matched.first_ambiguous) return;
  const GroupOperation& first = operations_[*matched.first_ambiguous];
  Count("ambiguous-collective", Severity::kWarning, matched.ambiguous,
        fmt::format("{}: {} of group {}", files_[first.member].input->input.path, first.kind,
                    first.group));
}

void ChromeMatching::AddCollective(std::span<const size_t> members) {
  const std::string_view kind = operations_[members[0]].kind;
  if (IsRooted(kind)) {
    const auto roots =
        std::ranges::count_if(members, [&](size_t o) { return operations_[o].is_root; });
    if (roots != 1) {
      without_root_ += members.size();
      return;
    }
  }
  DeliverCollective(members);
  const uint32_t group = GroupOf(members);
  const uint64_t instance = next_instance_++;
  for (const size_t o : members) {
    const auto& [file, kernel] = kernels_[o];
    ChromePart part{.index = kernel->index,
                    .kind = EventKind::kCollectiveBegin,
                    .is_root = operations_[o].is_root,
                    .message = instance,
                    .group = group,
                    .name = KindNumber(kind)};
    AddPart(file, kernel->track, part);
    ++part.index;
    part.kind = EventKind::kCollectiveEnd;
    AddPart(file, kernel->track, part);
  }
}

void ChromeMatching::Deliver(size_t from, size_t to) {
  collective_messages_.OnMessage({operations_[from].begin, operations_[to].end});
}

void ChromeMatching::DeliverCollective(std::span<const size_t> members) {
  const std::string_view kind = operations_[members[0]].kind;
  if (IsRooted(kind)) {
    const size_t root =
        *std::ranges::find_if(members, [&](size_t o) { return operations_[o].is_root; });
    for (const size_t o : members) {
      if (o != root) IsFromRoot(kind) ? Deliver(root, o) : Deliver(o, root);
    }
    return;
  }
  const bool takes_all = members.size() * (members.size() - 1) <= kMostPairs;
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = i + 1; j < members.size() && (takes_all || i == 0); ++j) {
      Deliver(members[i], members[j]);
      Deliver(members[j], members[i]);
    }
  }
}

// Members of one name may differ: of a rank, whichever of its streams was used.
uint32_t ChromeMatching::GroupOf(std::span<const size_t> members) {
  std::vector<ProcessId> processes;
  for (const size_t o : members) processes.push_back(operations_[o].begin.process);
  const std::string name(operations_[members[0]].group);
  const auto next = static_cast<uint32_t>(loaded_.traces.groups.size());
  const auto [known, is_new] = groups_.try_emplace({name, processes}, next);
  if (is_new) loaded_.traces.groups.push_back({name, std::move(processes)});
  return known->second;
}

uint32_t ChromeMatching::KindNumber(std::string_view kind) {
  const auto known = kind_numbers_.find(kind);
  if (known != kind_numbers_.end()) return known->second;
  kinds_->emplace_back(kind);
  return kind_numbers_.emplace(kind, static_cast<uint32_t>(kinds_->size() - 1)).first->second;
}

void ChromeMatching::AddTransfer(const MatchedOperations::Transfer& transfer) {
  const GroupOperation& send = operations_[transfer.send];
  const GroupOperation& receive = operations_[transfer.receive];
  messages_.OnMessage({send.begin, receive.end});
  const uint64_t message = next_message_++;
  AddPart(send.member, kernels_[transfer.send].second->track,
          {.index = send.begin.index,
           .kind = EventKind::kSend,
           .peer = receive.end.process,
           .message = message});
  AddPart(receive.member, kernels_[transfer.receive].second->track,
          {.index = receive.end.index,
           .kind = EventKind::kReceive,
           .peer = send.begin.process,
           .message = message});
}

// Flows of one key together, within a key by file and in the order of that.
void ChromeMatching::MatchFlows() {
  std::vector<FlowPlace> places;
  for (uint32_t f = 0; f < files_.size(); ++f) {
    for (const ChromeFlowEnd& end : files_[f].contents->flows) places.push_back({f, &end});
  }
  std::ranges::stable_sort(
      places, {}, [](const FlowPlace& place) { return std::tie(place.end->key, place.file); });
  const auto for_each_key = [&](const auto& visit) {
    for (size_t first = 0; first < places.size();) {
      size_t end = first;
      while (end < places.size() && places[end].end->key == places[first].end->key) ++end;
      visit(std::span<const FlowPlace>(places).subspan(first, end - first));
      first = end;
    }
  };
  uint64_t collisions = 0;
  for_each_key([&](std::span<const FlowPlace> together) {
    std::set<uint32_t> begun;
    for (const FlowPlace& place : together) {
      if (place.end->part == FlowPart::kBegin) begun.insert(place.file);
    }
    if (begun.size() > 1) ++collisions;
  });
  Count("flow-ids-by-file", Severity::kInfo, collisions);
  for (const MatchedChromeFile& file : files_) {
    file.kept->has_own_ids = collisions > 0 || file.contents->header.is_distributed;
  }
  for_each_key(
      [&](std::span<const FlowPlace> together) { MatchFlowsOfKey(together, collisions == 0); });
}

void ChromeMatching::MatchFlowsOfKey(std::span<const FlowPlace> together, bool may_join_files) {
  if (may_join_files && !together[0].end->is_of_process) return MatchFlowsWithin(together);
  for (size_t first = 0; first < together.size();) {
    size_t end = first;
    while (end < together.size() && together[end].file == together[first].file) ++end;
    MatchFlowsWithin(together.subspan(first, end - first));
    first = end;
  }
}

void ChromeMatching::MatchFlowsWithin(std::span<const FlowPlace> together) {
  std::vector<FlowPlace> begins;
  std::vector<FlowPlace> ends;
  bool has_steps = false;
  for (const FlowPlace& place : together) {
    (place.end->part == FlowPart::kBegin ? begins : ends).push_back(place);
    has_steps = has_steps || place.end->part == FlowPart::kStep;
  }
  if (begins.empty() || ends.empty()) {
    unmatched_begins_ += begins.size();
    unmatched_ends_ += ends.size();
    return;
  }
  if (begins.size() == 1) return AddFlow(begins[0], ends);
  const auto are_of_one_thread = [](const std::vector<FlowPlace>& places) {
    return std::ranges::all_of(places, [&](const FlowPlace& place) {
      return place.file == places[0].file && place.end->track == places[0].end->track;
    });
  };
  if (has_steps || begins.size() != ends.size() || !are_of_one_thread(begins) ||
      !are_of_one_thread(ends)) {
    ambiguous_ += together.size();
    return;
  }
  const auto by_time = [](const FlowPlace& a, const FlowPlace& b) {
    return a.end->time < b.end->time;
  };
  std::ranges::stable_sort(begins, by_time);
  std::ranges::stable_sort(ends, by_time);
  for (size_t i = 0; i < begins.size(); ++i) AddFlow(begins[i], std::span(&ends[i], 1));
}

void ChromeMatching::AddFlow(const FlowPlace& begin, std::span<const FlowPlace> ends) {
  const EventRef send = RefOf(begin);
  const uint64_t message = next_message_++;
  uint64_t receives = 0;
  ProcessId peer;
  for (const FlowPlace& place : ends) {
    const EventRef receive = RefOf(place);
    if (receive.process == send.process) {
      ++to_itself_;
      continue;
    }
    messages_.OnMessage({send, receive});
    ++receives;
    peer = receive.process;
    AddPart(place.file, place.end->track,
            {.index = receive.index,
             .kind = EventKind::kReceive,
             .peer = send.process,
             .message = message});
  }
  if (receives == 0) return;
  AddPart(begin.file, begin.end->track,
          {.index = send.index,
           .kind = receives == 1 ? EventKind::kSend : EventKind::kBroadcast,
           .peer = receives == 1 ? peer : ProcessId(),
           .message = message});
}

}  // namespace syncline
