// Matches packets that occur several times with the same bytes, where time keeps them apart.
//
// All copies are put on the time of one clock, as unique messages relate the clocks
// (clock_tracks.h). Copies more than kWindowNs apart belong to different transmissions; within one
// transmission the rules for unique packets hold, so a capture that has it twice on a side leaves
// it ambiguous. Assumes, beyond what unique packets assume, that no packet is on its way for
// kWindowNs. Memory: at most kMaxCopies copies; what comes after is ambiguous. Tested by:
// repeats_by_time_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "syncline/result.h"

#include "match/direction_by_timing.h"
#include "match/match_ledger.h"
#include "match/packet_record.h"

namespace syncline {

class RepeatsByTime {
 public:
  static constexpr int64_t kWindowNs = 5'000'000'000;
  static constexpr size_t kMaxCopies = size_t{1} << 18;

  // All copies of one packet. False when there is no room for them.
  bool Defer(std::span<const PacketRecord> copies);
  // After all unique messages are in the ledger; enters every deferred copy there.
  Result<void> Finish(MatchLedger& ledger, DirectionByTiming& timing);

 private:
  struct Timed {
    int64_t time = 0;  // on the clock of the group's first copy
    PacketRecord record;
  };
  static std::vector<Timed> OnOneClock(std::span<const PacketRecord> copies, MatchLedger& ledger);
  static Result<void> ResolveGroup(std::span<const PacketRecord> copies, MatchLedger& ledger,
                                   DirectionByTiming& timing);

  std::vector<PacketRecord> copies_;
};

}  // namespace syncline
