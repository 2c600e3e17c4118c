// The tightest bounds of a peer's clock at the own time of now, from messages both ways as they
// come.
//
// Symbols: c(z), the peer's reading when the own clock reads z. Model: neither clock is set, and
//   lo·(z' − z) ≤ c(z') − c(z) ≤ hi·(z' − z) for z < z',   lo = 1 − D, hi = 1 + D:
// in no stretch of time does the peer's clock gain or lose more than D of what the own one counts.
// A message that left at own t1 and arrived at peer t2 says c(t1) ≤ t2; one that left at peer t3
// and arrived at own t4, c(t4) ≥ t3. So for x at or after all messages,
//   U(x) = min over (t1, t2) of t2 + hi·(x − t1),   L(x) = max over (t3, t4) of t3 + lo·(x − t4),
// and c(x) is in [L, U], which widens by 2·D·(time) until the next message. All those lines are
// parallel: the lowest stays the lowest, so one message each way is all that has to be kept. The
// same backwards, with hi and lo exchanged, for the time of the first message.
// Units: nanoseconds of each clock; D in parts in 10^9. Guarantee: nothing tighter follows from the
// messages (longest paths in their graph). Exact: 128-bit integers, rounded outwards.
// Cost: O(1) a message; no memory but four messages.
// Method: R. Ostrovsky, B. Patt-Shamir, Optimal and efficient clock synchronization under drifting
// clocks (PODC 1999), for two clocks, of which the past is known.
// Tested by: peer_bounds_test.cc (against longest paths in the graph of all messages).
#pragma once

#include <cstdint>
#include <optional>

#include "live/exchange/clock_exchange.h"

namespace syncline {

struct PeerMessage {
  enum class Direction : uint8_t { kToPeer, kFromPeer };
  Direction direction = Direction::kToPeer;
  int64_t own_ns = 0;   // when it left or arrived here
  int64_t peer_ns = 0;  // when it arrived or left there
  // Own times between which the peer read its clock, for what contradictions say.
  int64_t after_ns = 0;
  int64_t before_ns = 0;
};
PeerMessage QuestionOf(const ClockExchange& exchange);
PeerMessage AnswerOf(const ClockExchange& exchange);

// What no clocks within the model can have shown.
struct Contradiction {
  enum class Kind : uint8_t {
    kOwnSetBack,   // own readings went backwards
    kPeerSetBack,  // the peer's did
    kTooFast,      // rates beyond D, or a clock was set: messages cannot tell
    kSet,          // the same, beyond any rate that clocks are slewed at (host_estimate.h)
  };
  Kind kind = Kind::kTooFast;
  // Own times between which it happened; of kOwnSetBack the last before and the first after it.
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  // By how much peer − own changed all at once, if it did.
  std::optional<int64_t> change_low_ns;
  std::optional<int64_t> change_high_ns;
  // Of kTooFast and kSet: the least rate, peer against own, that explains it; infinite where none
  // does.
  double drift_ppm = 0;
};

class PeerBounds {
 public:
  // Requires 0 ≤ max_drift_ppb ≤ 10^9.
  explicit PeerBounds(int64_t max_drift_ppb);

  // Why the message does not fit those before; none where it does. Messages come in the order of
  // both clocks' times.
  std::optional<Contradiction> ContradictionOf(const PeerMessage& message) const;
  // Requires that nothing contradicts it.
  void Add(const PeerMessage& message);

  bool is_empty() const { return !upper_ && !lower_; }
  int64_t start_ns() const { return start_ns_; }        // own time of the first message
  int64_t latest_ns() const { return latest_.own_ns; }  // … of the last
  int64_t max_drift_ppb() const { return (hi_ - lo_) / 2; }

  // L and U at this own time, not before the last message. None without a message of that
  // direction.
  std::optional<int64_t> Lower(int64_t own_ns) const;
  std::optional<int64_t> Upper(int64_t own_ns) const;
  // The same at start_ns().
  std::optional<int64_t> LowerAtStart() const;
  std::optional<int64_t> UpperAtStart() const;

 private:
  int64_t lo_;  // parts in 10^9
  int64_t hi_;
  std::optional<PeerMessage> upper_;        // to the peer: the line of slope hi is the lowest
  std::optional<PeerMessage> lower_;        // from it: the line of slope lo is the highest
  std::optional<PeerMessage> first_upper_;  // to the peer: of slope lo, the lowest
  std::optional<PeerMessage> first_lower_;  // from it: of slope hi, the highest
  int64_t start_ns_ = 0;
  PeerMessage latest_;
};

}  // namespace syncline
