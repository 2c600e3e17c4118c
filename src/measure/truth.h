// Known true clocks of a recorded trace set, to measure the true error of corrections.
//
// File: { "clocks": { NAME: [[local_ns, true_ns], …] } }, integers, linear between points and
// beyond, in order of true time. Where a clock was set back, local times step back from one point
// to the next. Errors: kMalformed with the file's name. Tested by: src/measure/truth_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "syncline/correction.h"
#include "syncline/result.h"

namespace syncline {

// Nominal local nanoseconds of one clock → true nanoseconds: a correction for each stretch in which
// the clock was not set back.
using TrueClock = std::vector<Correction>;

struct Truth {
  std::map<std::string, TrueClock> clocks;
};

// By epoch as seen in events (model/epochs.h): the stretches that it covers, from `first` to
// `last`. Set-backs between which there are no events, or that fell into a silence, are not seen.
struct TrueEpoch {
  size_t first = 0;
  size_t last = 0;
};
// A set-back as seen: the interval [after, before] of nominal readings lies within the true one, up
// to `tolerance_ns`. Each is the first true set-back after that of the one before which it fits;
// where none does, the next one.
struct SeenStep {
  int64_t before_ns = 0;
  int64_t after_ns = 0;
};
std::vector<TrueEpoch> AlignEpochs(const TrueClock& clock, std::span<const SeenStep> seen,
                                   int64_t tolerance_ns);
// Of a reading in an epoch: by the first of its stretches that reaches as far.
const Correction& TruthAt(const TrueClock& clock, const TrueEpoch& epoch, int64_t local_ns);
// Where the clock was set, or stood still: places at which it ran at less than half or more than
// one and a half times its rate. In order of time.
struct TrueJump {
  GlobalTime at;  // the first instant after it
  int64_t ahead_ns = 0;
};
std::vector<TrueJump> JumpsOf(const TrueClock& clock);

// What the clock showed at a true instant.
int64_t ShownAt(const TrueClock& clock, GlobalTime instant);

Result<Truth> ReadTruth(const std::string& path);

// Error of corrected times against the truth, after removing the reference clock's own difference:
// corrected − (what the reference clock showed at that true instant).
class TrueError {
 public:
  void Add(Duration error);
  void Merge(const TrueError& other);
  uint64_t events() const { return events_; }
  int64_t max_ns() const { return max_ns_; }  // largest magnitude
  double rms_ns() const;
  void CountOutsideBound() { ++outside_bound_; }
  uint64_t outside_bound() const { return outside_bound_; }

 private:
  uint64_t events_ = 0;
  int64_t max_ns_ = 0;
  double sum_of_squares_ = 0;
  uint64_t outside_bound_ = 0;
};

}  // namespace syncline
