// Known true clocks of a recorded trace set, to measure the true error of corrections.
//
// File: { "clocks": { NAME: [[local_ns, true_ns], …] } }, integers, linear between points and
// beyond. Errors: kMalformed with the file's name. Tested by: src/measure/truth_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "syncline/correction.h"
#include "syncline/result.h"

namespace syncline {

struct Truth {
  // Nominal local nanoseconds of each clock → true nanoseconds.
  std::map<std::string, Correction> clocks;
};

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
