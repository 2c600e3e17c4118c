// syncline-mpi: the same program, whose processes share the work.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/temporaries.h"
#include "cli/program.h"
#include "distributed/archive_share.h"
#include "distributed/communicator.h"
#include "distributed/first_process.h"

namespace syncline {
namespace {

int RunFirst(Communicator& communicator, std::span<char*> arguments) {
  FirstProcess first(communicator);
  SetTeamOfThisRun(&first);
  if (communicator.size() > 1) SetFileTeamOfThisRun(&first);
  return RunProgram(arguments);
}

// Open MPI 4.1 gives processes a second to end, but only until the first of them has: it is the
// first process that has something to remove.
int Serve(Communicator& communicator) {
  EndLaterOnSignals(std::chrono::milliseconds(1500));
  RemoveTemporariesOnSignals();
  ServeFirstProcess(communicator);
  return kExitDone;
}

// What a user needs to choose the number of processes, and a benchmark to count.
void TellCost(const Communicator& communicator) {
  fmt::print(
      stderr,
      "syncline: {}: sent {} bytes in {} messages, {} of them posted, peak memory {} bytes\n",
      communicator.Name(), communicator.sent().bytes, communicator.sent().messages,
      communicator.sent().posts, PeakMemoryBytes());
}

int RunAsOneOf(Communicator& communicator, std::span<char*> arguments) {
  try {
    const int exit_code =
        communicator.rank() == 0 ? RunFirst(communicator, arguments) : Serve(communicator);
    if (std::getenv("SYNCLINE_MPI_COST") != nullptr) TellCost(communicator);
    return exit_code;
  } catch (const std::exception& error) {
    // The others may wait for this one.
    fmt::print(stderr, "syncline: {} ({})\n", WordsOf(error), communicator.Name());
    Communicator::Abort(kExitUnreadable);
  }
}

}  // namespace
}  // namespace syncline

int main(int argc, char** argv) {
  syncline::PrepareProcess();
  syncline::Communicator communicator(argc, argv);
  syncline::SetCores(communicator.Cores());
  return syncline::RunAsOneOf(communicator, {argv, static_cast<size_t>(argc)});
}
