// Decides which of two copies of a packet is the sender's where only time can tell.
//
// Two captures A and B hold copies of packets between the addresses X and Y. If X is on A's side,
// the differences tB − tA of packets from X are above the clocks' offset by the delay, those of
// packets from Y below it by the delay; if X is on B's side, the other way round. So for neighbours
// in opposite directions the sign of the difference of the differences gives X's side, whatever the
// offset is. A neighbour's vote counts only when it exceeds what a drift of 1000 ppm over the gap
// between the two packets and the clocks' ticks could make of nothing. A side needs three votes and
// nine tenths of all.
// Packets wait in memory, then on disk; the votes come from a sample of whole stretches of time
// that is thinned evenly, so memory stays bounded and the result does not depend on the order of
// calls. Errors: temporary storage. Tested by: direction_by_timing_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/result.h"

#include "base/file.h"
#include "match/match_ledger.h"
#include "match/packet_record.h"

namespace syncline {

class DirectionByTiming {
 public:
  // Two copies of one packet from different clocks, both of unknown direction.
  Result<void> Add(const PacketRecord& x, const PacketRecord& y);
  // Decides about all packets added and enters them into the ledger.
  Result<void> Finish(MatchLedger& ledger);

 private:
  enum class Verdict : uint8_t { kUndecided, kNearA, kNearB, kSamePoint };
  struct PacketPair {
    PacketRecord a;  // a.capture < b.capture
    PacketRecord b;
  };
  struct Sample {
    uint32_t captures = 0;  // both capture numbers
    uint16_t low = 0;       // address numbers, low < high
    uint16_t high = 0;
    int64_t time_a = 0;
    int64_t time_b = 0;
    bool from_low = false;
  };
  struct Votes {
    uint64_t near_a = 0;
    uint64_t near_b = 0;
    uint64_t same_point = 0;
  };
  void TakeSample(const PacketPair& pair);
  void ThinSample();
  bool IsSampled(int64_t time_a) const;
  void CountVotes();
  void Vote(const Sample& x, const Sample& y, int64_t tick_ns);
  Verdict SideOf(uint32_t captures, uint16_t address) const;
  Verdict Decide(const PacketPair& pair) const;
  void Enter(const PacketPair& pair, MatchLedger& ledger) const;

  std::vector<PacketPair> waiting_;
  std::optional<TempFile> file_;
  std::vector<Sample> sample_;
  uint64_t sample_mask_ = 0;
  bool sample_is_full_ = false;
  absl::flat_hash_map<uint64_t, Votes> votes_;  // by capture pair and address number
};

}  // namespace syncline
