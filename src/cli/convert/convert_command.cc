#include "cli/convert/convert_command.h"

#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/compression.h"
#include "base/memory.h"
#include "base/output_folder.h"
#include "base/replace_together.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/convert/convert_targets.h"
#include "cli/finish.h"
#include "cli/preparation.h"
#include "cli/solve_options.h"
#include "pipeline/convert/bundle_files.h"
#include "pipeline/convert/convert_events.h"
#include "pipeline/convert/convert_times.h"
#include "pipeline/convert/text_comments.h"
#include "pipeline/summary/summarize.h"
#include "pipeline/write/outputs.h"
#include "report/summary.h"
#include "report/table.h"
#include "report/text_parts.h"
#include "write/csv/csv_writer.h"

namespace syncline {
namespace {

// Beyond this, a page that draws every event becomes slow.
constexpr uint64_t kShivizEvents = 100'000;

class ConvertRun {
 public:
  ConvertRun(const ConvertOptions& options, std::string command_line)
      : options_(options),
        target_(*FindConvertTarget(options.to)),
        command_line_(std::move(command_line)),
        progress_(options.estimate.progress ? ProgressMode::kOn : ProgressMode::kOff) {}

  Result<int> Run() {
    SYNCLINE_TRY(Prepare());
    SYNCLINE_ASSIGN(auto loaded, LoadTraces(inputs_, progress_));
    Diagnostics found;
    SYNCLINE_ASSIGN(auto times, FindTimes(loaded, found));
    SYNCLINE_ASSIGN(auto trace, MakeExportedTrace(loaded, times, target_.messages));
    if (options_.to == "text") {
      SYNCLINE_ASSIGN(trace.comments, ReadTextComments(loaded));
    }
    SYNCLINE_TRY(loaded.states.CheckUnchanged());
    CountBeyond(times, trace, found);
    CountNotSaid(loaded, found);
    SYNCLINE_TRY(Write(trace, loaded, found));
    return Finish(trace, loaded, found);
  }

 private:
  bool IsFolder() const { return target_.write_folder != nullptr; }
  bool IsBundle() const { return target_.write == nullptr && !IsFolder(); }
  bool IsEstimated() const { return !options_.recorded && options_.summary.empty(); }

  Result<void> Prepare() {
    SYNCLINE_TRY(CheckOptions());
    SYNCLINE_ASSIGN(const auto logical, WithClock(options_.logical, options_.clock));
    // A constant offset moves no single event.
    if (!IsBundle()) logical_ = logical;
    SYNCLINE_ASSIGN(solve_, ParseSolveOptions(options_.estimate));
    solve_.for_json = !options_.estimate.json.empty();
    SYNCLINE_ASSIGN(auto inputs, RequestedInputs(options_.estimate));
    inputs_ = std::move(inputs);
    inputs_.needs_messages = IsEstimated();
    SYNCLINE_TRY(RefuseStandardInput(inputs_.inputs, "convert reads its inputs"));
    std::vector<std::string> also_read = FilesRead(options_.estimate);
    also_read.push_back(options_.summary);
    auto plan = PlanOutputs(inputs_.inputs, {.merged = options_.messages,
                                             .json = options_.estimate.json,
                                             .report = IsFolder() ? "" : options_.output,
                                             .whole_folder = IsFolder() ? options_.output : "",
                                             .also_read = std::move(also_read),
                                             .if_exists = options_.estimate.if_exists()});
    return plan ? Result<void>() : tl::unexpected(plan.error());
  }

  Result<void> CheckOptions() const {
    if (!options_.messages.empty() && options_.to != "csv") {
      return Fail(ErrorCode::kUsage, "--messages goes with --to csv alone");
    }
    if (options_.quote_formulas && options_.to != "csv") {
      return Fail(ErrorCode::kUsage, "--quote-formulas goes with --to csv alone");
    }
    if (IsFolder() && options_.output == "-") {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--to {} needs a folder, not standard output", options_.to));
    }
    if (IsFolder() && CompressionOfName(options_.output) != Compression::kNone) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--to {} writes a folder, which is not compressed", options_.to),
                  options_.output);
    }
    if (options_.messages == "-") {
      return Fail(ErrorCode::kUsage, "--messages needs a file, not standard output");
    }
    if (!options_.estimate.json.empty() && !IsEstimated()) {
      return Fail(ErrorCode::kUsage,
                  "--json writes what estimation finds; --recorded and --summary estimate nothing");
    }
    if (options_.output == "-" && options_.estimate.json == "-") {
      return Fail(ErrorCode::kUsage, "-o and --json cannot both be standard output");
    }
    return {};
  }

  Result<ConvertTimes> FindTimes(LoadedTraces& loaded, Diagnostics& found) {
    if (options_.recorded) return RecordedTimes(loaded);
    if (!options_.summary.empty()) return SummarizedTimes(options_.summary, loaded, found);
    auto estimated = EstimateTimes(loaded, solve_, logical_, progress_);
    if (!estimated) {
      Error error = estimated.error();
      if (error.code == ErrorCode::kNoCorrection) {
        error.message += " (--recorded converts without correction)";
      }
      return tl::unexpected(error);
    }
    summary_ = std::move(estimated->summary);
    return std::move(estimated->times);
  }

