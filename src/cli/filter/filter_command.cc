#include "cli/filter/filter_command.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/compression.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/replace_together.h"
#include "base/stopwatch.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/finish.h"
#include "cli/report/report_command.h"
#include "pipeline/estimate/solve.h"
#include "pipeline/filter/filter_archive.h"
#include "pipeline/filter/filter_text.h"
#include "pipeline/summary/protocol.h"
#include "pipeline/summary/summarize.h"
#include "pipeline/write/outputs.h"
#include "read/ctf/trace_folder.h"
#include "report/filter_summary.h"

namespace syncline {
namespace {

// What goes beside the trace: JSON and page, under temporary names.
Result<std::vector<OutputFile>> WriteSummaries(const std::string& json,
                                               std::optional<LogicalTimeline> timeline,
                                               const FilterOptions& options) {
  std::vector<OutputFile> files;
  if (!options.json.empty()) {
    SYNCLINE_ASSIGN(auto file, CreateAsNamed(options.json, options.if_exists()));
    SYNCLINE_TRY(file.Write(json));
    files.push_back(std::move(file));
  }
  if (!options.report.empty()) {
    const Input input{.path = options.input};
    SYNCLINE_ASSIGN(auto file, CreatePage({options.report, options.if_exists()}, {&input, 1},
                                          {.kind = SummaryKind::kFilter,
                                           .summary_json = json,
                                           .timeline = std::move(timeline)}));
    files.push_back(std::move(file));
  }
  return files;
}

// The protocol goes where neither trace nor JSON go.
Result<void> PrintProtocol(const FilterSummary& summary, const FilterOptions& options) {
  if (options.quiet) return {};
  std::FILE* stream = options.output == "-" || options.json == "-" ? stderr : stdout;
  const TextDetail detail = options.verbose ? TextDetail::kAll : TextDetail::kUsual;
  return PrintText(FilterSummaryToText(summary, StyleFor(stream, detail)), stream);
}

class FilterRun {
 public:
  FilterRun(const FilterOptions& options, const TextFilterOptions& filter)
      : options_(options), filter_(filter) {}

  Result<int> Run(const std::string& command_line) {
    SYNCLINE_TRY(CheckFiles());
    Stopwatch watch;
    SYNCLINE_ASSIGN(auto delays, ChooseDelays());
    const double estimate_s = watch.Restart();
    SYNCLINE_ASSIGN(auto trace, CreateAsNamed(options_.output, options_.if_exists()));
    SYNCLINE_ASSIGN(auto outcome, WriteTrace(delays, trace));
    FilterSummary summary = Summarize(outcome);
    summary.version = SYNCLINE_VERSION;
    summary.command = command_line;
    summary.timing.estimate_s = estimate_s;
    summary.timing.logical_s = watch.Restart();
    SYNCLINE_ASSIGN(auto files, WriteSummaries(FilterSummaryToJson(summary),
                                               std::move(outcome.timeline), options_));
    files.push_back(std::move(trace));
    SYNCLINE_TRY(CommitTogether(files));
    SYNCLINE_TRY(PrintProtocol(summary, options_));
    return summary.diagnostics.HasAtLeast(Severity::kWarning) ? kExitWeak : kExitDone;
  }

 private:
  Result<void> CheckFiles() const {
    if (!options_.write.empty() || options_.clock_per != FilterOptions().clock_per) {
      return Fail(ErrorCode::kUsage, "--write and --clock-per are for OTF2 archives",
                  options_.input);
    }
    std::error_code error;
    if (std::filesystem::is_directory(options_.input, error)) {
      const auto traces = FindCtfTraces(options_.input);
      if (traces && !traces->empty()) {
        return Fail(
            ErrorCode::kUnsupported,
            "holds CTF traces; `syncline sync --logical controlled` runs the same clock over them",
            options_.input);
      }
    }
    if (options_.min_delay == "auto" && std::filesystem::exists(options_.input, error) &&
        !std::filesystem::is_regular_file(options_.input, error)) {
      return Fail(ErrorCode::kUsage, "--min-delay auto reads the input twice, so it needs a file",
                  options_.input);
    }
    const Input input{.path = options_.input};
    SYNCLINE_TRY(PlanOutputs({&input, 1}, {.merged = options_.output == "-" ? "" : options_.output,
                                           .json = options_.json,
                                           .report = options_.report,
                                           .also_read = {options_.min_delay, options_.config},
                                           .if_exists = options_.if_exists()}));
    return {};
  }

