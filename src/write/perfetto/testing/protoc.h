// Reads protocol buffers by protoc, for tests.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace syncline {

inline bool HasProtoc() { return std::system("command -v protoc >/dev/null 2>&1") == 0; }

// What protoc prints of the bytes; `how` is --decode_raw or --decode=MESSAGE FILE.
inline std::string Protoc(const std::string& how, const std::string& bytes) {
  const std::filesystem::path file =
      testing::TempDir() + "/syncline-protoc-" + std::to_string(::getpid());
  std::ofstream(file, std::ios::binary) << bytes;
  std::string text;
  FILE* pipe = ::popen(("protoc " + how + " < '" + file.string() + "' 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  EXPECT_EQ(::pclose(pipe), 0) << text;
  std::filesystem::remove(file);
  return text;
}

}  // namespace syncline
