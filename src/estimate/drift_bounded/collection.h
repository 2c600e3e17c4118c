// What bounds need of the messages of a component: of each direction between tracks those that
// others do not imply.
//
// Units: nominal nanoseconds; readings are kept since an origin of their clock, the first one that
// a message had. Cost: see envelope.h, and a look-up per message. Memory: the envelopes.
// Tested by: shared_messages_test.cc, drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "syncline/id.h"

#include "base/parcel.h"
#include "estimate/drift_bounded/envelope.h"
#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/rate_limits.h"
#include "estimate/drift_bounded/tracks.h"
#include "estimate/message_pass.h"

namespace syncline::drift_bounded {

using ClockPair = std::pair<ClockId, ClockId>;
using DelayMap = absl::flat_hash_map<ClockPair, int64_t>;  // µ of a direction; 0 where absent

struct Collection {
  std::vector<KeptDirection> directions;  // between tracks, in order of both
  std::vector<uint64_t> out_of_range;     // messages that have no place; each pass anew
};

// Of the messages on a cycle the one that is quickest against what those near it take. Within one
// direction that is the shortest one; a cycle's are of different ones.
uint64_t MostUnlikely(const Collection& messages, std::span<const Constraint> cycle);

// What explains the messages.
struct Explanation {
  TrackTable tracks;
  std::vector<RateLimits> limits;  // by clock
  absl::flat_hash_set<uint64_t> left_out;
};

// Tracks, and readings since the clocks' origins.
struct PlacedMessage {
  uint32_t from = 0, to = 0;
  int64_t s = 0, r = 0;
};

// The clocks that a component consists of, and where their readings count from.
struct ComponentClocks {
  std::vector<bool> is_inside;                  // by clock
  std::vector<std::optional<int64_t>> origins;  // by clock; none before its first message

  int64_t OriginNs(ClockId clock) const { return origins[clock.index()].value_or(0); }
  // None where a reading is more than 2^57 ns from its clock's origin.
  std::optional<PlacedMessage> Place(const RecordedMessage& m, const TrackTable& tracks) const {
    constexpr int64_t kReachNs = int64_t{1} << 57;
    PlacedMessage placed;
    if (__builtin_sub_overflow(m.send_ns, OriginNs(m.from), &placed.s)) return std::nullopt;
    if (__builtin_sub_overflow(m.receive_ns, OriginNs(m.to), &placed.r)) return std::nullopt;
    for (const int64_t since : {placed.s, placed.r}) {
      if (since > kReachNs || since < -kReachNs) return std::nullopt;
    }
    placed.from = tracks.Of(m.from, m.from_epoch, m.send_ns);
    placed.to = tracks.Of(m.to, m.to_epoch, m.receive_ns);
    return placed;
  }
};

class MessageCollector : public MessageWork {
 public:
  // Learns the clocks' origins on the way. Both outlive it.
  MessageCollector(const Explanation& explanation, ComponentClocks& clocks)
      : explanation_(explanation), clocks_(clocks) {}

  void Add(const RecordedMessage& m) override;
  void PutTask(Parcel& task) const override;
  void TakeOutcome(ParcelReader& outcome) override;
  // Of what was added.
  void PutOutcome(Parcel& outcome);
  // Once. Where no delay is given it is 0.
  Collection Finish(const DelayMap& delays);

 private:
  struct Kept {
    Kept(RateLimits sender, RateLimits receiver) : envelope(sender, receiver) {}
    // Messages that are added together cost less each.
    void Add(int64_t s, int64_t r, uint64_t message) {
      added.push_back({s, r, message});
      if (added.size() == kTogether) Settle();
    }
    void Settle();

    static constexpr size_t kTogether = 32;
    std::vector<Constraint> added;
    Envelope envelope;
  };
  Kept& KeptOf(uint32_t from, uint32_t to);

  const Explanation& explanation_;
  ComponentClocks& clocks_;
  std::map<std::pair<uint32_t, uint32_t>, Kept> kept_;  // by tracks
  absl::flat_hash_map<uint64_t, Kept*> known_;
  uint64_t last_key_ = 0;
  Kept* last_ = nullptr;  // successive messages are often of one direction
  std::vector<uint64_t> out_of_range_;
};

// What MessageCollector::PutTask() put.
struct CollectorTask {
  explicit CollectorTask(ParcelReader& task);
  Explanation explanation;
  ComponentClocks clocks;
};

}  // namespace syncline::drift_bounded
