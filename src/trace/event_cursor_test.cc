#include "trace/event_cursor.h"

#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "trace/formats.h"

namespace syncline {
namespace {

using Seen = std::tuple<uint32_t, uint64_t, int64_t>;  // process, number, ticks

std::vector<Seen> All(const LoadedTraces& loaded, EventDetail detail) {
  std::vector<Seen> seen;
  for (const LoadedInput& input : loaded.inputs) {
    const auto done = ForEachEvent(loaded, input, detail, [&](const TraceEvent& e) {
      seen.emplace_back(e.event.process.value, e.index, e.event.time.ticks);
      EXPECT_EQ(input.processes[e.number], e.event.process);
    });
    EXPECT_TRUE(done) << done.error().ToString();
  }
  return seen;
}

class EveryFormat : public testing::TestWithParam<std::pair<Format, std::vector<std::string>>> {
 protected:
  LoadedTraces Load() {
    std::vector<std::string> paths;
    for (const std::string& path : GetParam().second) {
      paths.push_back(std::string(SYNCLINE_SOURCE_DIR) + "/" + path);
    }
    auto asked = ResolveInputs(paths);
    EXPECT_TRUE(asked) << asked.error().ToString();
    auto rules = ReadRules(std::string(SYNCLINE_SOURCE_DIR) + "/examples/rules/msg.rules");
    EXPECT_TRUE(rules);
    asked->rules = std::move(rules->rules);
    Progress progress(ProgressMode::kOff);
    auto loaded = LoadTraces(*asked, progress);
    EXPECT_TRUE(loaded) << loaded.error().ToString();
    return std::move(*loaded);
  }
};

TEST_P(EveryFormat, GivesTheSameEventsInEveryDetail) {
  const LoadedTraces loaded = Load();
  uint64_t events = 0;
  for (const LoadedInput& input : loaded.inputs) {
    EXPECT_EQ(input.input.format, GetParam().first);
    events += input.events;
  }
  const std::vector<Seen> times = All(loaded, EventDetail::kTimes);
  EXPECT_GT(times.size(), 0U);
  EXPECT_EQ(times.size(), events);
  EXPECT_EQ(All(loaded, EventDetail::kKinds), times);
  EXPECT_EQ(All(loaded, EventDetail::kNames), times);
}

TEST_P(EveryFormat, MessagesNameEventsAsCursorsDo) {
  const LoadedTraces loaded = Load();
  std::map<std::pair<uint32_t, uint64_t>, int64_t> time_of;
  for (const auto& [process, index, ticks] : All(loaded, EventDetail::kTimes)) {
    EXPECT_TRUE(time_of.emplace(std::pair(process, index), ticks).second);
  }
  uint64_t messages = 0;
  const auto done = loaded.messages.ForEach([&](const Message& m) {
    ++messages;
    for (const EventRef& e : {m.send, m.receive}) {
      EXPECT_EQ(time_of.at({e.process.value, e.index}), e.time.ticks);
    }
  });
  ASSERT_TRUE(done);
  EXPECT_GT(messages, 0U);
}

TEST_P(EveryFormat, KeptTimesAreThoseOfEvents) {
  const LoadedTraces loaded = Load();
  for (const LoadedInput& input : loaded.inputs) {
    auto cursors = OpenEvents(loaded, input, EventDetail::kKinds);
    ASSERT_TRUE(cursors);
    for (const auto& cursor : *cursors) {
      const auto taken = cursor->TakeTimes();
      ASSERT_TRUE(taken);
      EXPECT_EQ(!taken->empty(), FormatOf(input).keeps_times);
      if (taken->empty()) continue;
      std::vector<Seen> kept;
      for (uint64_t i = 0; i < taken->size(); ++i) {
        kept.emplace_back(cursor->processes()[0].value, i, (*taken)[i].ticks);
      }
      std::vector<Seen> of_process;
      for (const Seen& seen : All(loaded, EventDetail::kTimes)) {
        if (std::get<0>(seen) == cursor->processes()[0].value) of_process.push_back(seen);
      }
      EXPECT_EQ(kept, of_process);
    }
  }
}

std::vector<std::pair<Format, std::vector<std::string>>> Samples() {
  return {
      {Format::kCapture, {"examples/captures/a.pcap", "examples/captures/b.pcap"}},
#ifdef SYNCLINE_HAVE_OTF2
      {Format::kOtf2, {"src/read/otf2/testdata/ring/eztrace_log.otf2"}},
#endif
#ifdef SYNCLINE_HAVE_CTF
      {Format::kCtf, {"src/read/ctf/testdata/rates/hostA", "src/read/ctf/testdata/rates/hostB"}},
#endif
  };
}

INSTANTIATE_TEST_SUITE_P(All, EveryFormat, testing::ValuesIn(Samples()), [](const auto& sample) {
  return std::string(FormatName(sample.param.first));
});

TEST(EventCursor, TextsShareProcessesAndNumberEventsOn) {
  const std::string folder = testing::TempDir() + "/event_cursor_test";
  std::ofstream(folder + "a.txt") << "clock x 1000000000\nprocess p x\nprocess q x\n"
                                     "10 p send q 1 8\n20 q recv p 1 8\n";
  std::ofstream(folder + "b.txt") << "clock x 1000000000\nprocess p x\n30 p mark here\n";
  const std::vector<std::string> paths = {folder + "a.txt", folder + "b.txt"};
  auto asked = ResolveInputs(paths);
  ASSERT_TRUE(asked);
  Progress progress(ProgressMode::kOff);
  const auto loaded = LoadTraces(*asked, progress);
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  const std::vector<Seen> expected = {{0, 0, 10}, {1, 0, 20}, {0, 1, 30}};
  EXPECT_EQ(All(*loaded, EventDetail::kNames), expected);
}

}  // namespace
}  // namespace syncline
