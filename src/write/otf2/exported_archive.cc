#include "write/otf2/exported_archive.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/try.h"
#include "read/otf2/record_types.h"
#include "write/nested_spans.h"
#include "write/otf2/new_archive.h"

namespace syncline {
namespace {

using otf2_write::NewArchive;

struct ExportedPart {
  OTF2_CollectiveOp operation = OTF2_COLLECTIVE_OP_BARRIER;
  uint32_t group = 0;                     // in TraceSet::groups
  uint32_t root = OTF2_UNDEFINED_UINT32;  // a rank
  uint64_t begin = 0;                     // in ExportedProcess::events
  uint64_t sent = 0;                      // bytes
  bool is_blocking = false;
};

// By begin and by end, where it can be said what they are part of.
using ExportedParts = absl::flat_hash_map<uint64_t, ExportedPart>;

// The name may be used again: `use` counts, within each member, from 0.
struct InstanceKey {
  uint32_t group = 0;
  uint64_t name = 0;
  uint64_t use = 0;
  friend bool operator==(const InstanceKey&, const InstanceKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const InstanceKey& key) {
    return H::combine(std::move(h), key.group, key.name, key.use);
  }
};

struct Instance {
  size_t members = 0;  // that began and ended it
  uint32_t kind = 0;   // in ExportedTrace::names
  uint32_t root = OTF2_UNDEFINED_UINT32;
  bool is_sound = true;
};

// One member's part in an instance.
struct Participation {
  size_t instance = 0;
  uint64_t begin = 0, end = 0;
};

// Which collectives of an exported trace OTF2 can say, and as what.
//
// OTF2 gives instances no names: the n-th of each member of a communicator belong together. So an
// instance must be whole: every member of a group that is defined begins and ends it once, as the
// same kind, which OTF2 knows, and at most one is the root; and all members must have begun the
// whole instances of a group in the same order, else none of them can be said. A part whose end
// does not follow on its begin is a non-blocking one.
// Cost: O(events). Memory: 100 bytes per part.
class CollectiveFinder {
 public:
  explicit CollectiveFinder(const ExportedTrace& trace)
      : trace_(trace), operations_(trace.names.size()), group_of_(trace.names.size()) {
    for (uint32_t name = 0; name < trace.names.size(); ++name) {
      const auto& kinds = kOtf2CollectiveNames;
      const auto kind = std::ranges::find(kinds, trace.names[name]);
      if (kind != kinds.end()) operations_[name] = static_cast<uint8_t>(kind - kinds.begin());
      const auto& groups = trace.traces.groups;
      const auto group = std::ranges::find(groups, trace.names[name], &Group::name);
      if (group != groups.end()) group_of_[name] = static_cast<uint32_t>(group - groups.begin());
    }
    ranks_.resize(trace.traces.groups.size());
    for (size_t g = 0; g < ranks_.size(); ++g) {
      uint32_t rank = 0;
      for (const ProcessId member : trace.traces.groups[g].members)
        ranks_[g][member.value] = rank++;
    }
  }

  std::vector<std::vector<Participation>> Run() {
    std::vector<std::vector<Participation>> of(trace_.processes.size());
    for (uint32_t p = 0; p < of.size(); ++p) of[p] = Collect(p);
    const auto is_sayable = [&](const Participation& part) { return IsWhole(part.instance); };
    for (std::vector<Participation>& parts : of) {
      std::erase_if(parts, [&](const Participation& part) { return !is_sayable(part); });
    }
    const std::vector<bool> is_in_order = FindOrders(of);
    for (std::vector<Participation>& parts : of) {
      std::erase_if(parts, [&](const Participation& part) {
        return !is_in_order[keys_[part.instance].group];
      });
    }
    return of;
  }

  ExportedPart PartOf(uint32_t process, const Participation& part) const {
    const Instance& instance = instances_[part.instance];
    return {.operation = *operations_[instance.kind],
            .group = keys_[part.instance].group,
            .root = instance.root,
            .begin = part.begin,
            .sent = trace_.processes[process].events[part.begin].bytes,
            .is_blocking = part.end == part.begin + 1};
  }

