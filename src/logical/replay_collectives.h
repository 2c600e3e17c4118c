// The collectives of a replayed trace: what their leaves wait for, and what they allow the
// amortization.
//
// Requires: each member of each instance enters and leaves it once, where it does at all
// (ReplayLinks::is_plain).
// Cost: O(1) per part, O(members) per instance. Memory: 24 bytes per part, and about 200 per member
// of an instance under way.
// Method: collectives.h. Tested by: src/logical/logical_replay_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/minimum_delay.h"

#include "logical/collective_instance.h"
#include "logical/logical_clocks.h"
#include "logical/logical_report.h"
#include "logical/replay_links.h"
#include "logical/replay_trace.h"

namespace syncline {

class ReplayCollectives {
 public:
  // All must outlive this object.
  ReplayCollectives(const ReplayTrace& trace, const ReplayLinks& links, const DelayModel& delays,
                    LogicalReport& report);

  // Parts are named by their number in the trace. Whether it can be computed; a leave that cannot
  // is remembered as blocked.
  bool IsReadyElseBlock(uint32_t part);
  ClockBound BoundOf(uint32_t part);
  // The part has been computed.
  void Take(uint32_t part, const ClockStep& step);
  // Processes whose blocked leaves have become ready; valid until the next Take() or Adopt(), which
  // add.
  std::vector<uint32_t>& ready() { return ready_; }

  // Of a trace of which others have shares (replay_team.h): what they need of a part that was
  // computed here, and such a part of theirs.
  ClockBound ToOthers(uint32_t part, const ClockStep& step) const;
  void Adopt(uint32_t part, const ClockBound& told);
  // The times of a part of theirs, for ReportLeaves().
  struct Times {
    int64_t before = 0;
    int64_t after = 0;
  };
  Times FinalTimes(uint32_t part) const;
  void AdoptTimes(uint32_t part, const Times& times) { times_elsewhere_[part] = times; }

  // How late the amortization may put an enter; INT64_MAX where no leave waits for it.
  int64_t latest(uint32_t part) const { return states_[part].latest; }
  // Tells of each leave that waited for somebody, also those of other shares, from the final times.
  void ReportLeaves(RetimedMessageSink& sink) const;

 private:
  static constexpr uint32_t kNotStarted = UINT32_MAX;
  struct State {
    Awaited awaits = Awaited::kNothing;
    bool is_awaited = false;
    int64_t latest = INT64_MAX;  // enters
    int64_t delay = 0;           // leaves: µ from the latest enter
  };

  CollectiveInstance& Running(uint32_t instance);
  void Enter(const ReplayLinks::Place& place, uint32_t part, const ClockStep& step);
  void Leave(const ReplayLinks::Place& place, uint32_t part, const ClockStep& step);
  void Go(const ReplayLinks::Place& place);
  void Complete(uint32_t instance);
  // Of a part with its final times.
  void SetEnter(uint32_t part, uint32_t rank, CollectiveInstance& instance) const;
  void SetLeave(uint32_t part, uint32_t rank, CollectiveInstance& instance) const;
  int64_t MinimumDelay(uint32_t group, uint32_t from_rank, uint32_t to_rank, uint64_t bytes) const;

  const ReplayTrace* trace_;
  const ReplayLinks* links_;
  const DelayModel* delays_;
  LogicalReport* report_;
  std::vector<State> states_;                             // by part
  absl::flat_hash_map<uint32_t, Times> times_elsewhere_;  // by part
  std::vector<uint32_t> running_of_;                      // by instance
  std::vector<CollectiveInstance> running_;               // those under way, and free ones
  std::vector<uint32_t> free_;
  std::vector<uint32_t> ready_;
};

}  // namespace syncline
