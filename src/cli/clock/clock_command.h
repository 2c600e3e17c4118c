// syncline clock: what has to do with the clocks of running machines. Each of its commands declares
// itself here and has its own sources in this room.
//
// Tested by: clock_command_test.cc, probe_command_test.cc.
#pragma once

#include "syncline/result.h"

#include "cli/clock/calibrate_command.h"
#include "cli/clock/characterize_command.h"
#include "cli/clock/probe_command.h"
#include "cli/clock/serve_command.h"

namespace CLI {
class App;
}

namespace syncline {

struct ClockOptions {
  CalibrateOptions calibrate;
  ServeOptions serve;
  ProbeOptions probe;
  CharacterizeOptions characterize;
};

// Declares the commands below `clock`, one of which is required.
void DeclareClockCommands(CLI::App& clock, ClockOptions& options);

// Runs the one that was parsed.
Result<int> RunClock(const CLI::App& clock, const ClockOptions& options);

}  // namespace syncline
