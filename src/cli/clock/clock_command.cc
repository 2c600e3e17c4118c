#include "cli/clock/clock_command.h"

namespace syncline {

void DeclareClockCommands(CLI::App& clock, ClockOptions& options) {
  clock.require_subcommand(1);
  DeclareCalibrateOptions(
      *clock.add_subcommand("calibrate",
                            "Measure this machine's counter and clocks: cost, resolution, "
                            "frequency with its bound, equality of cores"),
      options.calibrate);
}

Result<int> RunClock(const CLI::App& clock, const ClockOptions& options) {
  if (clock.got_subcommand("calibrate")) return RunCalibrate(options.calibrate);
  return Fail(ErrorCode::kUsage, "clock: no such command");
}

}  // namespace syncline
