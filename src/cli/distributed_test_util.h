// Runs syncline-mpi on several processes of this machine, as a user would.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

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

// But for what tells of this run: seconds, bytes of memory.
inline std::string WithoutMeasurements(const std::string& text) {
  static const std::regex kMeasured("\"([a-z]+_s|peak_bytes)\": [^,\n]*");
  return std::regex_replace(text, kMeasured, "");
}

class DistributedCommand : public MpiCommandTest {
 protected:
  // The same command, once by one process and once by several: the same text, exit code and files.
  void ExpectSame(int processes, const std::string& command, int exit_code) const {
    const std::string out = command.starts_with("sync") ? " -fo " + At("out") : "";
    ExpectSame(processes, command, exit_code, out);
  }
  // Where `out` has it write into the folder of this name.
  void ExpectSame(int processes, const std::string& command, int exit_code,
                  const std::string& out) const {
    fs::remove_all(At("out"));
    if (out.find("out/") != std::string::npos) fs::create_directory(At("out"));
    const RunResult alone = Syncline(command + out);
    EXPECT_EQ(alone.exit_code, exit_code) << alone.output;
    fs::remove_all(At("alone"));
    if (!out.empty()) fs::rename(At("out"), At("alone"));
    if (out.find("out/") != std::string::npos) fs::create_directory(At("out"));
    const RunResult shared = OnProcesses(processes, command + out);
    EXPECT_EQ(shared.exit_code, alone.exit_code);
    EXPECT_EQ(shared.output, alone.output);
    if (!out.empty()) ExpectSameFiles();
  }

  // What each process has sent.
  std::vector<uint64_t> SentBytes(int processes, const std::string& command) const {
    const RunResult run = OnProcesses(processes, command, "SYNCLINE_MPI_COST=1");
    static const std::regex kSent("process ([0-9]+) of [0-9]+ on [^:]*: sent ([0-9]+) bytes");
    std::vector<uint64_t> sent(static_cast<size_t>(processes));
    size_t found = 0;
    for (std::sregex_iterator i(run.output.begin(), run.output.end(), kSent), end; i != end; ++i) {
      sent.at(std::stoul(i->str(1))) = std::stoull(i->str(2));
      ++found;
    }
    EXPECT_EQ(found, sent.size()) << run.output;
    return sent;
  }

 private:
  void ExpectSameFiles() const {
    EXPECT_EQ(Files("out"), Files("alone"));
    for (const std::string& file : Files("alone")) {
      const std::string shared = ReadBytes(At("out/" + file));
      const std::string alone = ReadBytes(At("alone/" + file));
      EXPECT_TRUE(shared == alone || WithoutMeasurements(shared) == WithoutMeasurements(alone))
          << file;
    }
  }
  std::vector<std::string> Files(const std::string& folder) const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(At(folder))) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), At(folder)));
    }
    std::sort(files.begin(), files.end());
    return files;
  }
};

}  // namespace syncline
