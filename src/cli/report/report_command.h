// HTML reports: of a run of sync with its events, of what other commands found, and of a summary
// alone.
//
// Tested by: report_command_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "pipeline/page/write_page.h"

namespace CLI {
class App;
}

namespace syncline {

struct ReportOptions {
  std::string summary;
  std::string output;
  bool force = false;
};

void DeclareReportOption(CLI::App& command, std::string& report, const char* help);
// --report and --report-window.
void DeclareReportOptions(CLI::App& command, std::string& report, std::string& window);
void DeclareReportCommand(CLI::App& command, ReportOptions& options);

// syncline report. Errors: kMalformed for a file that is no summary.
Result<int> RunReport(const ReportOptions& options);

}  // namespace syncline
