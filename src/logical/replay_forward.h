// The forward pass of a replay: LC' of all events.
//
// Where controllers look at all processes at once, events are computed in the order of
// LogicalFilter. Any causal order does where they do not, and where the revised controller leaves γ
// alone (controller_steady.h): then each process goes on until it waits for a message. Of a trace
// of which others have shares (replay_team.h), it goes on until it waits for one of theirs, and
// they are told what was computed here each time that no process can go on.
// Requires: ReplayLinks::is_plain. Cost: O(1) per event, in order O(log n) for n processes. Memory:
// 40 bytes per message, 16 per jump, and that of the collectives.
// Tested by: src/logical/logical_replay_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "syncline/minimum_delay.h"

#include "logical/logical_clocks.h"
#include "logical/logical_options.h"
#include "logical/logical_report.h"
#include "logical/process_order.h"
#include "logical/replay_collectives.h"
#include "logical/replay_crossings.h"
#include "logical/replay_links.h"
#include "logical/replay_team.h"
#include "logical/replay_trace.h"

namespace syncline {

struct ReplayJump {
  uint64_t event = 0;
  int64_t ns = 0;  // J > 0
};

class ReplayForward {
 public:
  // All must outlive this object. Writes into `trace` what comes after.
  ReplayForward(ReplayTrace& trace, const ReplayLinks& links, const LogicalOptions& options,
                const DelayModel& delays, LogicalReport& report);

  enum class Outcome : uint8_t {
    kDone,
    kBlocked,     // the messages form a cycle, or need a member of a collective to be excused
    kNeedsOrder,  // of RunInAnyOrder() alone
  };
  // One of both, once. In any order where MayDoWithoutOrder() and no minimum delay is negative.
  Outcome RunInAnyOrder();
  Outcome RunInOrder();
  static bool MayDoWithoutOrder(const ReplayTrace& trace, const LogicalOptions& options);

  // Makes RunInAnyOrder() that of a share. Its outcome is then that of all shares, and LatestOf()
  // knows of their receives. Both must outlive this object.
  void Share(const ReplayCrossings& crossings, ReplayTeam& team);

  // Of a process, in order.
  std::span<const ReplayJump> jumps(uint32_t process) const { return jumps_[process]; }
  // How late the amortization may put the event; INT64_MAX where nothing limits it.
  int64_t LatestOf(ReplayLink link) const {
    if (link.kind() == ReplayLink::Kind::kSend) return messages_[link.index()].bound.controlled;
    return link.kind() == ReplayLink::Kind::kPart ? collectives_.latest(link.index()) : INT64_MAX;
  }
  // For LatestOf().
  void Prefetch(ReplayLink link) const {
    if (link.kind() != ReplayLink::Kind::kPart) __builtin_prefetch(&messages_[link.index()]);
  }
  int64_t MinimumDelayOf(uint32_t message) const { return messages_[message].delay; }
  const ReplayCollectives& collectives() const { return collectives_; }
  ReplayCollectives& collectives() { return collectives_; }

 private:
  struct UnderWay {
    // The send's clocks + µ, once it is computed. After the receive, `controlled` is how late the
    // amortization may put the send.
    ClockBound bound;
    int64_t delay = 0;  // µ
    uint32_t receiver = 0;
    bool is_sent = false;
  };
  // A process on its way. The two next events are read well before their turn, so that the order
  // does not wait for memory.
  struct alignas(64) Lane {
    const int64_t* before = nullptr;
    int64_t* after = nullptr;
    const ReplayLink* links = nullptr;
    uint64_t next = 0;
    uint64_t end = 0;
    int64_t next_before = 0;
    int64_t second_before = 0;
    ReplayLink next_link;  // in any order: what it waits for
    ReplayLink second_link;
  };

  // To and from other shares: the clocks of a send + µ, or of a part.
  struct Told {
    uint64_t number = 0;  // among what goes from one to the other
    ClockBound clocks;
  };

  void SetDelays(const ReplayLinks& links, const DelayModel& delays);
  template <typename Clocks>
  void RunReady(Clocks& clocks, bool& is_steady);
  template <typename Clocks>
  void GoOn(Clocks& clocks, uint32_t process);
  uint64_t NextTold(uint32_t process) const;
  void KeepForOthers(uint32_t process, uint64_t event, ReplayLink link, const ClockStep& step);
  void TellOthers();
  // Waits for others; whether there was something.
  bool Learn();
  void Learn(size_t share, const Told& told);
  void ExchangeLimits();
  Outcome OutcomeOfAll(Outcome own);
  bool IsNeverAllAhead(const SteadyController& controller);
  bool Waits(ReplayLink link) {
    return link.kind() == ReplayLink::Kind::kPart
               ? !collectives_.IsReadyElseBlock(link.index())
               : (link.kind() == ReplayLink::Kind::kReceive) & !messages_[link.index()].is_sent;
  }
  template <typename Clocks>
  void Take(Clocks& clocks, uint32_t process);
  template <typename Clocks>
  ClockStep TakeMessage(Clocks& clocks, uint32_t process, int64_t before, ReplayLink link);
  template <typename Clocks>
  ClockStep TakePart(Clocks& clocks, uint32_t process, int64_t before, uint32_t part);
  // What an event with this link will need and change.
  void PrefetchToChange(ReplayLink link) const {
    if (link.kind() != ReplayLink::Kind::kPart) __builtin_prefetch(&messages_[link.index()], 1);
  }
  void Step(Lane& lane) const;
  void ReadSecond(Lane& lane) const;
  void NoteJump(uint32_t process, uint64_t event, int64_t jump_ns);
  void NextHead(uint32_t process);
  void MakeReadyMembers();
  void MakeReady(uint32_t process);
  bool IsFarFromTheEnds() const;

  ReplayTrace* trace_;
  const LogicalOptions* options_;
  LogicalReport* report_;
  ProcessOrder order_;
  bool is_in_order_ = false;
  std::vector<uint32_t> ready_;  // in any order: those that can go on
  ReplayCollectives collectives_;
  std::vector<Lane> lanes_;
  // And two for internal events: what they wait for, and what they write.
  std::vector<UnderWay> messages_;
  std::vector<std::vector<ReplayJump>> jumps_;  // by process
  size_t done_ = 0;
  // Of a share.
  const ReplayCrossings* crossings_ = nullptr;
  ReplayTeam* team_ = nullptr;
  std::vector<size_t> told_;                // by process: how many of its crossings
  std::vector<std::vector<Told>> to_each_;  // share
};

}  // namespace syncline
