// The region clock of a running process: how much it and those it heard of have computed and
// waited, carried along by messages.
//
// Units: nanoseconds of the process's own clock, from any origin; times that step back count as no
// time passed. Sums saturate at the ends of int64. Requires: Block, Send, Deliver and End in the
// order in which they happen; processes numbered 0 … n − 1. Errors: Deliver, where a stamp cannot
// come from this computation (kMalformed); the clock is then as before. Ownership: a clock belongs
// to one thread. Cost: Send, Deliver O(n), Block O(1); memory 24 bytes per process, and
// some 50 per peer that changes are sent to. Method: He and Sun, Concurrency Measures for
// Distributed Computations (1997), Protocols 1.4 and 1.5; changes: Singhal and Kshemkalyani, An
// efficient implementation of vector clocks (1992). Departures: a process that sends while it waits
// has stopped waiting, and Resume ends a wait that no message of the computation ended.
// Tested by: region_clock_test.cc, live_test.cc (equal to what the trace of the same run gives).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "syncline/region_stamp.h"
#include "syncline/result.h"

namespace syncline {

// ρ: how fast a processor is against the fastest, in billionths; 0 < ρ ≤ 1.
struct RelativeSpeed {
  int64_t billionths = 1'000'000'000;
  friend bool operator==(RelativeSpeed, RelativeSpeed) = default;
};

// Protocol 1.4: the clocks CT, which runs while the process computes, and BT, which runs while it
// waits; both multiplied by ρ and rounded down. Start: CT runs.
class LocalClocks {
 public:
  explicit LocalClocks(int64_t start_ns, RelativeSpeed speed = {})
      : last_ns_(start_ns), speed_(speed) {}

  void Block(int64_t now_ns);   // BT runs from now on
  void Resume(int64_t now_ns);  // CT runs from now on
  void Advance(int64_t now_ns);
  bool is_blocked() const { return is_blocked_; }
  int64_t computed_ns() const { return Scaled(computed_); }  // CT
  int64_t delayed_ns() const { return Scaled(delayed_); }    // BT

 private:
  int64_t Scaled(int64_t ns) const;

  int64_t last_ns_ = 0;
  int64_t computed_ = 0;
  int64_t delayed_ = 0;
  RelativeSpeed speed_;
  bool is_blocked_ = false;
};

class RegionClock {
 public:
  RegionClock(uint32_t own, size_t processes, int64_t start_ns, RelativeSpeed speed = {});

  // Ends the region; what the message carries. The same stamp may go to several receivers.
  RegionStamp Send(int64_t now_ns);
  // The same, but only the entries that changed since the last SendChanges to this peer. Requires
  // that messages to one peer are delivered in the order in which they were sent, none lost.
  RegionStamp SendChanges(uint32_t peer, int64_t now_ns);
  // The process starts to wait.
  void Block(int64_t now_ns);
  // The wait is over, but not by a message that carries a stamp.
  void Resume(int64_t now_ns);
  // Ends the region, and the wait. Several messages may be delivered at one time.
  Result<void> Deliver(int64_t now_ns, const RegionStamp& stamp);
  // Ends the last region; nothing may follow.
  void End(int64_t now_ns);

  // Of the latest region, at its right border.
  std::span<const int64_t> computed_ns() const { return computed_; }  // W
  std::span<const int64_t> delayed_ns() const { return delayed_; }    // U
  int64_t height_ns() const { return height_; }                       // HT

 private:
  void EndRegion(int64_t now_ns);
  void Raise(const RegionStamp::Entry& entry);
  Result<void> Check(const RegionStamp& stamp) const;

  uint32_t own_;
  LocalClocks clocks_;
  int64_t height_ = 0;
  int64_t old_ = 0;  // CT at the end of the region before
  std::vector<int64_t> computed_;
  std::vector<int64_t> delayed_;
  // Singhal and Kshemkalyani: a count of own sends and deliveries; by process, its value when the
  // entry last changed (LU); by peer, its value when changes were last sent there (LS).
  uint64_t steps_ = 0;
  std::vector<uint64_t> last_update_;
  std::map<uint32_t, uint64_t> last_sent_;
};

}  // namespace syncline
