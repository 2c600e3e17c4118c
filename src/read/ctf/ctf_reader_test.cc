#include "read/ctf/ctf_reader.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "read/ctf/field_value.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

const std::string kSamples = std::string(SYNCLINE_SOURCE_DIR) + "/src/read/ctf/testdata/rates/";

std::unique_ptr<CtfReader> Open(const std::string& folder) {
  auto reader = CtfReader::Open(folder);
  EXPECT_TRUE(reader) << reader.error().ToString();
  return reader ? std::move(*reader) : nullptr;
}

std::vector<int64_t> TicksOf(CtfStream& stream) {
  std::vector<int64_t> ticks;
  while (const CtfEvent* event = stream.Next()) ticks.push_back(event->time.ticks);
  EXPECT_FALSE(stream.error());
  return ticks;
}

TEST(CtfReader, ReadsALttngTraceWithoutIndexFiles) {
  const auto reader = Open(kSamples + "hostA");
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->hostname(), "hostA");
  EXPECT_EQ(reader->Environment("domain"), "ust");
  EXPECT_EQ(reader->Environment("nothing"), "");
  ASSERT_EQ(reader->clocks().size(), 1);
  EXPECT_EQ(reader->clocks()[0].name, "monotonic");
  EXPECT_EQ(reader->clocks()[0].uuid, "3847650f1d7240ba86a1ad2e918879d7");
  EXPECT_EQ(reader->clocks()[0].offset_s, 1795262587);
  EXPECT_EQ(reader->clocks()[0].offset_cycles, 38700051);
  ASSERT_EQ(reader->streams().size(), 1);
  CtfStream& stream = *reader->streams()[0];
  EXPECT_EQ(stream.channel(), "ch_0");
  std::map<std::string, int> events;
  uint64_t index = 0;
  while (const CtfEvent* event = stream.Next()) {
    EXPECT_EQ(event->index, index++);
    ++events[reader->event_classes()[event->event_class].name];
  }
  EXPECT_FALSE(stream.error());
  EXPECT_EQ(events, (std::map<std::string, int>{{"msg:recv", 105}, {"msg:send", 105}}));
}

TEST(CtfReader, ReadsBothByteOrders) {
  const TinyTraceFolder folder("ctf_orders");
  for (const bool is_big_endian : {false, true}) {
    const TinyTrace trace{.is_big_endian = is_big_endian,
                          .streams = {{{.events = {{5, 7, "seven"}, {9, 8, "eight"}}}}}};
    const auto reader = Open(folder.Add(is_big_endian ? "be" : "le", trace));
    ASSERT_NE(reader, nullptr);
    CtfStream& stream = *reader->streams().at(0);
    const CtfEvent* event = stream.Next();
    ASSERT_NE(event, nullptr);
    const bt_event_class* event_class = reader->event_classes().at(event->event_class).handle;
    EXPECT_EQ(FieldPlace::Find(event_class, "n")->Read(event->handle).as_unsigned(), 7);
    EXPECT_EQ(FieldPlace::Find(event_class, "_text")->Read(event->handle).text(), "seven");
    EXPECT_EQ(TicksOf(stream), std::vector<int64_t>{9});
  }
}

TEST(CtfReader, StreamsAreReadApartAndInAnyInterleaving) {
  const TinyTraceFolder folder("ctf_streams");
  TinyTrace trace;
  trace.streams = {{{.events = {{1}, {4}}, .cpu = 3}}, {{.events = {{2}, {3}}}}};
  const auto reader = Open(folder.Add("t", trace));
  ASSERT_NE(reader, nullptr);
  ASSERT_EQ(reader->streams().size(), 2);
  CtfStream& first = *reader->streams()[0];
  EXPECT_EQ(first.channel(), "ch_0");
  EXPECT_EQ(first.Next()->time.ticks, 1);
  EXPECT_EQ(TicksOf(*reader->streams()[1]), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(TicksOf(first), std::vector<int64_t>{4});
}

TEST(CtfReader, TimesThatStepBackComeInProgramOrderAndAreCounted) {
  const TinyTraceFolder folder("ctf_back");
  TinyTrace trace;
  trace.streams = {{{.events = {{100}, {70}, {80}, {75}}}}};
  const auto reader = Open(folder.Add("t", trace));
  ASSERT_NE(reader, nullptr);
  CtfStream& stream = *reader->streams().at(0);
  EXPECT_EQ(TicksOf(stream), (std::vector<int64_t>{100, 70, 80, 75}));
  EXPECT_EQ(stream.defects().steps_back, 2);
  EXPECT_EQ(stream.defects().first_step, 1);
  EXPECT_EQ(stream.defects().largest_step, 100 - 70);
}

TEST(CtfReader, CountsWhatTheTracerLost) {
  const TinyTraceFolder folder("ctf_lost");
  TinyTrace trace;
  trace.streams = {{{.events = {{10}, {20}}, .discarded = 0, .number = 0},
                    {.events = {{30}, {40}}, .discarded = 7, .number = 1},
                    {.events = {{50}, {60}}, .discarded = 7, .number = 4}}};
  const auto reader = Open(folder.Add("t", trace));
  ASSERT_NE(reader, nullptr);
  CtfStream& stream = *reader->streams().at(0);
  EXPECT_EQ(TicksOf(stream).size(), 6);
  EXPECT_EQ(stream.defects().lost_events, 7);
  EXPECT_EQ(stream.defects().lost_packets, 4 - 1 - 1);
  EXPECT_FALSE(stream.defects().loss_is_least);
}

TEST(CtfReader, FastEpochClocksHaveAnOriginThatKeepsTimesInRange) {
  const TinyTraceFolder folder("ctf_fast");
  // 1.8e9 s at 5 GHz: 9 000 000 000 000 000 000 cycles; the largest int64 is 9.22e18.
  const uint64_t cycles = 9'300'000'000'000'000'000U;
  TinyTrace trace;
  trace.frequency = 5'000'000'000;
  trace.streams = {{{.events = {{cycles}, {cycles + 1}}}}};
  const auto reader = Open(folder.Add("t", trace));
  ASSERT_NE(reader, nullptr);
  const CtfClock& clock = reader->clocks().at(0);
  EXPECT_EQ(clock.origin, int64_t{1} << 62);
  CtfStream& stream = *reader->streams().at(0);
  const CtfEvent* event = stream.Next();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->time.ticks, static_cast<int64_t>(cycles - (uint64_t{1} << 62)));
  EXPECT_EQ(clock.ToClock("").NominalNs(event->time), 1'860'000'000'000'000'000);
  EXPECT_EQ(stream.defects().out_of_range, 0);
}

TEST(CtfReader, StreamsWithoutAClockGiveNoEvents) {
  const TinyTraceFolder folder("ctf_no_clock");
  const TinyTrace trace{.has_clock = false, .streams = {{{.events = {{1}, {2}}}}}};
  const auto reader = Open(folder.Add("t", trace));
  ASSERT_NE(reader, nullptr);
  EXPECT_TRUE(reader->clocks().empty());
  ASSERT_EQ(reader->streams().size(), 1);
  EXPECT_FALSE(reader->streams()[0]->clock());
  EXPECT_TRUE(TicksOf(*reader->streams()[0]).empty());
}

TEST(CtfReader, TracesWithoutStreamsAreEmpty) {
  const TinyTraceFolder folder("ctf_empty");
  const std::string path = folder.Add("t", TinyTrace{});
  std::ofstream(path + "/ch_0");
  const auto reader = Open(path);
  ASSERT_NE(reader, nullptr);
  EXPECT_TRUE(reader->streams().empty());
}

}  // namespace
}  // namespace syncline
