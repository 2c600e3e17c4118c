// Packets of several captures → messages and broadcasts, exact over whole captures and independent
// of the order of packets and of the clocks' offsets.
//
// Two passes over every capture: the survey learns which addresses belong to which host and how
// many bytes of each packet all captures keep; the second pass joins equal packets. What is kept of
// a packet does not depend on time, so neither results nor cost depend on the clocks.
// Requires: all packets of all captures to Survey(), then EndSurvey(), then all to Add(), then
// Finish(); captures and packets in any order.
// Errors: kUnreadable for temporary storage; kUsage for more than 65 535 captures. Packets that
// cannot be matched are counted, each under one PacketFate, and in the diagnostics.
// Ownership: packets are not kept. Cost: some 200 ns per packet in all; memory_bytes and a few MB.
// Method, assumptions, limits: docs/methods/matching.md.
// Tested by: packet_matcher_test.cc, packet_simulation_test.cc, packet_real_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/diagnostics.h"
#include "syncline/message.h"
#include "syncline/packet.h"
#include "syncline/result.h"

#include "base/parcel.h"
#include "match/copy_resolver.h"
#include "match/direction_by_timing.h"
#include "match/match_ledger.h"
#include "match/own_address.h"
#include "match/record_store.h"

namespace syncline {

// Whether packets come to Add() in the same order in every run. If not, each join sorts them first,
// so that messages come in one order all the same.
enum class PacketOrder : uint8_t { kReproducible, kAny };

struct PacketMatchOptions {
  // Records kept in memory before they go to temporary disk space.
  size_t memory_bytes = size_t{96} << 20;
  PacketOrder order = PacketOrder::kReproducible;
};

class PacketMatcher {
 public:
  // Captures are known by their place in `captures`.
  explicit PacketMatcher(std::vector<CaptureOrigin> captures, PacketMatchOptions options = {});

  // One more capture, known by the number that is returned.
  size_t AddCapture(CaptureOrigin capture);

  // First pass. Requires capture < number of captures, here and in Add(). Different captures may be
  // surveyed, and prepared, at the same time in different threads.
  void Survey(size_t capture, const Packet& packet);
  // Counts captures whose host's address could not be found ("own-address-unknown").
  void EndSurvey(Diagnostics& diagnostics);
  // Second pass: a packet is prepared, then stored.
  struct Prepared {
    PacketRecord record;
    // Where the direction is unknown, the IP addresses.
    uint64_t source = 0;
    uint64_t destination = 0;
  };
  // None for packets that cannot be matched; those are counted. An index too large is an error.
  Result<std::optional<Prepared>> Prepare(size_t capture, const Packet& packet);
  Result<void> Store(const Prepared& prepared);
  // Both.
  Result<void> Add(size_t capture, const Packet& packet);
  // Joins, and emits what was found; the matcher is used up afterwards. Messages come in an order
  // that depends on the order of packets; the set of messages does not.
  Result<PacketMatchCounts> Finish(MessageSink& sink, Diagnostics& diagnostics);

  // Of a capture that a matcher of another process surveys and prepares, which knows as many
  // captures: what Survey() has found there, what EndSurvey() has decided here, and, once all is
  // prepared there, the counts.
  void PutSurvey(size_t capture, Parcel& parcel);
  void TakeSurvey(size_t capture, ParcelReader& parcel);
  void PutOwn(size_t capture, Parcel& parcel) const;
  void TakeOwn(size_t capture, ParcelReader& parcel);
  void PutCounts(size_t capture, Parcel& parcel) const { parcel.Put(captures_[capture].counts); }
  void TakeCounts(size_t capture, ParcelReader& parcel) {
    captures_[capture].counts = parcel.Take<CaptureMatchCounts>();
  }

  // After EndSurvey(), for reports: 0 where unknown or where the recorder gave the direction.
  uint64_t own_link_address(size_t capture) const;

 private:
  // One interface of one capture.
  struct Point {
    uint32_t interface = 0;
    AddressSurvey survey;
    OwnAddresses own;
  };
  struct Capture {
    std::vector<Point> points;
    size_t last_point = 0;
    CaptureMatchCounts counts;  // of packets that do not come to the join
    // The least that a truncated packet keeps from its network header on.
    uint32_t kept_length = std::numeric_limits<uint32_t>::max();
  };

  Point& PointOf(Capture& capture, uint32_t interface);
  uint16_t NumberOf(uint64_t address);
  Prepared MakeRecord(size_t capture, const Packet& packet, const DecodedPacket& decoded,
                      const Point& point) const;
  Result<void> JoinAll(MatchLedger& ledger, DirectionByTiming& timing, RepeatsByTime& repeats);
  Result<void> JoinBatch(std::span<const PacketRecord> batch, CopyResolver& resolver);

  std::vector<CaptureOrigin> origins_;
  std::vector<Capture> captures_;
  uint32_t hashed_length_ = std::numeric_limits<uint32_t>::max();
  absl::flat_hash_map<uint64_t, uint16_t> address_numbers_;
  PacketOrder order_ = PacketOrder::kReproducible;
  RecordStore store_;
};

}  // namespace syncline
