// Runs the real program on real files, as a user would.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace syncline {

namespace fs = std::filesystem;

// Messages between hosts a and b of the sample.
inline constexpr uint64_t kMessagesAb = 661 + 644;

struct RunResult {
  int exit_code = -1;
  std::string output;  // standard output and standard error
};

inline RunResult Shell(const std::string& command) {
  RunResult result;
  FILE* pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    result.output.append(buffer, n);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

inline bool HasTool(const std::string& name) { return Shell("command -v " + name).exit_code == 0; }

inline std::string ReadBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void WriteBytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A test with a folder of its own.
class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("syncline-command-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Sample(const std::string& name) {
    return std::string(SYNCLINE_SOURCE_DIR) + "/examples/captures/" + name;
  }
  static std::string Samples() {
    return Sample("a.pcap") + " " + Sample("b.pcap") + " " + Sample("c.pcap") + " " +
           Sample("d.pcap");
  }
  static RunResult Syncline(const std::string& arguments) {
    return Shell(std::string(SYNCLINE_PROGRAM) + " " + arguments);
  }
  // The summary of a run that must exit with this code.
  nlohmann::json Summary(const std::string& arguments, int exit_code) {
    const std::string path = At("summary.json");
    fs::remove(path);
    const RunResult run = Syncline(arguments + " --json " + path);
    EXPECT_EQ(run.exit_code, exit_code) << run.output;
    if (!fs::exists(path)) return {};
    return nlohmann::json::parse(ReadBytes(path));
  }
  // Drift of a clock against another in ppm, from the ends of the truth file's lines.
  static double TrueDriftPpm(const nlohmann::json& truth, const std::string& clock,
                             const std::string& reference) {
    auto rate = [&](const std::string& name) {
      const auto& p = truth["clocks"][name];
      const auto local = p[1][0].get<int64_t>() - p[0][0].get<int64_t>();
      const auto real = p[1][1].get<int64_t>() - p[0][1].get<int64_t>();
      return static_cast<double>(local) / static_cast<double>(real);
    };
    return (rate(clock) / rate(reference) - 1) * 1e6;
  }
  static nlohmann::json ByName(const nlohmann::json& list, const std::string& name) {
    for (const auto& element : list) {
      if (element["name"] == name) return element;
    }
    ADD_FAILURE() << "nothing called " << name;
    return {};
  }
  static uint64_t DiagnosticCount(const nlohmann::json& summary, const std::string& name) {
    for (const auto& entry : summary["diagnostics"]) {
      if (entry["name"] == name) return entry["count"];
    }
    return 0;
  }

  fs::path folder_;
};

}  // namespace syncline
