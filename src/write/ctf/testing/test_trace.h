// Makes small CTF 1.8 traces with fields of every kind, byte by byte, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline::ctf_write {

struct TestClock {
  uint64_t frequency = 1'000'000'000;
  int64_t offset_s = 0;
  uint64_t offset = 0;
};

struct TestEvent {
  uint64_t time = 0;
  uint32_t number = 0;        // an odd one selects another option of the variant
  bool has_all_kinds = true;  // else an event "plain" with its number alone
};

struct TestPacket {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<TestEvent> events = {};
  uint64_t discarded_events = 0;  // since the stream's beginning
  uint64_t sequence_number = 0;
};

struct TestTrace {
  TestClock clock = {};
  bool is_big_endian = false;
  std::string hostname = "alpha";
  std::vector<std::vector<TestPacket>> streams = {};  // files channel_0, channel_1, …
};

void WriteTestTrace(const TestTrace& trace, const std::string& folder);

}  // namespace syncline::ctf_write
