#include "cli/clock/clock_command.h"

#include <csignal>

#include <CLI/CLI.hpp>

#include "base/temporaries.h"

namespace syncline {

void DeclareClockCommands(CLI::App& clock, ClockOptions& options) {
  clock.require_subcommand(1);
  DeclareCalibrateOptions(
      *clock.add_subcommand("calibrate",
                            "Measure this machine's counter and clocks: cost, resolution, "
                            "frequency with its bound, equality of cores"),
      options.calibrate);
  DeclareServeOptions(
      *clock.add_subcommand("serve", "Answer other machines that ask for this one's time"),
      options.serve);
  DeclareProbeOptions(
      *clock.add_subcommand(
          "probe", "Find the offset and drift of other machines' clocks, with guaranteed bounds"),
      options.probe);
  DeclareCharacterizeOptions(
      *clock.add_subcommand("characterize",
                            "Measure a clock over time: offset, drift, jitter, Allan deviation, "
                            "and what measuring costs"),
      options.characterize);
}

Result<int> RunClock(const CLI::App& clock, const ClockOptions& options) {
  if (clock.got_subcommand("serve") || clock.got_subcommand("probe")) {
    RemoveTemporariesOnSignals({SIGHUP});
  } else {
    RemoveTemporariesOnSignals();
  }
  if (clock.got_subcommand("calibrate")) return RunCalibrate(options.calibrate);
  if (clock.got_subcommand("serve")) return RunServe(options.serve);
  if (clock.got_subcommand("probe")) return RunProbe(options.probe);
  if (clock.got_subcommand("characterize")) return RunCharacterize(options.characterize);
  return Fail(ErrorCode::kUsage, "clock: no such command");
}

}  // namespace syncline
