// Bounds composed along messages to the root, each side by its own shortest path: what is known of
// a clock before anything is optimised.
//
// A clock is bounded above when messages lead from it to the root, below when they lead from the
// root to it. Valid, not tight. Units: nominal nanoseconds of the clock in, of the root out. Cost:
// O(p) to build, O(hops · log h) per query. Tested by: src/estimate/joint/joint_bounds_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "estimate/joint/joint_programme.h"
#include "estimate/time_bounds.h"

namespace syncline {

class JointPaths {
 public:
  explicit JointPaths(const JointProblem& problem);

  bool HasUpper(size_t clock) const { return Has(upper_, clock); }
  bool HasLower(size_t clock) const { return Has(lower_, clock); }
  bool HasBoth(size_t clock) const { return HasUpper(clock) && HasLower(clock); }
  // None where nothing bounds that side, or where the bound lies beyond int64.
  std::optional<int64_t> Upper(size_t clock, int64_t x) const;
  std::optional<int64_t> Lower(size_t clock, int64_t x) const;
  // All clocks on both paths but the root.
  std::vector<size_t> ClocksOn(size_t clock) const;
  // The bounds of a clock that at most one side reaches, as steps.
  std::vector<TimeBounds::Step> OneSide(size_t clock) const;

 private:
  struct Hop {
    std::shared_ptr<const Bounds> towards_root;
    size_t next = 0;
  };
  using Hops = std::vector<std::optional<Hop>>;  // by clock; none for the root

  static bool Has(const Hops& hops, size_t clock) { return clock == 0 || hops[clock].has_value(); }

  Hops upper_;
  Hops lower_;
};

}  // namespace syncline
