// syncline compare: every method on one trace set, side by side; changes nothing.
//
// Prints its results and returns the exit code that `sync` would give with the best of the methods:
// 0 one holds all guarantees · 3 each has a stated weakness · 4 none finds a correction.
#pragma once

#include <string>

#include "syncline/result.h"

#include "cli/options.h"

namespace CLI {
class App;
}

namespace syncline {

// What `compare` is asked for, and how it is declared to the parser.
struct CompareOptions {
  EstimateOptions estimate;  // without its group and method
  std::string methods = "all";
  std::string truth;
  std::string plots;   // a folder; empty: none
  std::string report;  // a page; empty: none
  bool list = false;
};

void DeclareCompareOptions(CLI::App& command, CompareOptions& options);

// `command_line` is what the JSON records.
Result<int> RunCompare(const CompareOptions& options, const std::string& command_line);

}  // namespace syncline
