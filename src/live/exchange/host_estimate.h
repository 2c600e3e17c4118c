// What exchanges with one host tell of its clock, as they come.
//
// Units: nanoseconds; drift in ppm. Sign: host − own, positive: the host's clock is ahead or fast.
// Guarantee: where there are bounds, the true offset at that time lies between them, whatever the
// network did, if neither clock was set, nor gained or lost more than `max_drift_ppm` against the
// other, since `since_ns` (peer_bounds.h has the model). What contradicts that ends the interval:
// it begins anew with the message that shows it, and the contradiction is counted and described.
// Who was seen to run faster than the limit, though no faster than clocks are slewed, may do so
// unseen: the limit is twice as much from then on, at most kMostSlewPpm. Whoever changed faster was
// set, and keeps its limit.
// A host of more contradictions than exchanges since the last one is no clock that was set now and
// then, and has no bounds; nor has one whose times are at an end of what 64 bits hold.
// Between the bounds the offset is a guess (recent_line.h).
// Cost: O(1) an exchange; memory O(log n), and what is kept of contradictions. No exchange is kept.
// Tested by: host_estimate_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "estimate/pair.h"
#include "live/exchange/clock_exchange.h"
#include "live/exchange/peer_bounds.h"
#include "live/exchange/recent_line.h"

namespace syncline {

// Above what daemons slew clocks at: adjtime's 500 ppm, twice.
inline constexpr double kMostSlewPpm = 1000;

struct HostOffset {
  Quality quality = Quality::kAbsent;
  std::string reason;        // why it is below accurate; empty otherwise
  int64_t at_ns = 0;         // own time
  int64_t since_ns = 0;      // of the first message that this rests on
  int64_t offset_ns = 0;     // at_ns
  double drift_ppm = 0;      // the mean from since_ns to at_ns
  double max_drift_ppm = 0;  // the limit that bounds rest on
  struct Bounds {
    int64_t low_ns = 0;
    int64_t high_ns = 0;
    double low_drift_ppm = 0;  // of the mean, not of the rate at any instant
    double high_drift_ppm = 0;
    int64_t below_ns = 0;  // from the offset to its bounds
    int64_t above_ns = 0;
    int64_t bound_ns = 0;  // the larger of the two
  };
  std::optional<Bounds> bounds;
};

class HostEstimate {
 public:
  // What one clock gains or loses on the other at most. Requires 0 ≤ max_drift_ppm ≤ 10^6; rounded
  // up to 0.001 ppm.
  explicit HostEstimate(double max_drift_ppm);

  // In the order in which they were made, each after the one before.
  void Add(std::span<const ClockExchange> exchanges);
  uint64_t exchanges() const { return exchanges_; }
  // As of this own time, or of the last message where that is later; none before the first one.
  std::optional<HostOffset> At(int64_t own_ns) const;

  // The first ones are kept, to this number, and all are counted.
  static constexpr size_t kMostKept = 1000;
  const std::vector<Contradiction>& contradictions() const { return contradictions_; }
  uint64_t contradictions_seen() const { return contradictions_seen_; }

 private:
  bool Take(const PeerMessage& message);
  void BeginAnew(Contradiction contradiction);
  void Measure(std::span<const ClockExchange> burst);
  void NarrowChange();
  // Why there are no bounds at this own time; empty where there are.
  std::string WhyUnbounded(int64_t own_ns) const;
  double MeanDriftPpm(const HostOffset& host) const;

  PeerBounds bounds_;
  std::optional<PeerBounds> before_;  // the last contradiction
  RecentLine measured_;
  std::optional<RecentLine::Line> line_;  // through them
  uint64_t exchanges_ = 0;
  uint64_t exchanges_since_ = 0;  // whole ones, since the last contradiction
  std::vector<Contradiction> contradictions_;
  uint64_t contradictions_seen_ = 0;
};

}  // namespace syncline
