// Every method on the same loaded traces: what each found, and the figures to compare it by.
//
// A method that finds nothing has its reason in its figures; the others go on.
// Units: nanoseconds, seconds, bytes, where a name says so. Cost: per method its estimation and one
// pass over the messages; with a truth, one pass over the inputs for all together.
// Tested by: compare_command_test.cc, library_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/progress.h"
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

struct MethodRuns {
  std::vector<MethodRun> runs;
  std::string reference;  // what all are relative to: as asked for, else the first method's choice
  double seconds = 0;
  uint64_t peak_bytes = 0;
};

// Errors: kUsage where the options name a clock that there is none of; storage that fails;
// kCancelled.
Result<MethodRuns> RunMethods(const LoadedTraces& loaded, std::span<const Method> methods,
                              SolveOptions options, Progress& progress);

// The figures of all runs side by side, to be shown.
Result<Comparison> Compare(const LoadedTraces& loaded, MethodRuns runs,
                           const SolveOptions& options);
int ExitCodeOf(const Comparison& comparison);

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
