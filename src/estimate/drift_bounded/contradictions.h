// Why messages contradict the limits of rates, and what is assumed instead.
//
// A positive cycle of the graph (paths.h) is the proof of a contradiction. Explanations, in this
// order (drift-bounded.md, "Contradictions"):
//   - A clock was set: messages of a pair fit no offset that changes as slowly as both limits
//     raised to S allow, but two offsets, one before and one after (steps.h). Its trace is cut
//     there.
//   - A message was matched or stamped wrongly: it alone contradicts those about it (steps.h), or
//     it is the one on a cycle that stands out most. It is left out, as a suspect.
//   - A clock ran faster or slower than D: with its limit raised up to S nothing contradicts any
//     more. It is raised to twice what is needed, at most to S, for the whole trace.
// Departure: the definition takes the cheapest explanation by one price list; here steps are what
// no rate within S explains, so that a slew is never taken for a row of small steps. Errors: those
// of the pass. Cost: nothing where there is no cycle; else some passes over the messages. Tested
// by: drift_bounded_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/drift_bounded.h"

namespace syncline::drift_bounded {

struct Explained {
  struct Raised {
    ClockId clock;          // the reference: all others
    double needed_ppm = 0;  // limits up to this do not do
    double limit_ppm = 0;
    std::optional<int64_t> about_ns = {};  // its reading where D did not do
  };

  Explanation explanation;
  Collection messages;  // collected with the explanation's limits
  std::vector<Raised> raised = {};
  std::string reason = {};         // why there is none; empty: there is one
  bool is_guess_possible = false;  // though no bound can be claimed
  bool is_plain = false;           // nothing had to be assumed
};

Result<Explained> Explain(Component& component, const DriftBoundedOptions& options);

}  // namespace syncline::drift_bounded
