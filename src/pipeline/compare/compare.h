// Every method on the same loaded traces: what each found, and the figures to compare it by.
//
// A method that finds nothing has its reason in its figures; the others go on.
// Units: nanoseconds, seconds, bytes, where a name says so. Cost: per method its estimation and one
// pass over the messages; with a truth, one pass over the inputs for all together.
// Tested by: compare_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "measure/retiming.h"
#include "measure/truth.h"
#include "pipeline/compare/methods.h"
#include "pipeline/estimate/solve.h"
#include "report/comparison.h"
#include "trace/load.h"

namespace syncline {

struct MethodRun {
  Method method;
  std::optional<Solution> solution;  // none where the method failed
  std::optional<Retiming> retiming;  // of the same
  Comparison::Method figures;
  SummaryMessages messages;  // of the same
  // What it found that clocks of constant rates within the limit cannot have done, unless messages
  // are wrong that are not left out; else empty.
  std::string against_constant_rates;
  bool leaves_nothing_out = true;
};

// The name of the clock that all methods are to be relative to: the given one, else the one that
// the first of all methods chooses; empty where it finds none.
std::string CommonReference(const LoadedTraces& loaded, const SolveOptions& options);

// What the recorded times say of the messages; for traces that no method corrected.
Result<SummaryMessages> RecordedMessages(const LoadedTraces& loaded, const SolveOptions& options);

// Errors: kUsage where the options name a clock that there is none of; storage that fails.
Result<MethodRun> RunMethod(const LoadedTraces& loaded, const Method& method,
                            const SolveOptions& options);

// Of one run: the errors of every process, by ProcessId.
using TrueErrors = std::vector<TrueError>;
// As `sync` measures them, of what it would write. By run; empty where the method failed.
Result<std::vector<TrueErrors>> MeasureTrueErrors(const LoadedTraces& loaded,
                                                  std::span<const MethodRun> runs,
                                                  const Truth& truth);
// Puts them into a run's figures.
Comparison::Method WithTrueErrors(Comparison::Method figures, const TrueErrors& errors,
                                  const TraceSet& traces);

}  // namespace syncline