 private:
  // In order of their begins.
  std::vector<Participation> Collect(uint32_t process) {
    std::vector<Participation> found;
    absl::flat_hash_map<InstanceKey, size_t> open;    // in `found`, with use 0
    absl::flat_hash_map<InstanceKey, uint64_t> uses;  // the same
    const std::vector<ExportedEvent>& events = trace_.processes[process].events;
    for (uint64_t i = 0; i < events.size(); ++i) {
      const ExportedEvent& event = events[i];
      const bool is_begin = event.kind == EventKind::kCollectiveBegin;
      if (!is_begin && event.kind != EventKind::kCollectiveEnd) continue;
      const auto group = group_of_[event.group];
      if (!event.has_message || !group || !ranks_[*group].contains(process)) continue;
      const InstanceKey key{.group = *group, .name = event.message};
      if (is_begin) {
        InstanceKey numbered = key;
        numbered.use = uses[key]++;
        const size_t instance = NumberOf(numbered, event.name);
        if (!open.emplace(key, found.size()).second) instances_[instance].is_sound = false;
        found.push_back({.instance = instance, .begin = i});
      } else if (const auto begun = open.find(key); begun != open.end()) {
        found[begun->second].end = i;
        Join(found[begun->second], process, event);
        open.erase(begun);
      }
    }
    return found;
  }

  size_t NumberOf(const InstanceKey& key, uint32_t kind) {
    const auto [known, is_new] = numbers_.try_emplace(key, instances_.size());
    if (is_new) {
      keys_.push_back(key);
      instances_.push_back({.kind = kind});
    }
    return known->second;
  }

  void Join(const Participation& part, uint32_t process, const ExportedEvent& end) {
    const ExportedEvent& begin = trace_.processes[process].events[part.begin];
    Instance& instance = instances_[part.instance];
    ++instance.members;
    if (begin.name != instance.kind || end.name != instance.kind) instance.is_sound = false;
    if (!begin.is_root && !end.is_root) return;
    if (instance.root != OTF2_UNDEFINED_UINT32) instance.is_sound = false;
    instance.root = ranks_[keys_[part.instance].group].at(process);
  }

  bool IsWhole(size_t number) const {
    const Instance& instance = instances_[number];
    const size_t members = trace_.traces.groups[keys_[number].group].members.size();
    return instance.is_sound && instance.members == members && operations_[instance.kind];
  }

  // By group: whether all members began its instances in the same order.
  std::vector<bool> FindOrders(const std::vector<std::vector<Participation>>& of) const {
    std::vector<bool> is_in_order(ranks_.size(), true);
    std::vector<std::vector<size_t>> first(ranks_.size());  // the instances of the first member
    for (uint32_t p = 0; p < of.size(); ++p) {
      std::vector<std::vector<size_t>> own(ranks_.size());
      for (const Participation& part : of[p]) {
        own[keys_[part.instance].group].push_back(part.instance);
      }
      for (size_t g = 0; g < own.size(); ++g) {
        if (!ranks_[g].contains(p)) continue;
        if (first[g].empty()) first[g] = own[g];
        if (first[g] != own[g]) is_in_order[g] = false;
      }
    }
    return is_in_order;
  }

