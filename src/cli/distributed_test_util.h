// Runs syncline-mpi on several processes of this machine, as a user would.
#pragma once

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {

inline constexpr char kMpirun[] =
    "timeout -k 5 60 mpirun --allow-run-as-root --oversubscribe --bind-to none";

class MpiCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!HasTool("mpirun")) GTEST_SKIP() << "needs mpirun";
  }

  // What syncline-mpi does and says; not what mpirun says of exit codes.
  static RunResult OnProcesses(int processes, const std::string& arguments,
                               const std::string& variables = "") {
    RunResult run = Shell(fmt::format("env {} {} -n {} {} {}", variables, kMpirun, processes,
                                      SYNCLINE_MPI_PROGRAM, arguments));
    // Where it is all that is said, it tells why.
    const size_t end = run.output.find("-----");
    if (end != std::string::npos && end > 0) run.output.resize(end);
    return run;
  }

  static std::string Ring() {
    return SYNCLINE_SOURCE_DIR "/src/read/otf2/testdata/ring/eztrace_log.otf2";
  }
  std::string Simulated(const std::string& options) const {
    const RunResult run =
        Syncline(fmt::format("simulate {} --format otf2 --start 10s -qfo {}", options, At("sim")));
    EXPECT_EQ(run.exit_code, 0) << run.output;
    return At("sim/trace/traces.otf2");
  }
};

}  // namespace syncline
