// syncline: parses the command line and runs one subcommand.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/temporaries.h"
#include "cli/clock/clock_command.h"
#include "cli/commands.h"
#include "cli/compare/compare_command.h"
#include "cli/concurrency/concurrency_command.h"
#include "cli/convert/convert_command.h"
#include "cli/filter/filter_command.h"
#include "cli/report/report_command.h"
#include "cli/simulate/simulate_command.h"

// libotf2 3.0.2 leaks what it had allocated where opening an archive fails; a leak checker would
// blame this program.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2";
}

namespace syncline {
namespace {

constexpr const char* kAbout =
    "Syncline puts traces of machines whose clocks do not agree onto one time,\n"
    "with guaranteed bounds, from the messages they exchanged.";

constexpr const char* kExitCodes =
    "Exit codes: 0 done, all guarantees hold; 1 wrong usage; 2 input unreadable; 3 done, with a\n"
    "stated weakness (quality below accurate, data lost in the input, unrelated clocks);\n"
    "4 no correction possible.";

std::string CommandLine(std::span<char*> arguments) {
  std::string line = "syncline";
  for (const char* argument : arguments.subspan(1)) line += std::string(" ") + argument;
  return line;
}

// An option given as '' would be taken for one that was not given.
void RefuseEmptyValues(CLI::App& app) {
  const auto needs_some = [](const std::string& value) {
    return value.empty() ? std::string("needs a value") : std::string();
  };
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(needs_some);
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    RefuseEmptyValues(*command);
  }
}

// A file that is opened while standard output is closed would get its number, and the text.
void OpenStandardStreams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", O_RDWR) != descriptor) std::_Exit(kExitUnreadable);
  }
}

// The exit code, or another one where what was printed could not be written.
int FinishStandardOutput(int exit_code) {
  errno = 0;
  const bool is_written =
      std::cout.flush().good() & (std::fflush(stdout) == 0) & (std::ferror(stdout) == 0);
  // What failed before has said so.
  if (is_written || exit_code == kExitUsage || exit_code == kExitUnreadable) return exit_code;
  std::fprintf(stderr, "syncline: standard output: %s\n",
               errno != 0 ? std::strerror(errno) : "cannot be written");
  return kExitUnreadable;
}

int Report(const Result<int>& result) {
  if (result) return *result;
  fmt::print(stderr, "syncline: {}\n", result.error().ToString());
  return ExitCodeOf(result.error());
}

int Run(std::span<char*> arguments) {
  CLI::App app(kAbout, "syncline");
  app.footer(kExitCodes);
  app.set_version_flag("--version", "syncline " SYNCLINE_VERSION);
  app.require_subcommand(1);

  SyncOptions sync;
  CLI::App* sync_command =
      app.add_subcommand("sync", "Correct the clocks of traces and write the traces back");
  DeclareSyncOptions(*sync_command, sync);
  EstimateOptions check;
  CLI::App* check_command = app.add_subcommand(
      "check", "Show inversions, clocks, bounds and delays of traces; change nothing");
  DeclareCheckOptions(*check_command, check);
  CompareOptions compare;
  CLI::App* compare_command = app.add_subcommand(
      "compare", "Show what every method makes of traces, side by side; change nothing");
  DeclareCompareOptions(*compare_command, compare);
  SimulateOptions simulate;
  CLI::App* simulate_command =
      app.add_subcommand("simulate", "Write traces of processes whose true clocks are known");
  DeclareSimulateOptions(*simulate_command, simulate);
  FilterOptions filter;
  CLI::App* filter_command = app.add_subcommand(
      "filter", "Run the controlled logical clock over a trace, as a stream in bounded memory");
  DeclareFilterOptions(*filter_command, filter);
  ConcurrencyCommandOptions concurrency;
  CLI::App* concurrency_command = app.add_subcommand(
      "concurrency", "Measure how concurrent a computation was, and where it lost time waiting");
  DeclareConcurrencyOptions(*concurrency_command, concurrency);
  ConvertOptions convert;
  CLI::App* convert_command = app.add_subcommand(
      "convert",
      "Write traces for other tools: Chrome JSON, Perfetto, ShiViz, tables, text, OTF2, CTF");
  DeclareConvertOptions(*convert_command, convert);
  ReportOptions report;
  CLI::App* report_command = app.add_subcommand(
      "report", "Make an HTML report of a summary that sync or check has written");
  DeclareReportCommand(*report_command, report);
  ClockOptions clock;
  CLI::App* clock_command =
      app.add_subcommand("clock", "Clocks of running machines: clock calibrate, serve, probe");
  DeclareClockCommands(*clock_command, clock);
  for (CLI::App* command : {sync_command, check_command, compare_command, convert_command}) {
    command->footer(kExitCodes);
  }

  RefuseEmptyValues(app);

  try {
    std::vector<std::string> words = WithConfigFile({arguments.begin() + 1, arguments.end()});
    std::reverse(words.begin(), words.end());  // the parser takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitUsage;
  }
  // The others wait for signals themselves, or write nothing that takes long.
  for (const CLI::App* command :
       {sync_command, simulate_command, filter_command, convert_command}) {
    if (command->parsed()) RemoveTemporariesOnSignals();
  }
  if (simulate_command->parsed()) return Report(RunSimulate(simulate));
  if (report_command->parsed()) return Report(RunReport(report));
  if (clock_command->parsed()) return Report(RunClock(*clock_command, clock));
  const std::string command_line = CommandLine(arguments);
  if (compare_command->parsed()) return Report(RunCompare(compare, command_line));
  if (convert_command->parsed()) return Report(RunConvert(convert, command_line));
  if (filter_command->parsed()) return Report(RunFilter(filter, command_line));
  if (concurrency_command->parsed()) return Report(RunConcurrency(concurrency, command_line));
  return Report(sync_command->parsed() ? RunSync(sync, command_line)
                                       : RunCheck(check, command_line));
}

}  // namespace

int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUsage:
      return kExitUsage;
    case ErrorCode::kUnreadable:
    case ErrorCode::kMalformed:
    case ErrorCode::kUnsupported:
      return kExitUnreadable;
    case ErrorCode::kCancelled:  // nothing of the program cancels
      return kExitUnreadable;
    case ErrorCode::kNoCorrection:
      return kExitNoCorrection;
  }
  return kExitUnreadable;
}

}  // namespace syncline

int main(int argc, char** argv) {
  syncline::OpenStandardStreams();
  // A file that may not grow any more is an error to be said, as that of a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return syncline::FinishStandardOutput(syncline::Run({argv, static_cast<size_t>(argc)}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "syncline: internal error: %s\n", error.what());
    return syncline::kExitUnreadable;
  }
}
