#include "cli/program.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/refusal.h"
#include "base/terminal_text.h"
#include "cli/command_set.h"
#include "cli/commands.h"
#include "cli/config_file.h"

// libotf2 3.0.2 leaks what it had allocated where opening an archive fails; a leak checker would
// blame this program.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2";
}

namespace syncline {
namespace {

std::string CommandLine(std::span<char*> arguments) {
  std::string line = "syncline";
  for (const char* argument : arguments.subspan(1)) line += std::string(" ") + argument;
  return line;
}

// A file that is opened while standard output is closed would get its number, and the text. Reports
// go nowhere then; results that are to go there, by the descriptor, cannot be written.
void OpenStandardStreams() {
  bool has_output = true;
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    const bool is_output = descriptor == STDOUT_FILENO;
    if (is_output) has_output = false;
    if (::open("/dev/null", is_output ? O_RDONLY : O_RDWR) != descriptor) {
      std::_Exit(kExitUnreadable);
    }
  }
  if (has_output) return;
  stdout = std::fopen("/dev/null", "we");  // glibc lets it be set
  if (stdout == nullptr) std::_Exit(kExitUnreadable);
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
  Error error = result.error();
  error.file = OnOneLine(error.file);
  (void)PrintText(fmt::format("syncline: {}\n", error.ToString()), stderr);
  return ExitCodeOf(result.error());
}

int Run(std::span<char*> arguments) {
  CommandSet program;
  const std::vector<std::string> given(arguments.begin() + 1, arguments.end());
  std::vector<std::string> words = given;
  ConfigFile config;
  const auto tell_places = [&](std::string_view problem) {
    (void)PrintText(PlacesOfOptions(config, problem, given), stderr);
  };
  try {
    config = ReadConfigFile(program.app(), given);
    words = WithOptions(given, config);
    program.Parse(words);
  } catch (const CLI::Success& asked) {
    return program.Answer(asked, words);
  } catch (const CLI::ParseError& error) {
    const int exit_code = program.Refuse(error, words);
    tell_places(error.what());
    return exit_code;
  }
  const Result<int> result = program.Run(CommandLine(arguments));
  const int exit_code = Report(result);
  if (!result && result.error().code == ErrorCode::kUsage) tell_places(result.error().message);
  return exit_code;
}

}  // namespace

int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUsage: return kExitUsage;
    case ErrorCode::kUnreadable:
    case ErrorCode::kMalformed:
    case ErrorCode::kUnsupported: return kExitUnreadable;
    case ErrorCode::kCancelled:  // nothing of the program cancels
      return kExitUnreadable;
    case ErrorCode::kNoCorrection: return kExitNoCorrection;
  }
  return kExitUnreadable;
}

void PrepareProcess() {
  OpenStandardStreams();
  std::signal(SIGXFSZ, SIG_IGN);
}

int RunProgram(std::span<char*> arguments) { return FinishStandardOutput(Run(arguments)); }

std::string WordsOf(const std::exception& error) {
  return RefusalOf(error).value_or(std::string("internal error: ") + error.what());
}

}  // namespace syncline
