// How it works: clocks and processes from locations, then communicators, whose groups hold numbers
// within the paradigm's group of all MPI locations, as members in rank order.

#include "read/otf2/layout.h"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/ticks.h"
#include "read/otf2/record_types.h"

namespace syncline {
namespace {

constexpr uint64_t kMaxTicksPerSecond = INT64_MAX;

class LayoutMaker {
 public:
  LayoutMaker(Otf2Definitions& definitions, ClockPer clock_per)
      : definitions_(definitions), clock_per_(clock_per) {}

  Result<Otf2Layout> Make(std::string anchor) {
    constexpr std::string_view kSuffix = ".otf2";
    layout_.folder = anchor.substr(0, anchor.size() - kSuffix.size());
    layout_.anchor = std::move(anchor);
    const std::string file = layout_.folder + ".def";
    if (!definitions_.clock) return Fail(ErrorCode::kMalformed, "defines no clock", file);
    layout_.clock = *definitions_.clock;
    if (layout_.clock.ticks_per_second == 0 || layout_.clock.ticks_per_second > kMaxTicksPerSecond)
      return Fail(ErrorCode::kMalformed, "defines a clock without a possible resolution", file);
    if (definitions_.location_order.empty())
      return Fail(ErrorCode::kMalformed, "defines no location", file);
    for (const auto& [reference, location] : definitions_.locations) ++group_sizes_[location.group];
    for (const OTF2_LocationRef location : definitions_.location_order) AddLocation(location);
    AddNames();
    for (const auto& [key, group] : definitions_.groups) {
      if (key.second == OTF2_GROUP_TYPE_COMM_LOCATIONS)
        all_locations_.try_emplace(group.paradigm, &group);
    }
    for (const auto& [reference, communicator] : definitions_.communicators)
      AddCommunicator(reference, communicator);
    if (layout_.has_teams) {
      layout_.thread_barriers.insert(definitions_.thread_barriers.begin(),
                                     definitions_.thread_barriers.end());
    }
    return std::move(layout_);
  }

 private:
  void AddLocation(OTF2_LocationRef reference) {
    const Otf2Location& location = definitions_.locations.at(reference);
    const ProcessId process(static_cast<uint32_t>(layout_.locations.size()));
    processes_.emplace(reference, process);
    layout_.locations.push_back(reference);
    layout_.claimed_events.push_back(location.events);
    const bool has_group = definitions_.location_groups.contains(location.group);
    if (!has_group) {
      definitions_.diagnostics.Count("location-without-group", Severity::kInfo, 1,
                                     fmt::format("location {}", reference));
    }
    // Numbers of location groups have 32 bits, so both ranges are apart.
    layout_.ranks.push_back(has_group ? location.group : uint64_t{1} << 32 | process.value);
    layout_.traces.processes.push_back(
        {std::to_string(reference), LabelOf(location), ClockOf(reference, location)});
  }

  ClockId ClockOf(OTF2_LocationRef reference, const Otf2Location& location) {
    const uint64_t rank = layout_.ranks.back();
    uint64_t key = rank;
    if (clock_per_ == ClockPer::kNode) key = HostOf(location);
    if (clock_per_ == ClockPer::kLocation) key = layout_.locations.size();
    const ClockId next(static_cast<uint32_t>(layout_.traces.clocks.size()));
    const auto [it, is_new] = clocks_.try_emplace(key, next);
    if (!is_new) return it->second;
    std::string name = ClockName(location, key);
    // Names are how people choose a reference, so they are made distinct.
    while (name.empty() || clock_names_.contains(name)) name += fmt::format("#{}", reference);
    clock_names_.insert(name);
    const auto ticks_per_second = static_cast<int64_t>(layout_.clock.ticks_per_second);
    layout_.traces.clocks.push_back({std::move(name), ticks_per_second,
                                     EpochOffsetTicks(layout_.clock),
                                     Clock::ReadingNs(ticks_per_second)});
    return next;
  }

