// The HTML report: one file that shows a summary and, where given, the events behind it.
//
// The page's program and style are a template made from web/ and embedded in this one; data goes
// into it as JSON and base64 (docs/formats/report.md), so that no name from a trace is ever markup.
// Cost: about 10 bytes of page per event. Tested by: page_test.cc, and in a browser by web/test.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/diagnostics.h"

#include "report/report_trace.h"

namespace syncline {

struct PageInput {
  std::string path;
  std::string sha256;  // empty: not known
};

struct Page {
  std::string summary_json;  // what SummaryToJson gives, or the file it was written to
  std::vector<PageInput> inputs;
  std::optional<ReportTrace> trace;
};

std::string PageToHtml(const Page& page);

// Whether this is JSON with what every summary of sync and check has.
bool IsSummary(std::string_view json);

// What docs/diagnostics.md says of this name; empty: nothing.
std::string DiagnosticMeaning(std::string_view name);

}  // namespace syncline
