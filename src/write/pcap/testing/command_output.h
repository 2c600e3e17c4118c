// What a program prints, for tests that let other tools read our files.
#pragma once

#include <cstdio>
#include <string>

namespace syncline {

// Standard output of a shell command; empty when it cannot be run.
inline std::string OutputOf(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char buffer[4096];
  while (const size_t n = std::fread(buffer, 1, sizeof(buffer), pipe)) text.append(buffer, n);
  ::pclose(pipe);
  return text;
}

inline bool IsInstalled(const std::string& program) {
  return !OutputOf("command -v " + program).empty();
}

}  // namespace syncline
