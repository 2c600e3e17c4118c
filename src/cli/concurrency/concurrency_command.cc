#include "cli/concurrency/concurrency_command.h"

#include <cstdio>
#include <optional>
#include <span>
#include <utility>

#include "base/compression.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/replace_together.h"
#include "base/stopwatch.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/finish.h"
#include "cli/preparation.h"
#include "cli/report/report_command.h"
#include "measure/concurrency/region_series.h"
#include "pipeline/concurrency/meter_run.h"
#include "pipeline/concurrency/shared_meter.h"
#include "pipeline/correct/cycle_messages.h"
#include "pipeline/write/outputs.h"
#include "report/concurrency_summary.h"
#include "write/csv/csv_writer.h"

namespace syncline {
namespace {

WaitRule RuleOf(const std::string& name) {
  if (name == "replies") return WaitRule::kReplies;
  return name == "receives" ? WaitRule::kReceives : WaitRule::kRecorded;
}

// The regions as they pass, in blocks; the first error is kept.
class RegionTable {
 public:
  RegionTable(OutputFile file, bool quotes_formulas)
      : file_(std::move(file)), quotes_formulas_(quotes_formulas), block_(RegionCsvHeader()) {}

  void Add(const Region& region, const TraceSet& traces) {
    const std::string sender = region.sender ? NameOf(*region.sender, traces) : std::string();
    block_ += RegionCsvLine(region, NameOf(region.process, traces), sender);
    if (block_.size() >= kFileBlock) Flush();
  }
  Result<OutputFile> Finish() {
    Flush();
    if (!written_) return tl::unexpected(written_.error());
    return std::move(file_);
  }

 private:
  std::string NameOf(ProcessId process, const TraceSet& traces) const {
    std::string name = ForTerminal(traces.processes[process.index()].name);
    if (quotes_formulas_) QuoteFormula(name);
    return name;
  }
  void Flush() {
    if (written_) written_ = file_.Write(block_);
    block_.clear();
  }

  OutputFile file_;
  bool quotes_formulas_ = false;
  std::string block_;
  Result<void> written_;
};

class ConcurrencyRun {
 public:
  explicit ConcurrencyRun(const ConcurrencyCommandOptions& options)
      : options_(options),
        if_exists_(options.estimate.if_exists()),
        progress_(options.estimate.progress ? ProgressMode::kOn : ProgressMode::kOff),
        ranking_(options.regions) {}

  Result<int> Run(const std::string& command_line) {
    SYNCLINE_ASSIGN(auto inputs, PrepareInputs());
    SYNCLINE_ASSIGN(auto loaded, LoadTraces(inputs, progress_));
    SYNCLINE_TRY(CheckClockNames(loaded, solve_));
    Stopwatch watch;
    SYNCLINE_TRY(Measure(loaded));
    summary_.command = command_line;
    summary_.timing.logical_s = watch.Restart();
    SYNCLINE_TRY(Report());
    return summary_.diagnostics.HasAtLeast(Severity::kWarning) ? kExitWeak : kExitDone;
  }

 private:
  Result<ResolvedInputs> PrepareInputs() {
    if (options_.estimate.json == "-" && options_.csv == "-") {
      return Fail(ErrorCode::kUsage, "--json and --csv cannot both be standard output");
    }
    if (options_.quote_formulas && options_.csv.empty()) {
      return Fail(ErrorCode::kUsage, "--quote-formulas goes with --csv alone");
    }
    SYNCLINE_ASSIGN(auto preparation, Prepare(options_.estimate, ""));
    auto& [solve, inputs, truth, also_read] = preparation;
    solve_ = std::move(solve);
    if (inputs.clock_per.empty()) inputs.clock_per = "location";
    SYNCLINE_TRY(RefuseStandardInput(inputs.inputs, "concurrency reads its inputs"));
    for (const Input& input : inputs.inputs) summary_.inputs.push_back(input.path);
    also_read.push_back(options_.speeds);
    SYNCLINE_TRY(PlanOutputs(inputs.inputs, {.merged = options_.csv == "-" ? "" : options_.csv,
                                             .json = options_.estimate.json,
                                             .report = options_.report,
                                             .also_read = std::move(also_read),
                                             .if_exists = if_exists_}));
    return std::move(inputs);
  }

  Result<void> Measure(LoadedTraces& loaded) {
    ConcurrencyOptions options{.max_cuts = options_.max_cuts};
    if (!options_.speeds.empty()) {
      SYNCLINE_ASSIGN(options.speeds, ReadSpeeds(options_.speeds, loaded.traces));
    }
    progress_.Begin("measuring", 0);
    SYNCLINE_TRY(SetLateAside(loaded, solve_));
    auto measured = MeasureOnce(loaded, {}, options);
    if (!measured) return tl::unexpected(measured.error());
    if (!*measured) {
      SYNCLINE_ASSIGN(const auto cycles, SetCyclesAside(loaded, solve_));
      CountCycles(cycles, loaded.traces, summary_.diagnostics);
      measured = MeasureOnce(loaded, cycles, options);
      if (!measured) return tl::unexpected(measured.error());
      if (!*measured) {
        return Fail(ErrorCode::kMalformed,
                    "the messages form a cycle, so no order of events satisfies them");
      }
    }
    Describe(loaded, **measured);
    for (const LoadedInput& input : loaded.inputs) inputs_.push_back(input.input);
    return table_ ? Keep(table_->Finish()) : Result<void>{};
  }

