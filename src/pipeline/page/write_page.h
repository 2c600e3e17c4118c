// HTML pages: of a run with its events, and of what other commands found.
//
// Tested by: report_command_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "pipeline/page/report_trace.h"
#include "report/page.h"
#include "report/summary.h"
#include "report/time_series.h"
#include "trace/inputs.h"

namespace syncline {

struct PageFile {
  std::string path;
  IfExists if_exists = IfExists::kFail;
};

// What a report of a run shows besides its summary.
struct ReportContent {
  std::optional<ReportWindow> window;
  std::optional<LogicalTimeline> timeline;
};

// Both write, but leave it to the caller to commit. The first adds the inputs' digests to the page;
// standard input and what is no regular file has none.
Result<OutputFile> CreatePage(const PageFile& file, std::span<const Input> inputs, Page page);
Result<OutputFile> WriteReport(const PageFile& file, ReportContent content,
                               const LoadedTraces& loaded, const Solution& solution,
                               const Retiming& retiming, const Summary& summary);

}  // namespace syncline
