// All clocks at once, whatever they do within limits of their rates: the tightest bounds there are,
// the best guess inside them, and corrections of few bends.
//
// Method: docs/methods/drift-bounded.md (B. Patt-Shamir, S. Rajsbaum, A theory of clock
// synchronization, STOC 1994; R. Ostrovsky, B. Patt-Shamir, PODC 1999). Messages become a graph
// (component.h, graph.h), bounds its longest paths (paths.h), the guess smooth lines near the
// middle of tighter ones (best_guess.h), corrections taut strings (corrections.h). Where all
// guesses of a component come out straight, the lines are those of joint.h: the last rung. Where
// messages contradict the limits, the limits of a clock are raised, its trace is cut where it was
// set, or messages are set aside as suspects (contradictions.h). Roots and components are those of
// tree_error.h. Guarantee: for clocks of quality kAccurate the true global time lies within
// `bounds`, and every value within them is attained by some behaviour of clocks and network, as
// long as rates keep to `limits_ppm`, the minimum delays hold, and suspects are wrong. No message
// that was not set aside is inverted once corrected, but for rounding to nanoseconds. Units: as
// group.h. Errors: those of the pass. Cost: one pass over the messages, more where they contradict
// the limits; see docs/methods/drift-bounded.md. Memory: the envelopes (envelope.h), 28 bytes per
// node of the graph, as much again where clocks are coarse, and the guess's (best_guess.h). Tested
// by: drift_bounded_test.cc, drift_bounded_property_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "estimate/group.h"
#include "estimate/joint/joint.h"
#include "estimate/message_pass.h"

namespace syncline {

struct DriftBoundedOptions {
  // Root of its component; without it the root is chosen as in tree_error.h.
  std::optional<ClockId> reference;
  std::optional<double> max_drift_ppm = 200;  // D; none: any rate from a half on
  std::optional<double> max_slew_ppm = 1000;  // to which limits may be raised; none: they stay
  // How far rates may stray from their mean over the trace; none: anything within D.
  std::optional<double> max_wander_ppm;
  double max_suspects = 0.005;  // of messages
  // Whether `straight` has bounds as well as lines, and is found where no guess wants its lines.
  bool bounds_straight = true;
  // By clock, where more than D is known to be needed; may be empty.
  std::vector<double> least_limits_ppm = {};
};

// By limits that are too small a round trip with another clock took least_ns, by S seen_ns.
struct QuickRoundTrip {
  ClockId with;
  int64_t least_ns = 0;
  int64_t seen_ns = 0;
};

// A clock whose rate was seen to leave D. Of the reference: all others seem to, together, and their
// limits are raised.
struct RaisedLimit {
  ClockId clock;
  double needed_ppm = 0;  // limits up to this do not do
  double limit_ppm = 0;   // the one that bounds assume
  GlobalTime about;       // where it was seen
  // What makes it likely; none: the messages prove it.
  std::optional<QuickRoundTrip> round_trip;
};

struct DriftBoundedFinding {
  enum class State {
    kBounded,       // what is stated holds
    kSingle,        // one clock alone: nothing to do
    kContradicted,  // nothing explains the messages; corrections are guesses without bounds
  } state = State::kSingle;
  std::string reason;  // why it is kContradicted
};

struct DriftBoundedEstimate {
  GroupEstimate group;
  std::vector<DriftBoundedFinding> components;  // as GroupEstimate::roots
  std::vector<RaisedLimit> raised;
  std::vector<uint64_t> suspects;  // ids of messages, ascending
  std::vector<double> limits_ppm;  // by clock: what bounds assume of its rate
  std::vector<double> guess_ppm;   // by clock: the limit that the guess rests on
  // Clocks that stray further from their mean rate than max_wander_ppm, which was not used then.
  bool is_wander_contradicted = false;
  // Straight lines, where messages do not contradict D: beside the rest, and for guesses of clocks
  // that come out straight. None where neither was wanted.
  std::optional<JointEstimate> straight;
};

// Requires: pairs are those of all messages of the pass, with their minimum delays.
Result<DriftBoundedEstimate> EstimateDriftBounded(std::span<const ClockInput> clocks,
                                                  std::span<const PairInput> pairs,
                                                  const MessagePass& messages,
                                                  const DriftBoundedOptions& options);

}  // namespace syncline
