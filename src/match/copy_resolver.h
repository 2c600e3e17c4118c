// From the copies of one packet in several captures to messages and broadcasts, never a wrong one.
//
// A copy has a direction, as its capture saw it (sent, received, unknown), and a hop limit, which
// each router lowers. What is made of copies, step by step:
//
//   one copy alone                       unmatched
//   one sent, one received, two clocks   a message
//   twice on a side of one capture       all are ambiguous, unless time keeps the transmissions
//                                        apart (repeats_by_time.h)
//   several captures of one clock        the copy nearest to the wire counts: the last one sent,
//                                        the first one received
//   of unknown direction                 the opposite of the only other copy; else the one with
//                                        the higher hop limit was sent; else timing decides
//                                        (direction_by_timing.h)
//   of one hop limit, two sent, or two   one host under two clock names: no message
//     received unicast
//   of one hop limit, group, received    a broadcast
//   received, and sent ones              a message from the sent copy next to it on the way: of
//                                        another clock, with the lowest hop limit that is not
//                                        below its own
//
// Example: A sent a packet with hop limit 64, a router, captured too, received it with 64 and sent
// it with 63, B received it with 63. So there are two messages, A → router and router → B.
// TCP segments that have no equal but end with the same byte and differ in length were merged or
// split by a network card; they are matched when no capture has two that end so. Where packets have
// no id (IPv6, or id 0), two segments of one side that end alike make all their equals ambiguous.
// Cost: about 20 ns for the usual two copies.
// Tested by: copy_resolver_test.cc.
#pragma once

#include <span>
#include <vector>

#include "syncline/result.h"

#include "match/direction_by_timing.h"
#include "match/match_ledger.h"
#include "match/packet_record.h"
#include "match/repeats_by_time.h"

namespace syncline {

class CopyResolver {
 public:
  // Lifetime: all outlive this object. Without `repeats`, packets that occur twice are ambiguous at
  // once.
  CopyResolver(MatchLedger& ledger, DirectionByTiming& timing, RepeatsByTime* repeats = nullptr)
      : ledger_(ledger), timing_(timing), repeats_(repeats) {}

  // All records of one loose key, in any order.
  Result<void> Resolve(std::span<const PacketRecord> records);

 private:
  enum class Lengths { kEqual, kDifferent };
  struct Copy {
    PacketRecord record;
    CopyDirection direction = CopyDirection::kUnknown;
    PacketFate fate = PacketFate::kUnmatchedUnknown;
    bool waits_for_timing = false;  // its fate is not ours to enter
    bool is_unmatched() const;
  };
  using Copies = std::vector<Copy*>;

  static PacketFate Unmatched(CopyDirection direction);
  bool Defer(std::span<Copy> run);
  static bool HasRepeats(std::span<const Copy> run);
  bool ResolvePair(const PacketRecord& x, const PacketRecord& y);
  Result<void> ResolveEqual(std::span<Copy> run);
  Result<void> ResolveEachKey();
  Result<void> ResolveMerged();
  bool MayBeMergedOnTheWay() const;
  static std::vector<Copy> BySide(std::vector<Copy> copies);
  Result<void> ResolveSet(Copies set, Lengths lengths);
  Copies OnePerClockAndSide(const Copies& set) const;
  Result<void> SettleUnknown(const Copies& set, Lengths lengths);
  void SettleGroup(const Copies& set);
  void SettleOpposite(Copy& unknown, const Copy& known);
  Result<void> SettleTwo(Copy& x, Copy& y);
  void MarkSameHost(const Copies& side);
  void Pair(const Copies& outs, const Copies& ins, Lengths lengths);
  void JoinBroadcasts(const Copies& ins);

  MatchLedger& ledger_;
  DirectionByTiming& timing_;
  RepeatsByTime* repeats_;
  std::vector<Copy> copies_;
};

}  // namespace syncline
