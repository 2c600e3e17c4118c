#include "cli/report/report_command.h"

#include <utility>

#include <CLI/CLI.hpp>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "pipeline/write/outputs.h"
#include "report/page.h"
#include "report/summary.h"

namespace syncline {

void DeclareReportOption(CLI::App& command, std::string& report, const char* help) {
  AddOption(command, "--report", report, "FILE.html", help)->check([](const std::string& file) {
    return file == "-" ? "needs a file, not standard output" : std::string();
  });
}

void DeclareReportOptions(CLI::App& command, std::string& report, std::string& window) {
  DeclareReportOption(
      command, report,
      "Also write a page that shows what was found and changed: clocks, bounds, delays, "
      "and every event and message before and after. One file, for any browser");
  AddOption(command, "--report-window", window, "FROM..TO",
            "The events that the report shows: those of this time, in seconds since the first "
            "event (default: all; where they are too many, as many around the middle as it takes)");
}

void DeclareReportCommand(CLI::App& command, ReportOptions& o) {
  AddOption(command, "SUMMARY", o.summary,
            "What sync wrote as syncline.json, or any command with --json")
      ->required();
  AddOption(command, "-o,--output", o.output, "FILE.html", "The page")->required();
  command.add_flag("--force,-f", o.force, "Replace an existing page");
  FinishOptions(command);
}

Result<int> RunReport(const ReportOptions& options) {
  SYNCLINE_ASSIGN(auto summary, ReadWholeFile(options.summary));
  const auto kind = KindOfSummary(summary);
  if (!kind) {
    return Fail(ErrorCode::kMalformed,
                "is no summary as sync, check, compare, filter and concurrency write it",
                options.summary);
  }
  const IfExists if_exists = options.force ? IfExists::kReplace : IfExists::kFail;
  SYNCLINE_TRY(PlanOutputs(
      {}, {.report = options.output, .also_read = {options.summary}, .if_exists = if_exists}));
  SYNCLINE_ASSIGN(auto file, CreatePage({options.output, if_exists}, {},
                                        {.kind = *kind, .summary_json = std::move(summary)}));
  SYNCLINE_TRY(file.Commit());
  return kExitDone;
}

}  // namespace syncline