  std::string ClockName(const Otf2Location& location, uint64_t key) const {
    if (clock_per_ == ClockPer::kLocation) return definitions_.String(location.name);
    if (clock_per_ == ClockPer::kNode) {
      const auto node = definitions_.nodes.find(static_cast<uint32_t>(key));
      if (key <= UINT32_MAX && node != definitions_.nodes.end())
        return definitions_.String(node->second.name);
    }
    const auto group = definitions_.location_groups.find(location.group);
    return group == definitions_.location_groups.end() ? definitions_.String(location.name)
                                                       : definitions_.String(group->second.name);
  }

  // What people call it. Alone in its group it is the process that the group stands for; else its
  // own name may be that of threads of other processes, too ("Master thread").
  std::string LabelOf(const Otf2Location& location) const {
    const std::string own = definitions_.String(location.name);
    const auto found = definitions_.location_groups.find(location.group);
    if (found == definitions_.location_groups.end()) return own;
    const std::string group = definitions_.String(found->second.name);
    if (group.empty() || (own.starts_with(group) && group_sizes_.at(location.group) > 1))
      return own;
    return group_sizes_.at(location.group) == 1 ? group : group + " " + own;
  }

  // The nearest node above the location that is a host; without such a one the nearest node;
  // without any the location group itself, in a range of numbers of its own.
  uint64_t HostOf(const Otf2Location& location) const {
    const uint64_t none = uint64_t{1} << 40 | layout_.ranks.back();
    const auto group = definitions_.location_groups.find(location.group);
    if (group == definitions_.location_groups.end()) return none;
    const OTF2_SystemTreeNodeRef nearest = group->second.parent;
    auto node = definitions_.nodes.find(nearest);
    if (node == definitions_.nodes.end()) return none;
    // A tree of n nodes has no path longer than n; more steps mean a cycle.
    for (size_t steps = 0; steps <= definitions_.nodes.size(); ++steps) {
      if (definitions_.hosts.contains(node->first)) return node->first;
      node = definitions_.nodes.find(node->second.parent);
      if (node == definitions_.nodes.end()) break;
    }
    return nearest;
  }

  void AddNames() {
    layout_.names.emplace_back();
    for (const std::string_view name : kOtf2CollectiveNames) layout_.names.emplace_back(name);
    for (const std::string_view name : kOtf2MarkNames) layout_.names.emplace_back(name);
    for (const std::string_view name : kOtf2TeamNames) layout_.names.emplace_back(name);
    absl::flat_hash_map<std::string, uint32_t> regions;  // one number per name
    for (const auto& [reference, string] : definitions_.regions) {
      std::string name = definitions_.String(string);
      const auto [it, is_new] =
          regions.try_emplace(name, static_cast<uint32_t>(layout_.names.size()));
      if (is_new) layout_.names.push_back(std::move(name));
      layout_.regions.emplace(reference, it->second);
    }
  }

  void AddCommunicator(OTF2_CommRef reference, const Otf2Communicator& communicator) {
    using Kind = Otf2CommunicatorUse::Kind;
    Otf2CommunicatorUse use;
    use.group = static_cast<uint32_t>(layout_.traces.groups.size());
    Group group{definitions_.String(communicator.name), {}};
    if (definitions_.groups.contains({communicator.group, OTF2_GROUP_TYPE_COMM_SELF})) {
      use.kind = Kind::kSelf;
    } else if (AppendMembers(communicator.group, group.members)) {
      use.kind = Kind::kGroup;
      use.first_group = static_cast<uint32_t>(group.members.size());
      if (communicator.remote_group) {
        const bool is_known = AppendMembers(*communicator.remote_group, group.members);
        use.kind = is_known ? Kind::kInter : Kind::kUnusable;
      }
    }
    if (use.kind == Kind::kGroup && IsOfThreads(communicator.group))
      use.kind = TeamUse(group.members);
    const std::set<ProcessId> distinct(group.members.begin(), group.members.end());
    if (distinct.size() != group.members.size()) use.kind = Kind::kUnusable;
    if (use.kind == Kind::kUnusable) {
      group.members.clear();
      definitions_.diagnostics.Count("communicator-unusable", Severity::kWarning, 1,
                                     fmt::format("communicator {}", reference));
    }
    layout_.traces.groups.push_back(std::move(group));
    layout_.communicators.emplace(reference, use);
  }

