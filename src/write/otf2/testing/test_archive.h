// Small OTF2 archives for tests, and what libotf2 and its tools read from archives.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace syncline::otf2_test {

// A fresh folder for one test, removed at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct TestArchive {
  std::map<uint64_t, std::vector<uint64_t>> times;  // of events by location
  uint64_t resolution = 1'000'000'000;
  uint64_t global_offset = 0;
  uint64_t length = 1'000'000;
  uint64_t realtime = UINT64_MAX;
  uint64_t event_chunk = uint64_t{1} << 18;
  std::vector<std::pair<uint64_t, int64_t>> clock_offsets = {};  // time, offset; of each location
};

// Of a file, which must be readable.
std::string Bytes(const std::string& path);

// FOLDER/traces.otf2: enter and leave events, a mapping table per location, a marker, a snapshot
// and a thumbnail. Returns the anchor's path.
std::string WriteTestArchive(const std::string& folder, const TestArchive& archive);

// The same with events of every kind, with attributes, in two locations.
std::string WriteArchiveOfAllEvents(const std::string& folder);

// The same with events at 10 and 20 and a definition of every kind, of no sense together.
std::string WriteArchiveOfAllDefinitions(const std::string& folder, uint64_t length);

// The times of all events of each location as libotf2 corrects them.
std::map<uint64_t, std::vector<uint64_t>> SeenTimes(const std::string& anchor);

// The order of all events (location, time) as the library's merging reader shows them.
std::vector<std::pair<uint64_t, uint64_t>> SeenOrder(const std::string& anchor);

// Point-to-point messages that are received before they are sent, by the times that libotf2 gives
// (sends and receives of one sender, receiver and tag in order; ranks are locations in order), and
// all of them.
struct MessageCounts {
  uint64_t messages = 0;
  uint64_t inverted = 0;
};
MessageCounts CountMessages(const std::string& anchor);

// What a program prints to standard output; nothing where it is not installed.
std::optional<std::string> Output(const std::string& command);

}  // namespace syncline::otf2_test
