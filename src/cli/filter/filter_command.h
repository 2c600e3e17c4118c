// syncline filter: the streaming controlled logical clock on a text trace.
#pragma once

#include <string>

#include "syncline/result.h"

#include "cli/logical_options.h"
#include "cli/optional_output.h"
#include "pipeline/filter/filter_text.h"

namespace CLI {
class App;
}

namespace syncline {

// syncline filter: what its command line asks for, and how it is declared to the parser.

// Values as they stand on the command line; empty: not given.
struct FilterOptions : OutputOptions {
  std::string input = "-";
  std::string output = "-";
  std::string min_delay = "1";
  std::string logical = "controlled";
  // But for its kind, and how long it waits.
  LogicalOptions clock = {.order = OutputOrder::kGlobal};
  std::optional<int64_t> max_wait_ns;  // else a second
  std::string clock_per = "process";   // OTF2
  std::string write;                   // OTF2; empty: metadata
  std::optional<int64_t> start_ns;
  std::string report;  // path; empty for none
  bool online = false;
  bool reverse = false;
  bool verbose = false;
  bool progress = false;
};

void DeclareFilterOptions(CLI::App& command, FilterOptions& options);

// Errors: kUsage with the option that is wrong, or that does not go with another.
Result<TextFilterOptions> ParseFilterOptions(const FilterOptions& options);

// Prints the protocol and returns the exit code. `command_line` is what the JSON records.
Result<int> RunFilter(const FilterOptions& options, const std::string& command_line);

}  // namespace syncline
