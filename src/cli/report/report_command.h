// HTML reports: of a run of sync with its events, and of a summary alone.
//
// Tested by: report_command_test.cc.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "syncline/result.h"

#include "base/file.h"
#include "cli/report/report_trace.h"
#include "report/summary.h"

namespace syncline {

struct ReportOptions {
  std::string summary;
  std::string output;
  bool force = false;
};

struct ReportRequest {
  std::string path;
  std::optional<ReportWindow> window;
  IfExists if_exists = IfExists::kFail;
};

// --report and --report-window.
void DeclareReportOptions(CLI::App& command, std::string& report, std::string& window);
void DeclareReportCommand(CLI::App& command, ReportOptions& options);

// Written, but still to be committed.
Result<OutputFile> WriteReport(const ReportRequest& request, const LoadedTraces& loaded,
                               const Solution& solution, const Retiming& retiming,
                               const Summary& summary);

// syncline report. Errors: kMalformed for a file that is no summary.
Result<int> RunReport(const ReportOptions& options);

}  // namespace syncline
