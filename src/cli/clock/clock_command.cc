#include "cli/clock/clock_command.h"

#include <csignal>

#include <CLI/CLI.hpp>

#include "base/temporaries.h"
#include "base/try.h"
#include "cli/common_options.h"
#include "cli/parsed_option.h"

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

void DeclareExchangeOptions(CLI::App& command, ExchangeOptions& o) {
  AddOption(command, "--key", o.key, "FILE",
            "Sign packets with the key in this file (16 bytes or more, the same at both "
            "ends), and ignore those that are not");
  AddChoice<StampWish, StampWish>(
      command, "--stamps", o.stamps,
      {{"kernel", StampWish::kKernel}, {"program", StampWish::kProgram}},
      "Who says when packets leave and arrive. kernel: the kernel, where it does, else "
      "the program; program: the program")
      ->default_str("kernel");
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
}

Result<PacketKey> KeyFrom(const std::string& file) {
  return file.empty() ? PacketKey() : PacketKey::FromFile(file);
}

Result<Endpoint> EndpointNamed(const std::string& text, uint16_t default_port) {
  SYNCLINE_ASSIGN(const HostAndPort place, ParseHostAndPort(text, default_port));
  return ResolveEndpoint(place);
}

}  // namespace syncline
