#include "write/otf2/exported_collectives.h"

#include <algorithm>
#include <utility>

#include "read/otf2/record_types.h"

namespace syncline::otf2_write {
namespace {

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

class Finder {
 public:
  explicit Finder(const ExportedTrace& trace)
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

}  // namespace

std::vector<ExportedParts> FindExportedParts(const ExportedTrace& trace) {
  Finder finder(trace);
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

}  // namespace syncline::otf2_write
