// What the command line asks for, as plain values, and how it is declared to the parser.
#pragma once

#include <string>
#include <vector>

#include "cli/logical_options.h"
#include "cli/optional_output.h"

namespace CLI {
class App;
}

namespace syncline {

// A --group of earlier versions, which is refused with the name of its successor.
inline constexpr const char* kFormerGroup = "joint-piecewise";

// How clocks are estimated; shared by all commands that do so. What only some groups use is empty
// where it was not given, so that it can be refused with the others.
struct EstimateOptions : OutputOptions {
  std::vector<std::string> inputs;
  std::string group;   // empty: drift-bounded, or tree-error where a method is given
  std::string method;  // empty: widest
  std::string max_drift_ppm = "200";
  std::string max_slew_ppm;    // empty: 1000, or max_drift_ppm where that is more
  std::string max_wander_ppm;  // empty: inf
  std::string assume;          // empty: bounded-drift
  std::string min_delay = "0";
  std::string max_suspects;  // empty: 0.005
  std::string confidence;    // empty: 0.95
  size_t bounds = 0;         // points per clock in the summary
  std::string window;        // of earlier versions; anything but empty is refused
  std::string reference;
  std::string clock_per;
  std::string clock_by;            // attribute of spans; empty: the usual ones
  std::vector<std::string> match;  // rules, as given
  std::vector<std::string> rules;  // files of rules
  bool verbose = false;
  bool accepts_weakness = false;
  bool progress = false;
};

struct SyncOptions {
  EstimateOptions estimate;
  std::string output_folder;
  std::string logical = "controlled";
  LogicalOptions clock;
  std::string write;  // empty: metadata for OTF2 and CTF, else events
  std::string truth;
  std::string merge;
  std::string add_field;      // of logs; empty: their times are replaced
  std::string report;         // path; empty for none
  std::string report_window;  // FROM..TO in seconds; empty: everything
};

// To be called once all options of a command are declared.
void FinishOptions(CLI::App& command);
// What estimation assumes of clocks and messages, of every command that needs it: of
// EstimateOptions group to confidence, window and reference.
void DeclareClockOptions(CLI::App& command, EstimateOptions& options);
void DeclareEstimateOptions(CLI::App& command, EstimateOptions& options);
void DeclareSyncOptions(CLI::App& command, SyncOptions& options);
void DeclareCheckOptions(CLI::App& command, EstimateOptions& options);

}  // namespace syncline
