// From loaded messages to corrections: every pair, then all clocks, then what the result is worth.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syncline/minimum_delay.h"

#include "estimate/group.h"
#include "estimate/groups/tree_error.h"
#include "estimate/joint/joint.h"
#include "estimate/pair.h"
#include "measure/retiming.h"
#include "pipeline/estimate/minimum_delay_choice.h"
#include "trace/load.h"

namespace syncline {

enum class GroupMethod {
  kDriftBounded,
  kTreeError,
  kTreeHops,
  kJoint,
  kClosure,
  kPiecewise,
  kBroadcast,
};
std::string_view GroupMethodName(GroupMethod method);  // as --group gives it

struct SolveOptions {
  GroupMethod group = GroupMethod::kDriftBounded;
  LineMethod method = LineMethod::kWidest;
  std::optional<double> max_drift_ppm;  // none: any
  // Of drift-bounded. How fast a clock may be found to run where messages contradict
  // max_drift_ppm, never less than that; none: at any rate.
  std::optional<double> max_slew_ppm;
  std::optional<double> max_wander_ppm;  // how far a rate may stray from its mean; none: any
  // With kConstantRate straight lines are the correction where they fit.
  enum class Assume { kBoundedDrift, kConstantRate } assume = Assume::kBoundedDrift;
  MinimumDelayChoice minimum_delay;
  double max_suspects = 0.005;  // of messages; 0: none
  double confidence = 0.95;     // of a regression's intervals
  size_t bound_points = 0;      // instants per clock whose bounds the summary lists
  // Whether to find what of summaries only those in JSON tell, most of the work where clocks are
  // many: Solution::constant_rate_bounds of drift-bounded, and how wide bounds of pairs are.
  bool for_json = false;
  std::string reference;  // empty: chosen
};

struct Solution {
  std::vector<PairInput> pairs;
  GroupEstimate group;
  // Of joint: what became of each component, and the messages that estimation has left out because
  // they contradict the others, those of collectives by themselves.
  std::vector<JointFinding> findings;
  std::vector<Message> suspects;
  std::vector<Message> collective_suspects;
  // Likely messages that did not hold: the others are in the order of corrected times.
  std::vector<Message> late;
  // Of drift-bounded, by clock, ± ppm: the limit of its rate that bounds assume, and the one that
  // its correction rests on. Empty: bounds assume constant rates.
  std::vector<double> rate_limits_ppm;
  std::vector<double> guess_limits_ppm;
  // Beside it, by clock: what is known if rates are constant; none where no straight lines fit,
  // or where options do not ask for them.
  std::vector<std::optional<BoundSummary>> constant_rate_bounds;
  // --min-delay auto, whose symmetric paths messages contradict: this is the solution without it.
  bool is_without_symmetry = false;
  // What the other methods that treat all clocks at once have to say.
  Diagnostics diagnostics;

  // Whether corrections are straight lines, of pairs or of clocks.
  bool RestsOnLines() const { return rate_limits_ppm.empty(); }
};

// Errors: kUsage for a reference that does not exist; kNoCorrection where no two clocks exchanged
// messages.
Result<Solution> Solve(const LoadedTraces& loaded, const SolveOptions& options);

// Whether there are the clocks that the options name; Solve() checks it as well. Errors: kUsage.
Result<void> CheckClockNames(const LoadedTraces& loaded, const SolveOptions& options);

// What the logical clock keeps messages to: order at least, and the minimum delays that estimation
// used. Sizes count here alone. Names that no clock has are left out.
DelayModel MakeDelayModel(const LoadedTraces& loaded, const Solution& solution,
                          const MinimumDelayChoice& choice);

// Every clock as it stands.
GroupEstimate Uncorrected(const TraceSet& traces);

// By clock: by which the time that is written of an event can be off the correction, where nothing
// says that it was moved.
std::vector<int64_t> RoundingOfClocks(const LoadedTraces& loaded);

GlobalTime CorrectedTime(const LoadedTraces& loaded, const GroupEstimate& group,
                         const EventRef& event);

// The corrections of each process's clock, in whole nanoseconds.
std::vector<Retiming::ProcessTimes> TimesByProcess(const LoadedTraces& loaded,
                                                   const GroupEstimate& group);
// The same at the resolution of each input.
Retiming MakeRetiming(const LoadedTraces& loaded, const GroupEstimate& group);

}  // namespace syncline
