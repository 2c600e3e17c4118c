// Why messages contradict the limits of rates, and what is assumed instead.
//
// A positive cycle of the graph (paths.h) is the proof of a contradiction. Explanations, in this
// order (drift-bounded.md, "Contradictions"):
//   - A clock was set: messages of a pair fit no offset that changes as slowly as limits raised to
//     S allow, or only by a long slew, but two offsets, one before and one after (steps.h). Which
//     clock it was, all pairs tell (attribution.h). Its trace is cut there, and what lies between
//     what is certain to be before and behind is left out (step_windows.h).
//   - A message was matched or stamped wrongly: it alone contradicts those about it (steps.h), or
//     it is the one on a cycle far from all steps that stands out most, or neither side of a step
//     allows it. It is left out, as a suspect, unless another one agrees with it: then their clock
//     was set (agreement.h). Where steps do not explain messages that agree, no bound is claimed.
//   - A clock ran faster or slower than D (raised_limits.h), proved by a cycle or by round trips
//     that would have been implausibly quick.
// Departure: the definition takes the cheapest explanation by one price list; here slews that S
// allows cost nothing as long as they are short, so that none is taken for a row of small steps.
// Errors: those of the pass. Cost: nothing where there is no cycle; else some passes over the
// messages. Tested by: drift_bounded_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/drift_bounded/raised_limits.h"
#include "estimate/drift_bounded/step_windows.h"

namespace syncline::drift_bounded {

struct Explained {
  Explanation explanation;
  Collection messages;  // collected with the explanation's limits
  std::vector<RaisedLimits::Raised> raised = {};
  std::string reason = {};                    // why there is none; empty: there is one
  bool is_guess_possible = false;             // though no bound can be claimed
  bool is_plain = false;                      // nothing had to be assumed
  std::shared_ptr<const Solved> bounds = {};  // of `messages`; none where no guess is possible
  StepSides sides = {};                       // by these
};

Result<Explained> Explain(Component& component, const DriftBoundedOptions& options);

}  // namespace syncline::drift_bounded
