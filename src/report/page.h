// The HTML report: one file that shows what a command found and, where given, the events behind it.
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

#include "report/chart.h"
#include "report/report_trace.h"
#include "report/time_series.h"

namespace syncline {

// A chart that a page shows: the same values as a file of SVG would have.
struct PageChart {
  enum class Kind { kCorridor, kBounds, kError };
  Kind kind = Kind::kBounds;
  std::string subject;  // the clock, or "a and b"
  Chart chart;
};
// "corridor", "bounds", "error".
std::string_view ChartKindName(PageChart::Kind kind);

struct PageInput {
  std::string path;
  std::string sha256;  // empty: not known
};

// Whose JSON a page shows.
enum class SummaryKind { kSync, kCompare, kFilter, kConcurrency };  // kSync: check's as well

struct Page {
  SummaryKind kind = SummaryKind::kSync;
  std::string summary_json;  // what the command writes with --json
  std::vector<PageInput> inputs;
  std::optional<ReportTrace> trace;         // sync
  std::optional<LogicalTimeline> timeline;  // sync, filter
  std::optional<RegionTimeline> regions;    // concurrency
  std::vector<PageChart> charts;            // compare
};

std::string PageToHtml(const Page& page);

// Whose JSON this is, by what every one of its kind has; none: another's.
std::optional<SummaryKind> KindOfSummary(std::string_view json);

// What docs/diagnostics.md says of this name; empty: nothing.
std::string DiagnosticMeaning(std::string_view name);

}  // namespace syncline
