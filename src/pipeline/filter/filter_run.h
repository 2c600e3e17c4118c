// What both ways of filtering a text trace have in common: what they are given, the logical clock,
// and what there is to report of it.
//
// Tested by: filter_command_test.cc, filter_reverse_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "logical/logical_filter.h"
#include "measure/change_over_time.h"
#include "pipeline/correct/logical_adapter.h"
#include "pipeline/filter/filter_text.h"
#include "pipeline/summary/protocol.h"
#include "read/text/text_reader.h"

namespace syncline {

class FilterRun : public LogicalSink {
 protected:
  FilterRun(const TextFilterOptions& options, FilterDelays& delays, FilterOutput output,
            Progress& progress)
      : options_(&options),
        delays_(&delays),
        output_(std::move(output)),
        progress_(&progress),
        filter_(options.logical, delays.model(), *this),
        adapter_(filter_) {}

  // The adapter is told by who knows the order of ranks.
  void Declare(const TraceSet& traces) {
    delays_->Declare(traces);
    for (; declared_ < traces.processes.size(); ++declared_) {
      figures_.AddProcess(traces.processes[declared_].clock);
    }
  }

  void Note(const RetimedEvent& event) {
    figures_.AddEvent(event.process, event.before.ns, event.after);
    if (options_->logical.keeps_gamma_over_time) {
      changes_.Add(event.process, event.tag, event.before.ns, event.after.ns);
    }
  }

  Result<void> Finish() {
    filter_.Finish();
    output_.Flush();
    if (output_.error()) return tl::unexpected(*output_.error());
    return {};
  }

  // All but CountFindings().
  FilterOutcome MakeOutcome(const TextReader& reader) {
    FilterOutcome outcome{.report = filter_.report(),
                          .figures = std::move(figures_),
                          .traces = reader.traces(),
                          .diagnostics = reader.diagnostics()};
    if (options_->logical.keeps_gamma_over_time) {
      outcome.timeline = MakeTimeline(outcome.report.gamma, changes_, outcome.traces);
    }
    return outcome;
  }

  void CountFindings(FilterOutcome& outcome) const {
    Diagnostics& diagnostics = outcome.diagnostics;
    syncline::CountFindings(outcome.report, diagnostics);
    CountCycles(outcome.report.cycles, outcome.traces, diagnostics);
    adapter_.CountFindings(diagnostics);
    delays_->CountFindings(diagnostics);
    if (left_out_ > 0) diagnostics.Count("event-beyond-start", Severity::kInfo, left_out_);
  }

  const TextFilterOptions* options_;
  FilterDelays* delays_;
  FilterOutput output_;
  Progress* progress_;
  LogicalFigures figures_;
  ChangeOverTime changes_;  // empty unless asked for; of the times that the clock knows
  LogicalFilter filter_;
  LogicalAdapter adapter_;
  size_t declared_ = 0;    // processes
  uint64_t left_out_ = 0;  // events before the start
};

}  // namespace syncline