  const ExportedTrace& trace_;
  std::vector<std::optional<OTF2_CollectiveOp>> operations_;    // by name
  std::vector<std::optional<uint32_t>> group_of_;               // by name
  std::vector<absl::flat_hash_map<uint32_t, uint32_t>> ranks_;  // by group and process
  absl::flat_hash_map<InstanceKey, size_t> numbers_;
  std::vector<InstanceKey> keys_;    // by number of the instance
  std::vector<Instance> instances_;  // the same
};

// By process.
std::vector<ExportedParts> FindExportedParts(const ExportedTrace& trace) {
  CollectiveFinder finder(trace);
  const std::vector<std::vector<Participation>> found = finder.Run();
  std::vector<ExportedParts> parts(found.size());
  for (uint32_t p = 0; p < found.size(); ++p) {
    for (const Participation& part : found[p]) {
      const ExportedPart described = finder.PartOf(p, part);
      parts[p].emplace(part.begin, described);
      parts[p].emplace(part.end, described);
    }
  }
  return parts;
}

// Numbers of definitions. The communicators of groups follow that of all.
constexpr OTF2_CommRef kWorld = 0;
constexpr OTF2_SystemTreeNodeRef kMachine = 0;
constexpr OTF2_AttributeRef kRecorded = 0;
constexpr OTF2_AttributeRef kBound = 1;
constexpr size_t kKinds = static_cast<size_t>(EventKind::kCollectiveEnd) + 1;

struct DeleteAttributes {
  void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
};

class ArchiveOfTrace {
 public:
  ArchiveOfTrace(const ExportedTrace& trace, const ExportFindings& findings, NewArchive& archive)
      : trace_(trace),
        archive_(archive),
        parts_(FindExportedParts(trace)),
        attributes_(OTF2_AttributeList_New()),
        tags_(trace.messages.size()),
        region_of_(trace.names.size() + kKinds, OTF2_UNDEFINED_REGION),
        findings_(findings) {
    for (const ExportedProcess& process : trace.processes) NumberMessages(process);
  }

  Result<ExportFindings> Run() {
    for (uint32_t p = 0; p < trace_.processes.size(); ++p) {
      WriteProcess(ProcessId(p));
      SYNCLINE_TRY(archive_.Outcome());
    }
    OTF2_GlobalDefWriter* definitions = archive_.BeginDefinitions();
    if (definitions != nullptr) Define(definitions);
    SYNCLINE_TRY(archive_.Outcome());
    SYNCLINE_TRY(archive_.Finish());
    return findings_;
  }

 private:
  // In order of sending, because a process's links are in order of its events.
  void NumberMessages(const ExportedProcess& process) {
    absl::flat_hash_map<uint32_t, uint32_t> next;  // by receiver
    const auto own = static_cast<uint32_t>(&process - trace_.processes.data());
    for (const ExportedLink& link : process.links) {
      const ExportedMessage& message = trace_.messages[link.message];
      if (message.is_of_collective || message.from != own) continue;
      tags_[link.message] = next[message.to]++;
    }
  }

  void WriteProcess(ProcessId process) {
    writer_ = archive_.BeginLocation(process.value);
    if (writer_ == nullptr) return;
    const auto& [events, links] = trace_.processes[process.index()];
    const std::vector<bool> is_region = FindNestedRegions(trace_.processes[process.index()]);
    const ExportedParts& parts = parts_[process.index()];
    RisingTimes times(findings_);
    std::span<const ExportedLink> rest = links;
    for (uint64_t i = 0; i < events.size(); ++i) {
      time_ = times(events[i].time);
      first_ns_ = std::min(first_ns_, time_);
      last_ns_ = std::max(last_ns_, time_);
      size_t count = 0;
      while (count < rest.size() && rest[count].event == i) ++count;
      const VisitedExport visited{process, i, events[i], rest.first(count)};
      rest = rest.subspan(count);
      if (is_region[i]) {
        WriteRegion(visited);
      } else if (const auto part = parts.find(i); part != parts.end()) {
        WritePart(visited, part->second);
      } else {
        WriteMoment(visited);
      }
    }
    archive_.EndLocation(process.value, writer_);
  }

  // What the next record carries. The library empties the list with each record.
  OTF2_AttributeList* Attributes(const VisitedExport& visited) {
    OTF2_AttributeList* list = attributes_.get();
    archive_.Check(OTF2_AttributeList_AddInt64(list, kRecorded,
                                               trace_.RecordedNs(visited.process, visited.event)));
    if (const auto bound = trace_.bound_ns(visited.process, visited.event)) {
      archive_.Check(OTF2_AttributeList_AddInt64(list, kBound, *bound));
    }
    return list;
  }