  Result<void> Write(ExportedTrace& trace, const LoadedTraces& loaded, Diagnostics& found) {
    progress_.Begin("writing", 0);
    if (options_.to == "shiviz") {
      NoteSize(trace, found);
      TakeOutCycles(trace, found);
    }
    if (options_.quote_formulas) QuoteFormulas(trace);
    if (trace.messages.empty()) found.Count("no-messages", Severity::kInfo);
    if (IsFolder()) return WriteFolder(trace, found);
    if (IsBundle()) {
      SYNCLINE_ASSIGN(const FileBundle bundle, BundleFiles(loaded, trace));
      SYNCLINE_TRY(WriteFile(options_.output, [&](ByteSink output) {
        return WritePerfettoBundle(bundle.files, bundle.reference, std::move(output));
      }));
      return CommitTogether(files_);
    }
    const auto write_by = [&](auto write) {
      return [&trace, write](ByteSink output) { return write(trace, std::move(output)); };
    };
    SYNCLINE_TRY(WriteFile(options_.output, write_by(target_.write)));
    if (options_.messages.empty()) return CommitTogether(files_);
    SYNCLINE_TRY(WriteFile(options_.messages, write_by(WriteCsvMessages)));
    return CommitTogether(files_);
  }

  // What a reader of the output will not know.
  void CountNotSaid(const LoadedTraces& loaded, Diagnostics& found) const {
    if (target_.messages == ExportedMessages::kReadBack) {
      const MessageStore& likely = loaded.likely_messages;
      const uint64_t left_out = likely.messages() - likely.set_aside().size();
      if (left_out > 0) found.Count("likely-messages-left-out", Severity::kInfo, left_out);
    }
    if (!IsFolder()) return;
    // These count nanoseconds, and cannot say that a reading may be late.
    for (const Clock& clock : loaded.traces.clocks) {
      if (clock.reading_ns == 0) continue;
      found.Count("resolution-left-out", Severity::kInfo, 1,
                  fmt::format("clock {}: up to {}", clock.name, FormatDuration(clock.reading_ns)));
    }
  }

  static void NoteSize(const ExportedTrace& trace, Diagnostics& found) {
    uint64_t events = 0;
    for (const ExportedProcess& process : trace.processes) events += process.events.size();
    if (events <= kShivizEvents) return;
    found.Count("shiviz-large", Severity::kInfo, events,
                fmt::format("more than {} events", kShivizEvents));
  }

  Result<void> WriteFolder(const ExportedTrace& trace, Diagnostics& found) {
    SYNCLINE_ASSIGN(auto folder,
                    OutputFolder::Create(options_.output, options_.estimate.if_exists()));
    auto findings = target_.write_folder(trace, folder.place());
    if (!findings) {
      Error error = findings.error();
      if (error.file.starts_with(folder.place())) error.file = options_.output;
      return tl::unexpected(error);
    }
    CountFindings(*findings, options_.to, found);
    return folder.Commit();
  }

  template <typename Write>
  Result<void> WriteFile(const std::string& path, const Write& write) {
    SYNCLINE_ASSIGN(auto file, CreateAsNamed(path, options_.estimate.if_exists()));
    SYNCLINE_TRY(write(ByteSink(file)));
    SYNCLINE_TRY(file.Close());
    files_.push_back(std::move(file));
    return {};
  }

  Result<int> Finish(const ExportedTrace& trace, const LoadedTraces& loaded,
                     const Diagnostics& found) {
    if (!summary_) return FinishPlain(trace, loaded, found);
    Summary& summary = *summary_;
    summary.diagnostics.Merge(found);
    summary.corrected = true;
    summary.command = command_line_;
    summary.timing.read_s = loaded.read_s;
    summary.timing.match_s = loaded.match_s;
    if (IsFolder()) summary.outputs.push_back(options_.output);
    for (const OutputFile& file : files_) summary.outputs.push_back(file.path());
    summary.timing.peak_bytes = PeakMemoryBytes();
    const std::string& json = options_.estimate.json;
    if (!json.empty()) SYNCLINE_TRY(WriteJson(summary, json, options_.estimate.if_exists()));
    EstimateOptions print = options_.estimate;
    if (options_.output == "-") print.json = "-";  // the text goes to standard error
    SYNCLINE_TRY(Print(summary, print));
    return Accepted(ExitCodeOf(summary), options_.estimate);
  }

  // Without an estimation there is no summary, but findings all the same.
  Result<int> FinishPlain(const ExportedTrace& trace, const LoadedTraces& loaded,
                          const Diagnostics& found) const {
    Diagnostics all = loaded.diagnostics;
    all.Merge(found);
    uint64_t events = 0;
    for (const ExportedProcess& process : trace.processes) events += process.events.size();
    std::string text = fmt::format("{} events of {} processes and {} messages, with {}.\n", events,
                                   trace.processes.size(), trace.messages.size(),
                                   options_.recorded ? "times as recorded" : "times corrected");
    text += DiagnosticsText(all);
    if (!options_.estimate.quiet) {
      SYNCLINE_TRY(PrintText(text, options_.output == "-" ? stderr : stdout));
    }
    return Accepted(all.HasAtLeast(Severity::kWarning) ? kExitWeak : kExitDone, options_.estimate);
  }

  const ConvertOptions& options_;
  const ConvertTarget& target_;
  std::string command_line_;
  Progress progress_;
  SolveOptions solve_;
  std::optional<LogicalOptions> logical_;
  ResolvedInputs inputs_;
  std::optional<Summary> summary_;
  std::vector<OutputFile> files_;
};

}  // namespace

Result<int> RunConvert(const ConvertOptions& options, const std::string& command_line) {
  return ConvertRun(options, command_line).Run();
}

}  // namespace syncline
