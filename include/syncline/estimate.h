// Every clock's correction to one common time, with bounds that are guaranteed under the stated
// assumption.
//
//     auto estimate = syncline::EstimateClocks(*traces);
//     syncline::GlobalTime t = estimate->Correct(clock, reading);
//     syncline::Interval between = estimate->Bounds(clock, reading);
//
// Units: readings are ticks of their clock (LocalTime), corrected times nanoseconds of the
// reference clock's nominal time (GlobalTime). Sign: an offset is local − global, positive where
// the clock is ahead; a drift is rate − 1 in ppm, positive where it runs fast. Threads: as
// traces.h. Method: docs/methods/drift-bounded.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/clock.h"
#include "syncline/correction.h"
#include "syncline/diagnostics.h"
#include "syncline/export.h"
#include "syncline/message.h"
#include "syncline/result.h"
#include "syncline/time.h"
#include "syncline/traces.h"

namespace syncline {

struct EstimateOptions {
  // drift-bounded (rates within max_drift_ppm, nothing else assumed) or joint (straight lines).
  enum class Method { kDriftBounded, kJoint } method = Method::kDriftBounded;
  // The largest rate difference of a clock and the reference, at most 500 000; none: any
  // (drift-bounded: any rate that is not less than half of the reference's).
  std::optional<double> max_drift_ppm = 200;
  // drift-bounded: how fast a clock may be found to run where messages contradict that; none: 1000,
  // or max_drift_ppm where that is more.
  std::optional<double> max_slew_ppm = {};
  // drift-bounded: how far a rate may stray from its mean from the first to the last
  // message; none: as far as max_drift_ppm lets it.
  std::optional<double> max_wander_ppm = {};
  // The least travel time of every message, 0 to 2^50 ns; bounds then hold only if it is true.
  int64_t min_delay_ns = 0;
  // The share of messages that may be left out where they contradict the others.
  double max_outliers = 0.005;
  std::string reference = {};  // the clock whose time all get; empty: the one with the least bounds
};

// Where a true time is known to lie; a side that nothing bounds is none.
struct Interval {
  std::optional<GlobalTime> earliest = {}, latest = {};
};

// What stands for a side that nothing bounds, where many are asked for at once.
inline constexpr GlobalTime kOpenBefore{INT64_MIN}, kOpenAfter{INT64_MAX};

// A clock that was set forward or back between two of its readings.
struct ClockStep {
  ClockId clock;
  int64_t ahead_ns = 0;     // more than before; negative: it was set back
  LocalTime after, before;  // its last reading before and its first one behind
};

struct ClockFigures {
  std::string name = {};
  std::string quality = {};                    // accurate, approximate, … as in the summary
  std::string reason = {};                     // why it is below accurate; else empty
  std::string reference = {};                  // whose time it is corrected to
  double drift_ppm = 0;                        // the mean
  int64_t offset_ns = 0;                       // at the middle of its trace
  std::optional<int64_t> worst_bound_ns = {};  // the largest ± over its trace; none: open
};

struct EstimateState;

class SYNCLINE_EXPORT Estimate {
 public:
  const std::vector<ClockFigures>& clocks() const;  // by ClockId
  const std::vector<ClockStep>& steps() const;
  ClockId reference() const;
  // Left out because they contradict the others. Guarantees rest on the rest being right.
  std::span<const Message> outliers() const;
  const Diagnostics& diagnostics() const;

  // Epochs of a clock that was set back count from 0 (EpochOf); others have epoch 0 alone. Beyond
  // the last one it is the last one that counts.
  uint32_t EpochsOf(ClockId clock) const;
  GlobalTime Correct(ClockId clock, LocalTime reading, uint32_t epoch = 0) const;
  Interval Bounds(ClockId clock, LocalTime reading, uint32_t epoch = 0) const;
  // Many of one clock: as many as both have room for. Cost: some 3 ns each where they are in order.
  void Correct(ClockId clock, std::span<const LocalTime> readings, std::span<GlobalTime> corrected,
               uint32_t epoch = 0) const;
  // The same of bounds; an open side is kOpenBefore or kOpenAfter. Cost: some 50 ns each.
  void Bounds(ClockId clock, std::span<const LocalTime> readings, std::span<GlobalTime> earliest,
              std::span<GlobalTime> latest, uint32_t epoch = 0) const;
  // The piecewise straight map from readings to corrected times.
  const Correction& CorrectionOf(ClockId clock, uint32_t epoch = 0) const;
  // Of an event of the traces.
  uint32_t EpochOf(const EventRef& event) const;
  GlobalTime Correct(const EventRef& event) const;
  Interval Bounds(const EventRef& event) const;

  // For this library's own use.
  explicit Estimate(std::shared_ptr<const EstimateState> state) : state_(std::move(state)) {}
  const EstimateState& state() const { return *state_; }

 private:
  std::shared_ptr<const EstimateState> state_;
};

// Errors: kUsage for options; kNoCorrection where no two clocks exchanged messages.
SYNCLINE_EXPORT Result<Estimate> EstimateClocks(const Traces& traces,
                                                const EstimateOptions& options = {});
// Of messages in memory (FromMessages).
SYNCLINE_EXPORT Result<Estimate> EstimateClocks(TraceSet set, std::span<const Message> messages,
                                                const EstimateOptions& options = {});

}  // namespace syncline