  // The number of a region that is called as the event, or as its kind; in order of their first
  // use.
  OTF2_RegionRef RegionOf(const ExportedEvent& event) {
    const size_t name = trace_.names[event.name].empty()
                            ? trace_.names.size() + static_cast<size_t>(event.kind)
                            : event.name;
    if (region_of_[name] == OTF2_UNDEFINED_REGION) {
      region_of_[name] = static_cast<OTF2_RegionRef>(regions_.size());
      regions_.push_back(name);
    }
    return region_of_[name];
  }

  void WriteRegion(const VisitedExport& visited) {
    const OTF2_RegionRef region = RegionOf(visited.event);
    OTF2_AttributeList* list = Attributes(visited);
    archive_.Put([&] {
      return visited.event.kind == EventKind::kEnter
                 ? OTF2_EvtWriter_Enter(writer_, list, time_, region)
                 : OTF2_EvtWriter_Leave(writer_, list, time_, region);
    });
  }

  void WritePart(const VisitedExport& visited, const ExportedPart& part) {
    const bool is_begin = visited.event.kind == EventKind::kCollectiveBegin;
    const OTF2_CommRef communicator = kWorld + 1 + part.group;
    const uint64_t received = visited.event.bytes;  // at the end
    OTF2_AttributeList* list = Attributes(visited);
    if (part.is_blocking) {
      archive_.Put([&] {
        return is_begin
                   ? OTF2_EvtWriter_MpiCollectiveBegin(writer_, list, time_)
                   : OTF2_EvtWriter_MpiCollectiveEnd(writer_, list, time_, part.operation,
                                                     communicator, part.root, part.sent, received);
      });
      return;
    }
    archive_.Put([&] {
      return is_begin
                 ? OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, list, time_, part.begin)
                 : OTF2_EvtWriter_NonBlockingCollectiveComplete(
                       writer_, list, time_, part.operation, communicator, part.root, part.sent,
                       received, part.begin);
    });
  }

  void WriteMoment(const VisitedExport& visited) {
    const ExportedEvent& event = visited.event;
    const bool is_part =
        event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd;
    if (is_part) ++findings_.collective_parts;
    const bool has_messages = std::ranges::any_of(visited.links, [&](const ExportedLink& link) {
      return !trace_.messages[link.message].is_of_collective;
    });
    const bool is_shown = !has_messages || !trace_.names[event.name].empty();
    if (is_shown) {
      OTF2_AttributeList* const list = Attributes(visited);
      archive_.Put([&] { return OTF2_EvtWriter_Enter(writer_, list, time_, RegionOf(event)); });
    }
    for (const ExportedLink& link : visited.links) WriteMessage(visited, link);
    if (is_shown) {
      OTF2_AttributeList* const list = Attributes(visited);
      archive_.Put([&] { return OTF2_EvtWriter_Leave(writer_, list, time_, RegionOf(event)); });
    }
  }

  void WriteMessage(const VisitedExport& visited, const ExportedLink& link) {
    const ExportedMessage& message = trace_.messages[link.message];
    if (message.is_of_collective) return;
    OTF2_AttributeList* list = Attributes(visited);
    const uint32_t tag = tags_[link.message];
    archive_.Put([&] {
      return trace_.IsReceive(visited.process, link)
                 ? OTF2_EvtWriter_MpiRecv(writer_, list, time_, message.from, kWorld, tag,
                                          visited.event.bytes)
                 : OTF2_EvtWriter_MpiSend(writer_, list, time_, message.to, kWorld, tag,
                                          visited.event.bytes);
    });
  }

  void Define(OTF2_GlobalDefWriter* definitions) {
    const uint64_t first = std::min(first_ns_, last_ns_);
    archive_.DefineClock(first, last_ns_, first);
    DefineAttribute(definitions, kRecorded, "recorded_ns",
                    "what the clock itself claims, in nanoseconds since 1970");
    DefineAttribute(definitions, kBound, "bound_ns",
                    "how far the time can be from the true one, in nanoseconds");
    DefineRegions(definitions);
    DefineProcesses(definitions);
    archive_.DefineMpi();
    DefineCommunicators();
  }