  bool IsOfThreads(OTF2_GroupRef reference) const {
    for (const OTF2_GroupType type : {OTF2_GROUP_TYPE_COMM_GROUP, OTF2_GROUP_TYPE_COMM_LOCATIONS}) {
      const auto group = definitions_.groups.find({reference, type});
      if (group != definitions_.groups.end()) return group->second.paradigm == OTF2_PARADIGM_OPENMP;
    }
    return false;
  }

  // Threads of one clock tell nothing about clocks.
  Otf2CommunicatorUse::Kind TeamUse(const std::vector<ProcessId>& members) {
    std::set<ClockId> clocks;
    for (const ProcessId member : members) {
      clocks.insert(layout_.traces.processes[member.index()].clock);
    }
    if (clocks.size() < 2) return Otf2CommunicatorUse::Kind::kGroup;
    layout_.has_teams = true;
    return Otf2CommunicatorUse::Kind::kTeam;
  }

  // False when a member is no location.
  bool AppendMembers(OTF2_GroupRef reference, std::vector<ProcessId>& members) const {
    const auto find = [&](OTF2_GroupType type) {
      return definitions_.groups.find({reference, type});
    };
    const auto none = definitions_.groups.end();
    const auto ranks = find(OTF2_GROUP_TYPE_COMM_GROUP);
    if (ranks == none) {
      const auto all = find(OTF2_GROUP_TYPE_COMM_LOCATIONS);
      if (all == none) return false;
      for (const uint64_t location : all->second.members) {
        if (!AppendLocation(location, members)) return false;
      }
      return true;
    }
    const auto all = all_locations_.find(ranks->second.paradigm);
    if (all == all_locations_.end()) return false;
    for (const uint64_t member : ranks->second.members) {
      const std::vector<uint64_t>& locations = all->second->members;
      if (member >= locations.size() || !AppendLocation(locations[member], members)) return false;
    }
    return true;
  }

  bool AppendLocation(uint64_t location, std::vector<ProcessId>& members) const {
    const auto it = processes_.find(location);
    if (it == processes_.end()) return false;
    members.push_back(it->second);
    return true;
  }

  Otf2Definitions& definitions_;
  ClockPer clock_per_;
  Otf2Layout layout_;
  absl::flat_hash_map<uint64_t, ClockId> clocks_;  // by the number of what the clock belongs to
  std::set<std::string> clock_names_;
  std::map<OTF2_LocationGroupRef, size_t> group_sizes_;  // in locations
  absl::flat_hash_map<uint64_t, ProcessId> processes_;   // by location
  // Groups of communicators hold numbers within their paradigm's group of all locations.
  std::map<OTF2_Paradigm, const Otf2Group*> all_locations_;
};

}  // namespace

std::string Otf2Layout::FileOf(OTF2_LocationRef location, const char* suffix) const {
  return fmt::format("{}/{}{}", folder, location, suffix);
}

int64_t EpochOffsetTicks(const Otf2ClockProperties& clock) {
  if (clock.realtime_ns == OTF2_UNDEFINED_TIMESTAMP || clock.realtime_ns == 0) return 0;
  const Int128 realtime_ticks =
      MulDivRound(clock.realtime_ns, clock.ticks_per_second, static_cast<UInt128>(kNsPerSecond));
  return Saturate(realtime_ticks - static_cast<Int128>(clock.global_offset));
}

Result<Otf2Layout> MakeLayout(Otf2Definitions& definitions, std::string anchor,
                              ClockPer clock_per) {
  return LayoutMaker(definitions, clock_per).Make(std::move(anchor));
}

}  // namespace syncline
