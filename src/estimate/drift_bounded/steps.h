// Where two clocks' messages show that one of them was set, and which messages are wrong.
//
// θ is the reading of b less that of a at the same instant. A message a → b says θ ≤ r − s − µ at
// its sending, one b → a says θ ≥ s − r + µ at its receipt; between messages θ changes no faster
// than both limits of rates together. In order of a's readings the messages leave an interval for
// θ. One that lies outside of it is either wrong (a suspect), or the first one after a step.
// Method: a search over explanations, message by message, of which the cheapest few are kept: a
// suspect costs 1, each further one in a row 7 more than the one before, and the second 8 more
// where it misses the offset by as much as the first, so that it can agree with it; a step costs 8.
// So what agrees with nothing about it is a suspect; two messages in a row that agree with each
// other are a step, and so are any three that one offset explains. Rates as high as those of slewed
// clocks cost nothing, unless they would have to be that high for long between two messages: then
// that was a step. A suspect near messages that only a slew explains costs 9: a few suspects and a
// slew explain any step. A message that narrows the interval much can be a suspect, too, and so can
// the few before a contradiction, at the beginning or behind a step. What nothing later contradicts
// until the next step, or nothing earlier, is no suspect either: it is on neither side of that
// step, or at the ends of the trace beyond a step of its own, for which these messages are the only
// evidence. Departure: the definition opens one hypothesis at a contradiction and decides after 8
// messages each way; here steps near the ends of a trace need not wait for them. Units:
// nanoseconds. Guarantee: without suspects, all messages between two steps agree pairwise. Cost:
// O(1) per message, about 0.3 µs. Tested by: steps_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/drift_bounded/offset_interval.h"

namespace syncline::drift_bounded {

struct PairStep {
  // The last readings that fit the old offset alone, and the first ones of the new.
  int64_t before_a = 0, after_a = 0;
  int64_t before_b = 0, after_b = 0;
  Jump jump;  // of θ
  // The messages that without it would be suspects; none: it is certain.
  std::vector<uint64_t> evidence = {};
};

struct PairHistory {
  std::vector<PairStep> steps;     // by time
  std::vector<PairStep> slews;     // what could be steps, but need not
  std::vector<uint64_t> suspects;  // in order of a's readings
};

// Of messages that a clock that was set would explain. Ids that wrap make wrong ones agree, too.
enum class Agreement : uint8_t { kIsNoSuspicion, kSaysNothing };

// `messages` in order of at_a, of one track of each clock; `rate` limits |dθ/da|, `slew_rate` ≥
// `rate` while one of them is slewed.
PairHistory FindSteps(std::span<const PairMessage> messages, double rate, double slew_rate,
                      Agreement agreement = Agreement::kIsNoSuspicion);

}  // namespace syncline::drift_bounded
