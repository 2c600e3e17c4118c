// Hands events of any reader to a logical clock.
//
// Requires: processes are added in order of their numbers. Groups are known by name.
// Counted: "collective-without-group" (warning), begins and ends in a group that nothing declared;
// they go on as internal events. Cost: O(1) per event.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/event.h"

#include "logical/logical_filter.h"

namespace syncline {

class LogicalAdapter {
 public:
  // `filter` must outlive the adapter.
  explicit LogicalAdapter(LogicalFilter& filter) : filter_(&filter) {}

  // Adds what is new in `traces` since the last call.
  void Declare(const TraceSet& traces);
  // `names` is what Event::name and Event::group index; it may have grown since the last call.
  LogicalEvent Adapt(const Event& event, GlobalTime time, uint64_t tag,
                     std::span<const std::string> names);
  void CountFindings(Diagnostics& diagnostics) const;

 private:
  static constexpr uint32_t kNoGroup = UINT32_MAX;
  void Learn(std::span<const std::string> names);

  LogicalFilter* filter_;
  size_t processes_ = 0;
  std::vector<std::pair<std::string, uint32_t>> groups_;  // name, number
  // By number in `names`.
  std::vector<CollectiveFlow> flow_of_;
  std::vector<uint64_t> instances_of_;  // InstanceOfKind(0)
  std::vector<uint32_t> group_of_;
  uint64_t without_group_ = 0;
  std::string first_without_group_;
};

LogicalEvent::Kind KindOf(EventKind kind);

// What a collective of this kind (MPI's name in lower case, blocking or not) makes its members wait
// for; kNone for kinds that are not known.
CollectiveFlow FlowOfCollective(std::string_view kind);

// What members of one kind alone call an instance: where they differ in it, what they say of each
// other is in doubt, as for estimation, and nobody waits for a member of another kind.
inline uint64_t InstanceOfKind(uint64_t instance, std::string_view kind) {
  return instance ^ std::hash<std::string_view>{}(kind);
}

}  // namespace syncline
