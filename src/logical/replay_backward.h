// The backward amortization of one process's events in memory.
//
// Requires: LC' in `clock`, which becomes LC^A. Cost: O(events up to the last jump), and that of
// the hulls; a process without jumps costs nothing. Memory: 4 bytes per event, 40 per jump and
// vertex of its hull.
// Method: amortizer.h, of which it gives the same times: with all limits known, nothing is held.
// Tested by: src/logical/logical_replay_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "logical/jump_spread.h"
#include "logical/replay_forward.h"

namespace syncline {

class ReplayBackward {
 public:
  // All must outlive this object. `links` and `forward` say how late events may be put.
  ReplayBackward(const AmortizationOptions& options, std::span<const int64_t> before,
                 std::span<const ReplayLink> links, const ReplayForward& forward,
                 std::span<int64_t> clock)
      : before_(before), links_(links), forward_(forward), clock_(clock), spread_(options) {}

  void Run(std::span<const ReplayJump> jumps);
  const AmortizationFigures& figures() const { return spread_.figures(); }

 private:
  // Abscissae: the clock without jumps. Requires, as the jumps up to the event: `jumped`, modulo
  // 2^64.
  uint64_t Abscissa(uint64_t event, uint64_t jumped) const {
    return static_cast<uint64_t>(clock_[event]) - origin_ - jumped;
  }
  void Amortize(const ReplayJump& jump);
  bool IsAfterIdleTime(uint64_t event) const;
  void SettleOutOfReach(uint64_t x, uint64_t end);
  void SettleFirst();
  void TakeChange();
  void Change(uint64_t event, const RiseLine& line);

  std::span<const int64_t> before_;
  std::span<const ReplayLink> links_;
  const ReplayForward& forward_;
  std::span<int64_t> clock_;
  std::span<const ReplayJump> jumps_;
  JumpSpread spread_;
  uint64_t origin_ = 0;      // LC' of the first event
  uint64_t jumped_ = 0;      // by the jumps up to now
  uint64_t limited_ = 0;     // limits of sends before it are put
  uint64_t first_open_ = 0;  // events before it are final
  uint64_t first_jumped_ = 0;
  uint64_t last_final_x_ = 0;
  RiseLine line_;                  // of first_open_
  std::vector<uint32_t> change_;   // by event: the number of a change, from 1; jumps come first
  std::vector<RiseLine> changes_;  // how the rise of later events changes there
};

}  // namespace syncline
