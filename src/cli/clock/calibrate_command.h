// syncline clock calibrate: what its command line asks for, running it, and what it says.
//
// Tested by: clock_command_test.cc, calibration_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "cli/optional_output.h"
#include "record/counter/machine_calibration.h"

namespace CLI {
class App;
}

namespace syncline {

struct CalibrateOptions : OutputOptions {
  CalibrationPlan plan;
  double bound_ppm = 1;
};

void DeclareCalibrateOptions(CLI::App& command, CalibrateOptions& options);

// Prints the tables and returns the exit code: 0; 3 where the counter is not steady, cores differ,
// or the wanted bound was not reached.
Result<int> RunCalibrate(const CalibrateOptions& options);

std::string CalibrationText(const MachineCalibration& calibration);
std::string CalibrationJson(const MachineCalibration& calibration);

}  // namespace syncline
