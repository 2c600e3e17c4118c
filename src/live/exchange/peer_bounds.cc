#include "live/exchange/peer_bounds.h"

#include <limits>

#include "base/check.h"
#include "base/int128.h"
#include "base/ticks.h"

namespace syncline {
namespace {

using Direction = PeerMessage::Direction;

// 10^9 times how far `m` is above the line of this slope through `p`.
Int128 Above(const PeerMessage& p, const PeerMessage& m, int64_t slope) {
  return kPpbInOne * Minus(m.peer_ns, p.peer_ns) - slope * Minus(m.own_ns, p.own_ns);
}

// The line of this slope through `p`, rounded down or up.
int64_t FloorOn(const PeerMessage& p, int64_t slope, int64_t own_ns) {
  return Saturate(p.peer_ns + FloorDiv(slope * Minus(own_ns, p.own_ns), kPpbInOne));
}

int64_t CeilOn(const PeerMessage& p, int64_t slope, int64_t own_ns) {
  return Saturate(p.peer_ns + CeilDiv(slope * Minus(own_ns, p.own_ns), kPpbInOne));
}

Contradiction TooFast(const PeerMessage& kept, const PeerMessage& m) {
  const Int128 own = Minus(m.own_ns, kept.own_ns);
  const Int128 gained = Minus(m.peer_ns, kept.peer_ns) - own;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double drift_ppm = gained > 0 ? kInfinite : -kInfinite;
  if (own > 0) drift_ppm = static_cast<double>(gained) / static_cast<double>(own) * 1e6;
  return {.kind = Contradiction::Kind::kTooFast,
          .from_ns = kept.after_ns,
          .to_ns = m.before_ns,
          .drift_ppm = drift_ppm};
}

}  // namespace

PeerMessage QuestionOf(const ClockExchange& e) {
  return {Direction::kToPeer, e.t1_ns, e.t2_ns, e.t1_ns, e.t4_ns};
}

PeerMessage AnswerOf(const ClockExchange& e) {
  return {Direction::kFromPeer, e.t4_ns, e.t3_ns, e.t1_ns, e.t4_ns};
}

PeerBounds::PeerBounds(int64_t max_drift_ppb)
    : lo_(kPpbInOne - max_drift_ppb), hi_(kPpbInOne + max_drift_ppb) {
  SYNCLINE_CHECK(max_drift_ppb >= 0 && max_drift_ppb <= kPpbInOne);
}

std::optional<Contradiction> PeerBounds::ContradictionOf(const PeerMessage& m) const {
  if (is_empty()) return std::nullopt;
  if (m.own_ns < latest_.own_ns) {
    return Contradiction{.kind = Contradiction::Kind::kOwnSetBack,
                         .from_ns = latest_.own_ns,
                         .to_ns = m.own_ns,
                         .change_low_ns = Saturate(Minus(latest_.own_ns, m.own_ns))};
  }
  if (m.peer_ns < latest_.peer_ns) {
    return Contradiction{.kind = Contradiction::Kind::kPeerSetBack,
                         .from_ns = latest_.after_ns,
                         .to_ns = m.before_ns,
                         .change_high_ns = Saturate(Minus(m.peer_ns, latest_.peer_ns))};
  }
  const bool is_to_peer = m.direction == Direction::kToPeer;
  if (is_to_peer && lower_ && Above(*lower_, m, lo_) < 0) return TooFast(*lower_, m);
  if (!is_to_peer && upper_ && Above(*upper_, m, hi_) > 0) return TooFast(*upper_, m);
  return std::nullopt;
}

void PeerBounds::Add(const PeerMessage& m) {
  if (is_empty()) start_ns_ = m.own_ns;
  latest_ = m;
  if (m.direction == Direction::kToPeer) {
    if (!upper_ || Above(*upper_, m, hi_) <= 0) upper_ = m;
    if (!first_upper_ || Above(*first_upper_, m, lo_) < 0) first_upper_ = m;
    return;
  }
  if (!lower_ || Above(*lower_, m, lo_) >= 0) lower_ = m;
  if (!first_lower_ || Above(*first_lower_, m, hi_) > 0) first_lower_ = m;
}

std::optional<int64_t> PeerBounds::Lower(int64_t own_ns) const {
  if (!lower_) return std::nullopt;
  return FloorOn(*lower_, lo_, own_ns);
}

std::optional<int64_t> PeerBounds::Upper(int64_t own_ns) const {
  if (!upper_) return std::nullopt;
  return CeilOn(*upper_, hi_, own_ns);
}

std::optional<int64_t> PeerBounds::LowerAtStart() const {
  if (!first_lower_) return std::nullopt;
  return FloorOn(*first_lower_, hi_, start_ns_);
}

std::optional<int64_t> PeerBounds::UpperAtStart() const {
  if (!first_upper_) return std::nullopt;
  return CeilOn(*first_upper_, lo_, start_ns_);
}

}  // namespace syncline
