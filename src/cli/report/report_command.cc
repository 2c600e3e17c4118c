#include "cli/report/report_command.h"

#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "cli/commands.h"
#include "report/page.h"
#include "report/summary_json.h"

namespace syncline {

void DeclareReportOptions(CLI::App& command, std::string& report, std::string& window) {
  command
      .add_option(
          "--report", report,
          "Also write a page that shows what was found and changed: clocks, bounds, delays, "
          "and every event and message before and after. One file, for any browser")
      ->type_name("FILE.html");
  command
      .add_option("--report-window", window,
                  "The events that the report shows: those of this time, in seconds since the "
                  "first event (default: all; where they are too many, as many around the middle "
                  "as it takes)")
      ->type_name("FROM..TO");
}

void DeclareReportCommand(CLI::App& command, ReportOptions& o) {
  command.add_option("SUMMARY", o.summary, "What sync wrote as syncline.json, or --json")
      ->required();
  command.add_option("-o,--output", o.output, "The page")->required()->type_name("FILE.html");
  command.add_flag("--force,-f", o.force, "Replace an existing page");
  FinishOptions(command);
}

Result<OutputFile> WriteReport(const ReportRequest& request, const LoadedTraces& loaded,
                               const Solution& solution, const Retiming& retiming,
                               const Summary& summary) {
  Page page{.summary_json = SummaryToJson(summary)};
  for (const LoadedInput& input : loaded.inputs) {
    const bool is_folder = input.input.format == Format::kCtf;
    auto digest = is_folder ? Sha256OfFolder(input.input.path) : Sha256OfFile(input.input.path);
    if (!digest) return tl::unexpected(digest.error());
    page.inputs.push_back({input.input.path, std::move(*digest)});
  }
  auto trace = MakeReportTrace(loaded, solution, retiming, request.window, {});
  if (!trace) return tl::unexpected(trace.error());
  page.trace = std::move(*trace);
  auto file = OutputFile::Create(request.path, request.if_exists);
  if (!file) return tl::unexpected(file.error());
  if (auto done = file->Write(PageToHtml(page)); !done) return tl::unexpected(done.error());
  return file;
}

Result<int> RunReport(const ReportOptions& options) {
  auto summary = ReadWholeFile(options.summary);
  if (!summary) return tl::unexpected(summary.error());
  if (!IsSummary(*summary)) {
    return Fail(ErrorCode::kMalformed, "is no summary as sync and check write it", options.summary);
  }
  auto file =
      OutputFile::Create(options.output, options.force ? IfExists::kReplace : IfExists::kFail);
  if (!file) return tl::unexpected(file.error());
  auto done = file->Write(PageToHtml({.summary_json = std::move(*summary)}));
  if (done) done = file->Commit();
  if (!done) return tl::unexpected(done.error());
  return kExitDone;
}

}  // namespace syncline
