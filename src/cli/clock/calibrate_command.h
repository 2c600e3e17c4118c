// syncline clock calibrate: what its command line asks for, and running it.
//
// Tested by: clock_command_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

namespace CLI {
class App;
}

namespace syncline {

// Values as they stand on the command line; empty: not given.
struct CalibrateOptions {
  std::string time = "1";
  std::string bound_ppm = "1";
  std::string reference = "monotonic-raw";
  std::string counter = "auto";
  std::string json;
  std::string config;
  bool quiet = false;
  bool force = false;
};

void DeclareCalibrateOptions(CLI::App& command, CalibrateOptions& options);

// Prints the tables and returns the exit code: 0; 3 where the counter is not steady, cores differ,
// or the wanted bound was not reached.
Result<int> RunCalibrate(const CalibrateOptions& options);

}  // namespace syncline
