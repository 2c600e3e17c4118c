// For tests: CTF traces as the program babeltrace2 reads them, merged by time.
//
// A trace that steps back would stop the program, which fails the test.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command_test_util.h"

namespace syncline {

// A line of the program's text: the time, and everything else.
struct TextEvent {
  int64_t ns = 0;
  std::string rest;
};

inline std::vector<TextEvent> ReadByBabeltrace(const std::string& arguments,
                                               const std::string& general_options = "") {
  const RunResult run = Shell(fmt::format(
      "babeltrace2 {} --clock-seconds --no-delta --fields=all {}", general_options, arguments));
  EXPECT_EQ(run.exit_code, 0) << run.output.substr(0, 2'000);
  std::istringstream text(run.output);
  std::vector<TextEvent> events;
  for (std::string line; std::getline(text, line);) {
    long long seconds = 0;
    long long ns = 0;
    int end = 0;
    if (std::sscanf(line.c_str(), "[%lld.%lld]%n", &seconds, &ns, &end) < 2) continue;
    events.push_back({seconds * 1'000'000'000 + ns, line.substr(static_cast<size_t>(end))});
  }
  return events;
}

struct TextMessages {
  uint64_t total = 0;
  uint64_t inverted = 0;  // received before sent
  bool operator==(const TextMessages&) const = default;
};

// Of events msg:send and msg:recv, told apart by the text from "id = " to before `after`.
inline TextMessages MessagesOf(const std::vector<TextEvent>& events,
                               const std::string& after = ", len") {
  std::map<std::string, std::pair<int64_t, int64_t>> messages;  // sent, received
  for (const TextEvent& event : events) {
    const size_t begin = event.rest.find("{ id = ");
    if (begin == std::string::npos) continue;
    auto& ends = messages[event.rest.substr(begin, event.rest.find(after, begin) - begin)];
    const bool is_send = event.rest.find("msg:send:") != std::string::npos;
    (is_send ? ends.first : ends.second) = event.ns;
  }
  TextMessages found;
  for (const auto& [key, ends] : messages) {
    if (ends.first == 0 || ends.second == 0) continue;
    ++found.total;
    found.inverted += ends.second < ends.first ? 1 : 0;
  }
  return found;
}

}  // namespace syncline