  void DefineAttribute(OTF2_GlobalDefWriter* definitions, OTF2_AttributeRef number,
                       std::string_view name, std::string_view description) {
    archive_.Check(OTF2_GlobalDefWriter_WriteAttribute(
        definitions, number, archive_.String(name), archive_.String(description), OTF2_TYPE_INT64));
  }

  void DefineRegions(OTF2_GlobalDefWriter* definitions) {
    const OTF2_StringRef empty = archive_.String("");
    for (size_t number = 0; number < regions_.size(); ++number) {
      const size_t kinds = trace_.names.size();
      const std::string_view name =
          regions_[number] < kinds ? std::string_view(trace_.names[regions_[number]])
                                   : ExportedKind(static_cast<EventKind>(regions_[number] - kinds));
      const OTF2_StringRef text = archive_.String(name);
      const OTF2_Paradigm paradigm =
          name.starts_with("MPI_") ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER;
      archive_.Check(OTF2_GlobalDefWriter_WriteRegion(
          definitions, static_cast<OTF2_RegionRef>(number), text, text, empty,
          OTF2_REGION_ROLE_CODE, paradigm, OTF2_REGION_FLAG_NONE, empty, 0, 0));
    }
  }

  void DefineProcesses(OTF2_GlobalDefWriter* definitions) {
    const auto define_node = [&](OTF2_SystemTreeNodeRef number, std::string_view name,
                                 OTF2_StringRef kind, OTF2_SystemTreeNodeRef parent) {
      archive_.Check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, number,
                                                              archive_.String(name), kind, parent));
    };
    const TraceSet& traces = trace_.traces;
    define_node(kMachine, "all clocks", archive_.String("machine"),
                OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    const OTF2_StringRef node = archive_.String("clock");
    for (uint32_t c = 0; c < traces.clocks.size(); ++c) {
      define_node(kMachine + 1 + c, traces.clocks[c].name, node, kMachine);
    }
    std::vector<uint32_t> processes(traces.clocks.size());  // by clock: how many
    for (const Process& process : traces.processes) ++processes[process.clock.index()];
    for (uint32_t p = 0; p < traces.processes.size(); ++p) {
      const Process& process = traces.processes[p];
      // Readers call a clock as its location group.
      const bool is_alone = processes[process.clock.index()] == 1;
      archive_.DefineLocation(p, process.name,
                              is_alone ? traces.clocks[process.clock.index()].name : process.name,
                              kMachine + 1 + process.clock.value);
    }
  }

  void DefineCommunicators() {
    std::vector<uint64_t> members(trace_.processes.size());
    std::iota(members.begin(), members.end(), uint64_t{0});
    archive_.DefineCommunicator(kWorld, "all processes", members);
    const std::vector<Group>& groups = trace_.traces.groups;
    for (uint32_t g = 0; g < groups.size(); ++g) {
      members.clear();
      for (const ProcessId member : groups[g].members) members.push_back(member.value);
      archive_.DefineCommunicator(kWorld + 1 + g, groups[g].name, members);
    }
  }

  const ExportedTrace& trace_;
  NewArchive& archive_;
  std::vector<ExportedParts> parts_;  // by process
  std::unique_ptr<OTF2_AttributeList, DeleteAttributes> attributes_;
  std::vector<uint32_t> tags_;  // by message
  // Regions are called by names, and numbers after these by kinds.
  std::vector<OTF2_RegionRef> region_of_;  // by name
  std::vector<size_t> regions_;            // the other way round
  ExportFindings findings_;
  OTF2_EvtWriter* writer_ = nullptr;  // of the present process
  uint64_t time_ = 0;                 // of the present event
  uint64_t first_ns_ = UINT64_MAX;
  uint64_t last_ns_ = 0;
};

}  // namespace

Result<ExportFindings> WriteExportedArchive(const ExportedTrace& trace, const std::string& folder) {
  SYNCLINE_ASSIGN(auto findings, FindShift(trace));
  SYNCLINE_ASSIGN(auto archive, NewArchive::Create(folder, "syncline convert"));
  return ArchiveOfTrace(trace, findings, *archive).Run();
}

}  // namespace syncline
