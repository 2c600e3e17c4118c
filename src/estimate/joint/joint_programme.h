// All clocks of a component as one system of linear inequalities.
//
// Unknown per clock i: u_i and v_i, in ns, by how much its global times at two anchors (the ends of
// its trace) differ from integer guesses, so
//     g_i(x) = base_i(x) + u_i · (last − x)/(last − first) + v_i · (x − first)/(last − first).
// Clock 0 is the component's root: u_0 = v_0 = 0. A message from a to b that was sent at x and
// received at y (minimum delay taken off, a reading's length added) demands g_b(y) ≥ g_a(x); of a
// pair's messages only those hull points can bind that its own corridor touches. The drift prior
// demands slope_min · g_b' ≤ g_a' ≤ slope_max · g_b' of clocks a, b that exchanged messages.
// Units: nanoseconds. Exactness: guesses and points are integers, and differences are taken before
// anything becomes floating point: constants are good to 2^-60 of their size. So epoch-size times
// lose nothing. Requires: times of one component differ by less than 2^61 ns.
// Tested by: src/estimate/joint/joint_programme_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "estimate/group.h"
#include "estimate/hulls/corridor.h"
#include "estimate/joint/linear_programme.h"
#include "estimate/point.h"

namespace syncline {

// An integer guess of a clock's conversion: global times (y) at two nominal times (x).
struct Anchors {
  Point first;
  Point last;  // greater in x and y

  friend bool operator==(const Anchors&, const Anchors&) = default;
  Line ToLine() const { return {first, SlopeOf(first, last)}; }
  // The weights of u and v at x; their sum is 1.
  std::array<long double, 2> WeightsAt(int64_t x) const;
};

// Pairs within a component; clocks by their place in JointProblem::clocks.
struct JointPair {
  size_t a = 0;
  size_t b = 0;
  const PairEstimate* estimate = nullptr;

  bool HasAToB() const { return estimate->bounds.upper.has_value(); }
  bool HasBToA() const { return estimate->bounds.lower.has_value(); }
  bool IsTwoWay() const { return HasAToB() && HasBToA(); }
};

// Ownership: the estimates that `pairs` points to must outlive it.
struct JointProblem {
  std::vector<size_t> clocks;   // indices of the group's clocks; the root first
  std::vector<size_t> parents;  // places in `clocks`: the next on the tree's path to the root
  std::vector<Anchors> anchors;
  // Nominal times of the first and last event; none: the anchors, which are further apart where a
  // trace is shorter than a second.
  std::vector<std::array<int64_t, 2>> ends;
  std::vector<JointPair> pairs;
  SlopeRange prior;
};

// Unknowns are numbered 2i for u_i and 2i + 1 for v_i.
constexpr size_t StartOf(size_t clock) { return 2 * clock; }
constexpr size_t EndOf(size_t clock) { return 2 * clock + 1; }

// constant + Σ weight · unknown ≥ 0 over four unknowns, those of clocks a and b.
struct JointRow {
  enum class Kind { kMessage, kRate } kind = Kind::kMessage;
  size_t pair = 0;
  size_t earlier = 0;  // of messages: g_later(later_ns) ≥ g_earlier(earlier_ns)
  size_t later = 0;
  int64_t earlier_ns = 0;
  int64_t later_ns = 0;
  long double constant_ns = 0;
  long double size_ns = 0;  // of what the constant is made: it is good to 2^-60 of this
  std::array<long double, 2> earlier_weights = {};  // of u and v
  std::array<long double, 2> later_weights = {};

  // The unknowns and their weights.
  std::array<std::pair<size_t, long double>, 4> Terms() const {
    return {{{StartOf(earlier), earlier_weights[0]},
             {EndOf(earlier), earlier_weights[1]},
             {StartOf(later), later_weights[0]},
             {EndOf(later), later_weights[1]}}};
  }
  // With `unknowns` in microseconds.
  long double SlackNs(std::span<const double> unknowns) const;
  std::vector<LinearProgramme::Entry> Entries() const;  // those that are not 0
};

// Whether a receive may be as late as its reading allows, or is taken as it stands.
enum class Readings { kAsLateAsPossible, kAsTheyStand };

std::vector<JointRow> MessageRows(const JointProblem& problem, Readings readings);
std::vector<JointRow> RateRows(const JointProblem& problem);
// The row g_later(later_ns) − g_earlier(earlier_ns), of any two instants.
JointRow MakeMessageRow(const JointProblem& problem, size_t earlier, int64_t earlier_ns,
                        size_t later, int64_t later_ns);
// (a's rate − (1 + drift) · b's rate) · the length of a's trace; rates are d(global)/d(local).
JointRow MakeRateRow(const JointProblem& problem, size_t a, size_t b, long double drift);

}  // namespace syncline
