#include "syncline/corrected.h"

#include <utility>

#include "base/exit_code.h"
#include "base/progress.h"
#include "base/try.h"
#include "library/estimate_state.h"
#include "library/refusals.h"
#include "pipeline/correct/correct.h"
#include "pipeline/write/write_run.h"
#include "report/summary.h"

namespace syncline {

struct CorrectedState {
  LoadedTraces loaded;  // with what was set aside
  SolveOptions solve;
  CorrectedTraces corrected;
  Summary summary;
};

namespace {

Result<Corrected> CorrectEvents(const Traces& traces, const Estimate& estimate,
                                const CorrectOptions& options) {
  if (estimate.state().loaded != traces.shared()) {
    return Fail(ErrorCode::kUsage, "the estimate is not one of these traces");
  }
  LoadedTraces loaded = traces.loaded();
  const SolveOptions& solve = estimate.state().solve;
  TimesWanted wanted{.logical = {}, .keeps_timeline = true};
  if (options.logical != CorrectOptions::LogicalClock::kNone) {
    wanted.logical.emplace();
    const bool is_simple = options.logical == CorrectOptions::LogicalClock::kSimple;
    wanted.logical->clock = is_simple ? LogicalClockKind::kSimple : LogicalClockKind::kControlled;
  }
  Progress progress(options.progress);
  SYNCLINE_ASSIGN(CorrectedTraces corrected,
                  CorrectTraces(loaded, solve, estimate.state().solution, wanted, progress));
  SYNCLINE_TRY(progress.CheckGoesOn());
  Summary summary = SummarizeCorrected(loaded, corrected, solve);
  summary.corrected = true;
  return Corrected(std::make_shared<const CorrectedState>(
      CorrectedState{std::move(loaded), solve, std::move(corrected), std::move(summary)}));
}

Result<Written> WriteOutputs(const Corrected& corrected, const WriteOptions& options) {
  const CorrectedState& state = corrected.state();
  std::vector<Input> inputs;
  for (const LoadedInput& input : state.loaded.inputs) {
    if (input.input.format == Format::kMemory) {
      return Fail(ErrorCode::kUsage, "messages in memory have no files to be written again");
    }
    if (!options.merged.empty() && input.input.format != Format::kCapture) {
      return Fail(ErrorCode::kUsage, "only captures can be merged", input.input.path);
    }
    inputs.push_back(input.input);
  }
  if (options.folder.empty()) return Fail(ErrorCode::kUsage, "there is no folder to write to");
  const IfExists if_exists = options.replaces_existing ? IfExists::kReplace : IfExists::kFail;
  SYNCLINE_ASSIGN(OutputPlan plan, PlanOutputs(inputs, {.folder = options.folder,
                                                        .merged = options.merged,
                                                        .report = options.report,
                                                        .if_exists = if_exists}));
  Progress progress(options.progress);
  SYNCLINE_ASSIGN(const Summary summary, WriteRun(state.loaded, state.corrected, state.solve,
                                                  {.plan = std::move(plan),
                                                   .rewrites_events = options.rewrites_events,
                                                   .command = "libsyncline"},
                                                  progress));
  return Written{summary.outputs, SummaryToJson(summary)};
}

}  // namespace

GlobalTime Corrected::TimeOf(const EventRef& event) const {
  return state_->corrected.retiming(event);
}

MessageCounts Corrected::messages() const {
  const SummaryMessages& counts = state_->summary.messages;
  return {.total = counts.total,
          .inverted_before = counts.inverted_before,
          .inverted_after = counts.inverted_after,
          .too_fast_before = counts.too_fast_before,
          .too_fast_after = counts.too_fast_after};
}

uint64_t Corrected::events_moved() const {
  return state_->corrected.logical ? state_->corrected.logical->protocol.events_moved : 0;
}

const Diagnostics& Corrected::diagnostics() const { return state_->summary.diagnostics; }
bool Corrected::AllGuaranteesHold() const { return ExitCodeOf(state_->summary) == kExitDone; }
std::string Corrected::ToJson() const { return SummaryToJson(state_->summary); }
std::string Corrected::ToText() const { return SummaryToText(state_->summary); }

Result<Corrected> Correct(const Traces& traces, const Estimate& estimate,
                          const CorrectOptions& options) {
  return WithRefusals([&] { return CorrectEvents(traces, estimate, options); });
}

Result<Written> Write(const Corrected& corrected, const WriteOptions& options) {
  return WithRefusals([&] { return WriteOutputs(corrected, options); });
}

}  // namespace syncline
