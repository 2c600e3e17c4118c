// What exchanges with one host tell of its clock, as they come.
//
// Units: nanoseconds; drift in ppm. Sign: host − own, positive: the host's clock is ahead or fast.
// Guarantee, given that both clocks run at constant rates within the prior of each other: offset
// and drift lie between their bounds, whatever the network did. Where exchanges contradict that,
// nothing is bounded and the reason says so.
// Cost and memory: those of src/estimate/hulls/pair_points.h; no exchange is kept.
// Method: each exchange is two messages, and the two clocks a pair (src/estimate/pair.h).
// Tested by: host_estimate_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "estimate/pair.h"
#include "live/exchange/clock_exchange.h"

namespace syncline {

struct HostOffset {
  Quality quality = Quality::kAbsent;
  std::string reason;     // why it is below accurate; empty otherwise
  int64_t at_ns = 0;      // own time
  int64_t offset_ns = 0;  // then
  double drift_ppm = 0;
  struct Bounds {
    int64_t low_ns = 0;
    int64_t high_ns = 0;
    double low_drift_ppm = 0;
    double high_drift_ppm = 0;
    // Of the offset, the larger distance to its bounds.
    int64_t bound_ns = 0;
  };
  std::optional<Bounds> bounds;
};

class HostEstimate {
 public:
  // None: no prior.
  explicit HostEstimate(std::optional<double> max_drift_ppm) : max_drift_ppm_(max_drift_ppm) {}

  void Add(std::span<const ClockExchange> exchanges);
  uint64_t exchanges() const { return points_.messages_ab(); }
  // As of this own time; none before the first exchange.
  std::optional<HostOffset> At(int64_t own_ns) const;

 private:
  PairPoints points_;
  std::optional<double> max_drift_ppm_;
};

}  // namespace syncline
