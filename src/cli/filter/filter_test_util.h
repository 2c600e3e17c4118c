// Traces for the tests of syncline filter, and how they look at what comes out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {

class FilterTest : public CommandTest {
 protected:
  // Clocks a, b, c of nanoseconds with one process each, A, B, C.
  static std::string Header() {
    return "clock a 1000000000\nclock b 1000000000\nclock c 1000000000\n"
           "process A a\nprocess B b\nprocess C c\n";
  }
  std::string Write(const std::string& name, const std::string& text) const {
    WriteBytes(At(name), text);
    return At(name);
  }
  // The trace that comes out; the protocol goes nowhere.
  std::string Filter(const std::string& text, const std::string& options = "",
                     int exit_code = 0) const {
    const std::string in = Write("in.txt", text);
    const std::string out = At("out.txt");
    const RunResult run = Syncline("filter " + options + " " + in + " - 2>/dev/null > " + out);
    EXPECT_EQ(run.exit_code, exit_code) << Syncline("filter " + options + " " + in).output;
    return ReadBytes(out);
  }
  nlohmann::json FilterJson(const std::string& text, const std::string& options = "",
                            int exit_code = 0) {
    const std::string in = Write("in.txt", text);
    return Summary("filter --force --quiet " + options + " " + in + " " + At("out.txt"), exit_code);
  }
};

inline std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline bool IsEventLine(const std::string& line) {
  return !line.empty() && (line[0] == '-' || (line[0] >= '0' && line[0] <= '9'));
}

inline std::vector<std::string> EventLinesOf(const std::string& trace) {
  std::vector<std::string> events;
  for (const std::string& line : Lines(trace)) {
    if (IsEventLine(line)) events.push_back(line);
  }
  return events;
}

inline int64_t TimeOf(const std::string& event_line) { return std::stoll(event_line); }

// What an event line says beside its time.
inline std::string DetailOf(const std::string& event_line) {
  return event_line.substr(event_line.find(' ') + 1);
}

// The trace with its event lines in the opposite order.
inline std::string Backwards(const std::string& trace) {
  std::vector<std::string> lines = Lines(trace);
  const auto events = std::stable_partition(
      lines.begin(), lines.end(), [](const std::string& line) { return !IsEventLine(line); });
  std::reverse(events, lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

// A run of five processes that exchange messages, broadcasts and collectives, stamped by clocks
// that are up to 50 µs off.
class RandomRun {
 public:
  explicit RandomRun(uint64_t seed) : random_(seed) {
    for (int64_t& ahead : ahead_) ahead = Below(100'000) - 50'000;
  }

  std::string Trace(int steps) {
    std::string declarations;
    std::string group = "group all";
    for (int p = 0; p < kProcesses; ++p) {
      declarations += fmt::format("clock c{} 1000000000\nprocess P{} c{}\n", p, p, p);
      group += fmt::format(" P{}", p);
    }
    for (int step = 0; step < steps; ++step) Step();
    for (int p = 0; p < kProcesses; ++p) {
      while (!inbox_[p].empty()) Receive(p);
    }
    return declarations + group + "\n" + events_;
  }

 private:
  static constexpr int kProcesses = 5;

  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }
  void Record(int p, const std::string& detail) {
    now_ += 1 + Below(3000);
    events_ += fmt::format("{} P{} {}\n", now_ + ahead_[p], p, detail);
  }
  void Receive(int p) {
    Record(p, inbox_[p].front());
    inbox_[p].erase(inbox_[p].begin());
  }
  void Step() {
    const int p = static_cast<int>(Below(kProcesses));
    const int64_t what = Below(20);
    if (what < 8 && !inbox_[p].empty()) return Receive(p);
    if (what == 18) return Broadcast(p);
    if (what == 19) return Collective();
    const int q = static_cast<int>((p + 1 + Below(kProcesses - 1)) % kProcesses);
    Record(p, fmt::format("send P{} {}", q, ++messages_));
    inbox_[q].push_back(fmt::format("recv P{} {}", p, messages_));
  }
  void Broadcast(int p) {
    Record(p, fmt::format("bcast b{}", ++messages_));
    for (int q = 0; q < kProcesses; ++q) {
      if (q != p) inbox_[q].push_back(fmt::format("recv P{} b{}", p, messages_));
    }
  }
  void Collective() {
    static const std::vector<std::string> kKinds = {"barrier", "bcast", "reduce", "scan", "exscan"};
    const std::string& kind = kKinds[static_cast<size_t>(Below(5))];
    const int64_t root = Below(kProcesses);
    ++messages_;
    for (const char* phase : {"begin", "end"}) {
      for (int p = 0; p < kProcesses; ++p) {
        Record(p, fmt::format("collective {} all {} {}{}", kind, messages_, phase,
                              p == root ? " root" : ""));
      }
    }
  }

  std::mt19937_64 random_;
  int64_t ahead_[kProcesses] = {};
  std::vector<std::string> inbox_[kProcesses];
  int64_t now_ = 1'000'000;
  uint64_t messages_ = 0;
  std::string events_;
};

}  // namespace syncline
