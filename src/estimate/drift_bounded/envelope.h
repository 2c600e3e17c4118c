// What bounds need of the messages of one direction between two clocks: those that others do not
// imply.
//
// Definition (drift-bounded.md, "The envelope"): message m says c_k(r) − c_i(s) ≥ µ. It is implied
// by m' if the walk s → s' on the sender, m', and the walk r' → r on the receiver say at least the
// same: least(s → s') + least(r' → r) ≥ 0. In the plane of s and r each message implies all points
// above a cone of slopes lo_i/hi_k and hi_i/lo_k, so what is kept of messages in order of s is a
// stack: a message that the last one does not imply takes off those that it implies itself.
// Guarantee: bounds from what is kept are those from all messages. Limits that lie within these
// keep a subset of it. What is kept of parts, taken together, keeps what all messages would, of
// equal ones the one with the lowest number, in whatever order they come.
// Units: nanoseconds of each clock since an origin of its own, |values| < 2^60.
// Cost: O(1) per message in nearly any order of s; O(log n) in any other. Memory: what is kept,
// and at most as much again.
// Tested by: envelope_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/drift_bounded/rate_limits.h"

namespace syncline::drift_bounded {

struct Constraint {
  int64_t s = 0;  // sent, at the sender
  int64_t r = 0;  // received, at the receiver
  uint64_t message = 0;
};

class Envelope {
 public:
  Envelope(RateLimits sender, RateLimits receiver) : sender_(sender), receiver_(receiver) {}

  void Add(const Constraint& m) { Add({&m, 1}); }
  // Several together cost less each: of these `first` < `step` and every `step`-th behind it.
  void Add(std::span<const Constraint> messages, size_t first = 0, size_t step = 1);
  // By s, and so by r; both increase strictly.
  std::span<const Constraint> Kept();
  std::vector<Constraint> Take();

 private:
  static constexpr size_t kFewest = 64;

  // In order of s, each by itself.
  void AddBoth(std::span<const Constraint> a, std::span<const Constraint> b);
  void Settle();

  std::vector<Constraint> kept_;
  std::vector<Constraint> waiting_;  // earlier than the last one kept
  RateLimits sender_;
  RateLimits receiver_;
};

}  // namespace syncline::drift_bounded
