#include "read/ctf/packet_layout.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(PacketLayout, OfNamedTypesAsLttngWritesThem) {
  const auto layout = FindPacketLayout(R"(
    typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
    typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
    typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
    trace { byte_order = le; packet.header := struct { uint32_t magic; uint8_t uuid[16];
      uint32_t stream_id; /* ids */ unsigned long stream_instance_id; }; };
    struct packet_context { unsigned long timestamp_begin; unsigned long timestamp_end;
      unsigned long content_size; unsigned long packet_size; uint32_t cpu_id; };
    stream { id = 0; packet.context := struct packet_context; };)");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->content_size, (NumberPlace{4 + 16 + 4 + 8 + 8 + 8, 8}));
  EXPECT_EQ(layout->packet_size, (NumberPlace{4 + 16 + 4 + 8 + 8 + 8 + 8, 8}));
  EXPECT_FALSE(layout->is_big_endian);
  EXPECT_TRUE(layout->has_magic);
}

constexpr const char* kSinkHeader = R"(
  trace { byte_order = be; packet.header := struct {
		integer { size = 32; align = 8; base = x; } magic;
		integer { size = 8; align = 8; } uuid[16];
		integer { size = 64; align = 8; } stream_id;
	} align(8); };
)";

TEST(PacketLayout, OfTypesOnTheSpotAsBabeltraceWritesThem) {
  const auto layout = FindPacketLayout(std::string(kSinkHeader) + R"(
    stream { packet.context := struct {
		integer { size = 64; align = 8; } packet_size;
		integer { size = 32; align = 32; } content_size;
		integer { size = 64; align = 8; map = clock.syncline.value; } timestamp_begin;
		string { encoding = UTF8; } _process;
	} align(8); };)");
  ASSERT_TRUE(layout);
  // The second member has its alignment, and so has the structure.
  EXPECT_EQ(layout->packet_size, (NumberPlace{4 + 16 + 8, 8}));
  EXPECT_EQ(layout->content_size, (NumberPlace{4 + 16 + 8 + 8, 4}));
  EXPECT_TRUE(layout->is_big_endian);
}

TEST(PacketLayout, StructuresBeginWhereTheyAreAligned) {
  const auto layout = FindPacketLayout(std::string(kSinkHeader) + R"(
    stream { packet.context := struct { integer { size = 64; } packet_size;
      integer { size = 64; } content_size; } align(64); };)");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->packet_size, (NumberPlace{32, 8}));  // 28 rounded up
  EXPECT_EQ(layout->content_size, (NumberPlace{40, 8}));
}

TEST(PacketLayout, OfSeveralStreamsThatAreAlike) {
  const std::string stream =
      " stream { packet.context := struct { integer { size = 32; } packet_size; "
      "integer { size = 32; } content_size; }; };";
  const std::string other =
      " stream { packet.context := struct { integer { size = 32; } content_size; "
      "integer { size = 32; } packet_size; }; };";
  EXPECT_TRUE(FindPacketLayout(kSinkHeader + stream + stream));
  EXPECT_FALSE(FindPacketLayout(kSinkHeader + stream + other));
}

TEST(PacketLayout, WhatIsNotUnderstoodIsSaidToBeNothing) {
  const std::string sizes =
      "integer { size = 64; } packet_size; integer { size = 64; } content_size; ";
  for (const std::string& context : std::vector<std::string>{
           "struct { string before; " + sizes + "}",
           "struct { struct { integer { size = 8; } a; } before; " + sizes + "}",
           "struct { " + sizes + " variant <a> { string s; } v; }",
           "struct { integer { size = 64; byte_order = le; } packet_size; "
           "integer { size = 64; } content_size; }",
           "struct { integer { size = 64; align = 9999; } packet_size; "
           "integer { size = 64; } content_size; }",
           "struct { integer { size = 5; align = 1; } packet_size; "
           "integer { size = 64; align = 1; } content_size; }",
           "struct { " + sizes,
           std::string("struct"),
           "struct { ; }",
           "struct missing",
           "struct { ] x]; }",
           "",
       }) {
    EXPECT_FALSE(FindPacketLayout(kSinkHeader + ("stream { packet.context := " + context) + "; };"))
        << context;
  }
  EXPECT_FALSE(FindPacketLayout("trace { byte_order = le; };"));
  EXPECT_FALSE(FindPacketLayout(""));
}

}  // namespace
}  // namespace syncline
