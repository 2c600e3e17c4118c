// What `compare` is asked for, and how it is declared to the parser.
#pragma once

#include <string>

#include "cli/options.h"

namespace CLI {
class App;
}

namespace syncline {

struct CompareOptions {
  EstimateOptions estimate;  // without its group and method
  std::string methods = "all";
  std::string truth;
  std::string plots;   // a folder; empty: none
  std::string report;  // a page; empty: none
  bool list = false;
};

void DeclareCompareOptions(CLI::App& command, CompareOptions& options);

}  // namespace syncline