  Result<MinimumDelayChoice> ChooseDelays() const {
    auto choice = ParseMinimumDelay(options_.min_delay);
    return choice && choice->is_auto ? MeasureMinimumDelays(options_.input) : choice;
  }

  Result<FilterOutcome> WriteTrace(const MinimumDelayChoice& choice, OutputFile& output) const {
    SYNCLINE_ASSIGN(auto input, InputFile::Open(options_.input));
    Progress progress(options_.progress ? ProgressMode::kOn : ProgressMode::kOff);
    progress.Begin("filter", input.size());
    FilterOutput lines(ByteSink(output), Recorded());
    const bool is_reverse = options_.reverse;
    FilterDelays delays(choice, is_reverse ? TimeDirection::kReverse : TimeDirection::kForward);
    const auto run = is_reverse ? FilterReverse : FilterText;
    return run(filter_, delays, std::move(lines), progress, std::move(input));
  }

  RecordedTimes Recorded() const {
    const bool is_part = filter_.start_ns || options_.reverse;
    return is_part ? RecordedTimes::kInComments : RecordedTimes::kReplaced;
  }

  FilterSummary Summarize(const FilterOutcome& outcome) const {
    FilterSummary summary;
    summary.messages =
        MessagesOf(outcome.figures.before(), outcome.figures.after(),
                   outcome.report.unmatched_sends, outcome.report.unmatched_receives);
    summary.intervals = SummarizeIntervals(outcome.figures.intervals(), outcome.traces);
    summary.logical =
        MakeProtocol(filter_.logical, outcome.report, outcome.figures, outcome.traces);
    summary.diagnostics = outcome.diagnostics;
    const auto count = [&](const char* name, uint64_t n) {
      if (n > 0) summary.diagnostics.Count(name, Severity::kWarning, n);
    };
    count("inverted-after-correction", summary.messages.inverted_after);
    count("too-fast-after-correction", summary.messages.too_fast_after);
    count("no-events", summary.logical.events == 0 ? 1 : 0);
    summary.timing.events = summary.logical.events;
    summary.timing.peak_bytes = PeakMemoryBytes();
    return summary;
  }

  const FilterOptions& options_;
  const TextFilterOptions& filter_;
};

// An archive goes through the clock as a whole.
Result<int> RunArchiveFilter(const FilterOptions& options, const TextFilterOptions& filter,
                             const std::string& command_line) {
  const LogicalOptions usual = FilterOptions().clock;
  const bool is_stream = options.online || options.reverse || options.start_ns ||
                         options.output == "-" || options.clock.order != usual.order ||
                         options.clock.max_horizon_ns != usual.max_horizon_ns;
  if (is_stream) {
    return Fail(ErrorCode::kUsage,
                "is an OTF2 archive: it needs a folder as OUT, and takes none of --online, "
                "--start, --reverse, --order and --horizon",
                options.input);
  }
  FilterArchiveRequest request{.input = options.input,
                               .output_folder = options.output,
                               .clock_per = options.clock_per,
                               .min_delay = options.min_delay,
                               .json = options.json,
                               .report = options.report,
                               .options = filter.logical,
                               .if_exists = options.if_exists()};
  request.options.max_horizon_ns = -1;
  if (options.write == "events") request.writing = Otf2Writing::kEvents;
  if (options.progress) request.progress = ProgressMode::kOn;
  SYNCLINE_ASSIGN(auto filtered, FilterArchive(request));
  FilterSummary& summary = filtered.summary;
  summary.command = command_line;
  const std::string json = FilterSummaryToJson(summary);
  SYNCLINE_ASSIGN(auto files, WriteSummaries(json, std::move(filtered.timeline), options));
  SYNCLINE_ASSIGN(auto file,
                  OutputFile::Create(options.output + "/syncline.json", request.if_exists));
  SYNCLINE_TRY(file.Write(json));
  files.push_back(std::move(file));
  for (OutputFile& one : files) filtered.written.files.push_back(std::move(one));
  SYNCLINE_TRY(CommitAll(filtered.written));
  SYNCLINE_TRY(PrintProtocol(summary, options));
  return summary.diagnostics.HasAtLeast(Severity::kWarning) ? kExitWeak : kExitDone;
}

}  // namespace

Result<int> RunFilter(const FilterOptions& options, const std::string& command_line) {
  SYNCLINE_ASSIGN(const auto filter, ParseFilterOptions(options));
  if (IsOtf2Anchor(options.input)) return RunArchiveFilter(options, filter, command_line);
  return FilterRun(options, filter).Run(command_line);
}

}  // namespace syncline
