// The region clock of a process that is recorded: what it has computed and waited, and heard of.
//
// Each message carries its sender's clock before the program's data (frame.h), and each
// collective is followed by one of clocks (shared_stamps.h); deliveries count at the return of the
// call, as the archive says. A stamp is an array of words() numbers: HT, then W and U of each
// process. Units: nanoseconds of the recorder's clock. Requires: one thread. Cost: O(processes) per
// message. Tested by: recording_test.cc (equal to what the archive gives).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "syncline/region_clock.h"

#include "record/mpi/call_list.h"

namespace syncline::mpi {

// Whether a call returns when something has come, so that time in it is waited.
bool Waits(Call call);

class Regions {
 public:
  static constexpr uint32_t kNoSlot = 0;

  bool is_on() const { return is_on_; }
  void Begin(uint32_t own, uint32_t processes);
  void End();

  // A call; the first one starts the clock.
  void Enter(Call call, uint64_t time);
  void Leave(Call call, uint64_t time);
  // The first call found nothing and leaves no trace.
  void Restart() { clock_.reset(); }

  // Ends the region; the stamp goes into the slot. Waiting goes on where it was on.
  void Send(uint64_t time, uint32_t slot);
  // Ends the region and, for the moment, the wait.
  void Deliver(uint64_t time, uint32_t slot);

  // Stamps that stay where they are until they are given back.
  size_t words() const { return 1 + 2 * size_t{processes_}; }
  size_t bytes() const { return words() * sizeof(int64_t); }
  uint32_t TakeSlot();
  int64_t* Slot(uint32_t slot) { return slots_[slot - 1].get(); }
  void GiveBack(uint32_t slot);

  // Of this process, at its end.
  struct Totals {
    int64_t computed_ns = 0;
    int64_t delayed_ns = 0;
    int64_t height_ns = 0;
  };
  Totals totals() const;
  // Stamps that could not come from this run: something else sends on the program's communicators.
  uint64_t refused() const { return refused_; }

 private:
  bool is_on_ = false;
  bool is_waiting_ = false;
  uint32_t own_ = 0;
  uint32_t processes_ = 0;
  uint64_t last_ = 0;
  uint64_t refused_ = 0;
  std::optional<RegionClock> clock_;
  RegionStamp delivered_;
  std::vector<std::unique_ptr<int64_t[]>> slots_;
  std::vector<uint32_t> free_;
};

}  // namespace syncline::mpi
