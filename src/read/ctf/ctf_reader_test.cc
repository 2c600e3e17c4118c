#include "read/ctf/ctf_reader.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "read/ctf/field_value.h"
#include "read/ctf/trace_folder.h"

namespace syncline {
namespace {

TEST(CtfReader, ReadsEveryEventOfARealTrace) {
  const std::string data = SYNCLINE_DATA_DIR;
  if (data.empty() || !std::filesystem::exists(data + "/lttng/rates")) GTEST_SKIP();
  const auto traces = FindCtfTraces(data + "/lttng/rates");
  ASSERT_TRUE(traces) << traces.error().ToString();
  ASSERT_EQ(traces->size(), 3);
  auto reader = CtfReader::Open((*traces)[0]);
  ASSERT_TRUE(reader) << reader.error().ToString();
  EXPECT_EQ((*reader)->hostname(), "hostA");
  ASSERT_EQ((*reader)->clocks().size(), 1);
  EXPECT_EQ((*reader)->clocks()[0].frequency, 1'000'000'000);
  EXPECT_EQ((*reader)->clocks()[0].offset_s, 1795262587);
  EXPECT_EQ((*reader)->clocks()[0].offset_cycles, 38700051);
  ASSERT_EQ((*reader)->streams().size(), 2);
  CtfStream& stream = *(*reader)->streams()[0];
  EXPECT_EQ(stream.channel(), "ch_0");
  EXPECT_EQ(stream.cpu(), 0);
  const CtfEvent* event = stream.Next();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ((*reader)->event_classes()[event->event_class].name, "msg:recv");
  EXPECT_EQ(event->time.ticks, 1483860254593);
  const auto place = FieldPlace::Find((*reader)->event_classes()[event->event_class].handle, "_id");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->Read(event->handle).kind, FieldValue::Kind::kUnsigned);
  while (stream.Next() != nullptr) {
  }
  EXPECT_FALSE(stream.error());
  EXPECT_EQ(stream.events(), 2502);
}

}  // namespace
}  // namespace syncline
