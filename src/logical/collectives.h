// Collectives as messages from enters to leaves, without ever N² of them.
//
// Method: Becker, Rabenseifner, Wolf, Linford 2009. A leave must not precede the latest relevant
// enter of another member + µ, with the µ of that pair. In the amortization an enter is a send
// whose receives are the leaves that wait for it: it is held until all members have left, and then
// limited by the earliest of those leaves. A member is absent once it has ended, or has progressed
// by max_horizon without its enter or leave: nobody waits for it any more. Where an absent member
// comes after all, its events are respected by all that is computed later, and what they contradict
// is counted; so instances are kept for it, the latest ones of 2^16 members in all.
// Cost: a hash look-up and O(1) per event, O(members) per instance; O(kept ones) per process that
// ends, and per one that is kept no longer. Memory: about 200 bytes per
// member of an instance under way or kept.
// Tested by: src/logical/collectives_test.cc, logical_filter_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/minimum_delay.h"

#include "logical/collective_instance.h"
#include "logical/logical_clocks.h"
#include "logical/logical_event.h"
#include "logical/logical_options.h"
#include "logical/logical_output.h"
#include "logical/logical_report.h"
#include "logical/process_progress.h"

namespace syncline {

class Collectives {
 public:
  // All must outlive this object.
  Collectives(const LogicalOptions& options, const DelayModel& delays,
              std::vector<ProcessProgress>& progress, LogicalOutput& output, LogicalSink& sink,
              LogicalReport& report)
      : options_(&options),
        delays_(&delays),
        progress_(&progress),
        output_(&output),
        sink_(&sink),
        report_(&report) {}
  void Resize(size_t processes) { deadlines_.resize(processes, INT64_MAX); }
  uint32_t AddGroup(std::span<const ProcessId> members);

  // One member's part in an instance.
  struct Place {
    uint32_t instance = 0;
    uint32_t rank = 0;
  };
  // Nothing where the event's group is unknown, its process is no member, or the group has one
  // member: the event then implies nothing.
  std::optional<Place> Find(const LogicalEvent& event);

  // Whether the event can take its place: it is the first of its kind there.
  bool IsFirst(Place place, LogicalEvent::Kind kind) const;
  // Whether the leave can be computed; if not, it is remembered as blocked.
  bool IsReadyElseBlock(Place place, const LogicalEvent& leave);
  // A blocked leave waits no longer: those it waits for are absent.
  void GiveUp(Place place);
  // The same, but they are not: what they do counts for all others. The leave takes no part.
  void WaitForNobody(Place place);
  ClockBound BoundOf(Place place, const LogicalEvent& leave) const;
  // The event has been computed. Enter says how its amortization is to be held; its number follows
  // with SetSequence.
  Amortizer::Hold Enter(Place place, const LogicalEvent& enter, const ClockStep& step);
  void SetSequence(Place place, uint64_t sequence);
  void Leave(Place place, const LogicalEvent& leave, const ClockStep& step);

  // The process's reach has grown, or it is done: it may be absent somewhere.
  void OnProgress(uint32_t process) {
    if ((*progress_)[process].reach > deadlines_[process]) Expire(process);
  }
  void OnDone(uint32_t process);
  // The reach of the process beyond which OnProgress() is to be called.
  int64_t DeadlineFor(uint32_t process) const { return deadlines_[process]; }
  void OnFinal(const FinalLink& link, int64_t after);

  bool has_ready() const { return !ready_.empty(); }
  // Processes whose blocked leaves have become ready since the last call.
  std::vector<uint32_t> TakeReady() { return std::exchange(ready_, {}); }
  // A member that the leave waits for: its process, and its reach at which it is absent.
  struct Partner {
    uint32_t process = 0;
    int64_t deadline = INT64_MAX;
  };
  std::optional<Partner> MissingPartner(Place place) const;
  // Requires: a member that MissingPartner names. It will not come, or it is known to take no part.
  void MarkPartnerAbsent(Place place, uint32_t process);
  void Excuse(Place place, uint32_t process);

 private:
  struct Group {
    std::vector<uint32_t> members;                          // in rank order
    std::vector<std::pair<uint32_t, uint32_t>> by_process;  // (process, rank)
  };

  std::optional<uint32_t> RankOf(const Group& group, uint32_t process) const;
  uint32_t Start(const LogicalEvent& event);
  void SetDeadline(CollectiveMember& member, uint32_t process, int64_t due);
  void Expire(uint32_t process);
  void MarkAbsent(uint32_t index, uint32_t rank);
  void ExtendDeadlines(CollectiveInstance& instance, int64_t due);
  void CollectReady(uint32_t index);
  void CompleteIfGone(uint32_t index);
  void FreeIfFinal(uint32_t index);
  void Free(uint32_t index);
  bool MaySomebodyCome(uint32_t index) const;
  // Else its name is that of another one by now.
  bool IsNamed(uint32_t index) const;
  void LimitEnters(uint32_t index);
  void CheckLateEnter(const CollectiveInstance& instance, uint32_t rank);
  CollectiveInstance::Latest LatestAfterAll(const CollectiveInstance& instance, uint32_t rank,
                                            Awaited awaited) const;
  int64_t MinimumDelay(uint32_t group, uint32_t from_rank, uint32_t to_rank, uint64_t bytes) const;

  const LogicalOptions* options_;
  const DelayModel* delays_;
  std::vector<ProcessProgress>* progress_;
  LogicalOutput* output_;
  LogicalSink* sink_;
  LogicalReport* report_;
  std::vector<Group> groups_;
  std::vector<CollectiveInstance> instances_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> open_;  // instances not complete yet
  std::deque<uint32_t> kept_;   // that are, for absent members
  size_t kept_members_ = 0;
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint32_t> by_name_;
  std::vector<int64_t> deadlines_;  // per process: the earliest of its members
  std::vector<uint32_t> ready_;
};

}  // namespace syncline
