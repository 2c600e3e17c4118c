// Runs real programs under mpirun with the library preloaded. Skipped where there is no Open MPI.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "record/mpi/testing/test_folder.h"

namespace syncline::mpi {

namespace fs = std::filesystem;

inline constexpr int kRanks = 4;

struct Ran {
  int status = -1;
  std::string out;
};

inline Ran RunCommand(const std::string& command) {
  Ran ran;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 65536> block = {};
  while (const size_t n = std::fread(block.data(), 1, block.size(), pipe)) {
    ran.out.append(block.data(), n);
  }
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

inline std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Recording : public testing::Test {
 protected:
  void SetUp() override {
    const Ran version = RunCommand("mpirun --version 2>/dev/null");
    if (version.out.find("Open MPI") == std::string::npos)
      GTEST_SKIP() << "needs mpirun of Open MPI";
  }

  static std::string Program(const std::string& name) { return SYNCLINE_PROGRAMS "/" + name; }
  // For one `mpirun` of all ranks.
  std::string Mpirun(const std::string& program, const std::string& variables = "") const {
    return fmt::format(
        "cd {} && env SYNCLINE_MPI_OUT=trace {} timeout -k 5 60 mpirun --allow-run-as-root "
        "--oversubscribe -n {} -x LD_PRELOAD={} {} 2>stderr",
        folder_ / ".", variables, kRanks, SYNCLINE_PRELOAD, program);
  }
  // All that a recording says where nothing is wrong.
  static constexpr const char* kRecorded =
      "syncline: recorded trace/traces.otf2; next: syncline sync trace/traces.otf2 -o corrected\n";
  std::string Stderr() const { return Contents(folder_ / "stderr"); }
  std::string Trace() const { return folder_ / "trace/traces.otf2"; }

  // The summary of `syncline sync` of the archive.
  nlohmann::json Synchronized(const std::string& options = "") const {
    const Ran ran = RunCommand(fmt::format("{} sync {} -o {} --quiet {} 2>&1", SYNCLINE_PROGRAM,
                                           Trace(), folder_ / "corrected", options));
    // 3: done, with a stated weakness, which a run that was cut off may have.
    EXPECT_THAT(ran.status, testing::AnyOf(0, 3)) << ran.out;
    return nlohmann::json::parse(Contents(folder_ / "corrected/syncline.json"), nullptr, false);
  }
  static void ExpectOrder(const nlohmann::json& summary, uint64_t messages) {
    EXPECT_EQ(summary["messages"]["total"], messages);
    EXPECT_EQ(summary["messages"]["unmatched_sends"], 0);
    EXPECT_EQ(summary["messages"]["unmatched_receives"], 0);
    EXPECT_EQ(summary["messages"]["inverted_after"], 0);
    EXPECT_EQ(summary["messages"]["too_fast_after"], 0);
    for (const auto& clock : summary["clocks"]) {
      EXPECT_FALSE(clock["bound_ns"]["worst"].is_null()) << clock["name"];
    }
  }

  TestFolder folder_;
};

}  // namespace syncline::mpi
