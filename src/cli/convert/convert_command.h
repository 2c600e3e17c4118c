// syncline convert: writes traces for other tools, with corrected or recorded times.
//
// Tested by: convert_command_test.cc, convert_folder_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "cli/logical_options.h"
#include "cli/options.h"

namespace CLI {
class App;
}

namespace syncline {

struct ConvertOptions {
  EstimateOptions estimate;
  std::string to;  // the name of a target
  std::string output;
  std::string messages;         // csv: path of the table of messages; empty: none
  bool quote_formulas = false;  // csv
  std::string summary;          // whose corrections are applied; empty: estimated
  bool recorded = false;
  std::string logical = "controlled";
  LogicalOptions clock;
};

void DeclareConvertOptions(CLI::App& command, ConvertOptions& options);

// Exit codes as of sync. Errors: kUsage for options that contradict each other, and for clocks that
// the summary does not have.
Result<int> RunConvert(const ConvertOptions& options, const std::string& command_line);

}  // namespace syncline