  // Nothing where messages form a cycle.
  Result<std::optional<MeasuredComputation>> MeasureOnce(const LoadedTraces& loaded,
                                                         std::span<const CycleMessage> set_aside,
                                                         const ConcurrencyOptions& options) {
    if (set_aside.empty() && options_.csv.empty()) {
      SYNCLINE_ASSIGN(auto shared, RunSharedMeter(loaded, SharedOptions(loaded, options)));
      if (shared) {
        ranking_ = std::move(shared->ranking);
        series_ = std::move(shared->series);
        return std::move(shared->computation);
      }
    }
    ranking_ = RegionRanking(options_.regions);
    series_ = {};
    table_.reset();
    if (!options_.csv.empty()) {
      SYNCLINE_ASSIGN(auto file, CreateAsNamed(options_.csv, if_exists_));
      table_.emplace(std::move(file), options_.quote_formulas);
    }
    return RunMeter(loaded, set_aside, RuleOf(options_.waits), options, [&](const Region& region) {
      ranking_.Add(region);
      if (!options_.report.empty()) series_.Add(region, FirstNsOf(loaded, region.process));
      if (table_) table_->Add(region, loaded.traces);
    });
  }

  // Without the table, which has the regions in the order in which one meter finds them.
  SharedMeterOptions SharedOptions(const LoadedTraces& loaded,
                                   const ConcurrencyOptions& options) const {
    SharedMeterOptions shared{RuleOf(options_.waits), options, options_.regions, {}};
    if (options_.report.empty()) return shared;
    for (uint32_t p = 0; p < loaded.traces.processes.size(); ++p) {
      shared.origins_ns.push_back(FirstNsOf(loaded, ProcessId(p)));
    }
    return shared;
  }

  // For CommitAll(): nothing is visible before everything is written.
  Result<void> Keep(Result<OutputFile> file) {
    if (!file) return tl::unexpected(file.error());
    files_.push_back(std::move(*file));
    return {};
  }

  void Describe(const LoadedTraces& loaded, MeasuredComputation& measured) {
    summary_.version = SYNCLINE_VERSION;
    summary_.waits = options_.waits;
    for (size_t i = 0; i < measured.processes.size(); ++i) {
      const MeasuredProcess& p = measured.processes[i];
      const Process& process = loaded.traces.processes[i];
      summary_.processes.push_back(
          {process.name, process.label, p.has_events, p.first_ns, p.totals, p.regions});
    }
    summary_.measures = std::move(measured.measures);
    summary_.cuts = measured.cuts;
    summary_.messages = measured.messages;
    summary_.collective_ends = measured.collective_ends;
    summary_.regions = ranking_.LeastAlpha();
    summary_.longest_waits = ranking_.LongestWaits();
    summary_.waited_for = ranking_.Waits();
    summary_.diagnostics.Merge(loaded.diagnostics);
    const bool has_waits = summary_.measures.volume_ns > summary_.measures.weight_ns;
    if (!has_waits && measured.messages + measured.collective_ends > 0) {
      summary_.diagnostics.Count("waits-not-recorded", Severity::kWarning, 1, "see --waits");
    }
    for (const LoadedInput& input : loaded.inputs) summary_.timing.events += input.events;
    summary_.timing.read_s = loaded.read_s;
    summary_.timing.match_s = loaded.match_s;
    summary_.timing.peak_bytes = PeakMemoryBytes();
  }

  static int64_t FirstNsOf(const LoadedTraces& loaded, ProcessId process) {
    const ClockId clock = loaded.traces.processes[process.index()].clock;
    return loaded.traces.clocks[clock.index()].NominalNs(loaded.spans[clock.index()].first);
  }

  RegionTimeline Timeline() const {
    RegionTimeline timeline;
    timeline.regions = {
        series_.bins().start_ns(), static_cast<double>(series_.bins().width_ns()), {}};
    for (const RegionBin& bin : series_.bins().bins()) {
      RegionTimeline::Part part{bin.regions, bin.computed_ns, bin.delayed_ns, bin.MeanAlpha(), {},
                                {},          bin.region};
      if (part.mean_alpha) {
        part.least_alpha = bin.least_alpha;
        part.process = summary_.processes[bin.process.index()].name;
      }
      timeline.regions.parts.push_back(std::move(part));
    }
    return timeline;
  }

  Result<void> WriteJson(const std::string& json) {
    SYNCLINE_ASSIGN(auto file, CreateAsNamed(options_.estimate.json, if_exists_));
    SYNCLINE_TRY(file.Write(json));
    return Keep(std::move(file));
  }

  Result<void> WritePage(const std::string& json) {
    return Keep(CreatePage(
        {options_.report, if_exists_}, inputs_,
        {.kind = SummaryKind::kConcurrency, .summary_json = json, .regions = Timeline()}));
  }

  Result<void> Report() {
    const std::string json = ConcurrencySummaryToJson(summary_);
    if (!options_.estimate.json.empty()) SYNCLINE_TRY(WriteJson(json));
    if (!options_.report.empty()) SYNCLINE_TRY(WritePage(json));
    SYNCLINE_TRY(CommitTogether(files_));
    return options_.estimate.quiet ? Result<void>() : Print();
  }

  Result<void> Print() const {
    std::FILE* stream = options_.estimate.json == "-" || options_.csv == "-" ? stderr : stdout;
    return PrintText(ConcurrencySummaryToText(summary_, StyleFor(stream).columns), stream);
  }

  const ConcurrencyCommandOptions& options_;
  SolveOptions solve_;
  IfExists if_exists_;
  Progress progress_;
  RegionRanking ranking_;
  RegionSeries series_;  // empty unless a page is written
  std::optional<RegionTable> table_;
  std::vector<Input> inputs_;
  std::vector<OutputFile> files_;  // written, not yet visible
  ConcurrencySummary summary_;
};

}  // namespace

Result<int> RunConcurrency(const ConcurrencyCommandOptions& options,
                           const std::string& command_line) {
  return ConcurrencyRun(options).Run(command_line);
}

}  // namespace syncline
