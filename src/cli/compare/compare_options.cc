#include "cli/compare/compare_options.h"

#include <CLI/CLI.hpp>

#include "cli/report/report_command.h"

namespace syncline {

void DeclareCompareOptions(CLI::App& command, CompareOptions& o) {
  DeclareEstimateOptions(command, o.estimate);
  // --methods says both of the first; what the others ask for is not shown; --list needs no traces.
  for (const char* name : {"--group", "--method", "--confidence", "--bounds"}) {
    command.remove_option(command.get_option(name));
  }
  command.get_option("INPUT")->required(false);
  command
      .add_option("--methods", o.methods,
                  "The methods to compare, with commas between them: names that --list shows, or a "
                  "part of one for all that have it (tree-error, widest)")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_option("--truth", o.truth, "JSON file with the true clocks: compare true errors")
      ->type_name("FILE");
  command
      .add_option("--plots", o.plots,
                  "Write charts as SVG into this folder: the corridor of each pair, the bounds of "
                  "each clock over time, and with --truth the errors over time")
      ->type_name("FOLDER");
  DeclareReportOption(command, o.report,
                      "Also write a page with all figures and charts. One file, for any browser");
  command.add_flag("--list", o.list, "Show all methods and what they need; read nothing");
  command.get_option("--json")->description("Write the figures as JSON; - for standard output");
  FinishOptions(command);
}

}  // namespace syncline
