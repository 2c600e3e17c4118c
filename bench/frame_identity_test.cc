#include "frame_identity.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

uint16_t At(const std::vector<std::byte>& bytes, size_t at) {
  return static_cast<uint16_t>(std::to_integer<int>(bytes[at]) << 8 |
                               std::to_integer<int>(bytes[at + 1]));
}

// The one's complement sum of 16-bit words in [from, to).
uint32_t Sum(const std::vector<std::byte>& bytes, size_t from, size_t to) {
  uint32_t sum = 0;
  for (size_t at = from; at < to; at += 2) sum += At(bytes, at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

// 10.0.0.2 port 0x1234 → 10.0.0.1 port 0xfff0, UDP with 4 bytes, both checksums right.
const std::vector<std::byte> kUdpFrame =
    Bytes({2,    0,    0,    0,    0,    1,    2, 0, 0,  0,  0,    2,    0x08, 0x00,  // Ethernet
           0x45, 0,    0,    32,   0xff, 0xfe, 0, 0, 64, 17, 0x66, 0xcb, 10,   0,
           0,    2,    10,   0,    0,    1,                              // IPv4
           0x12, 0x34, 0xff, 0xf0, 0,    12,   0, 0, 1,  2,  3,    4});  // UDP

// With the checksums that the fields give, so that the test depends on no figure of its own.
std::vector<std::byte> ValidFrame() {
  std::vector<std::byte> frame = kUdpFrame;
  const auto store = [&](size_t at, uint32_t sum) {
    const auto value = static_cast<uint16_t>(~sum);
    frame[at] = static_cast<std::byte>(value >> 8);
    frame[at + 1] = static_cast<std::byte>(value & 0xff);
  };
  frame[24] = frame[25] = std::byte{0};
  store(24, Sum(frame, 14, 34));
  // The UDP header and payload alone: ports change both this sum and the real one alike.
  store(40, Sum(frame, 34, 46));
  return frame;
}

TEST(FrameIdentity, NamesTheFlowAlikeInBothDirections) {
  const auto there = IdentityOf(kUdpFrame);
  ASSERT_TRUE(there);
  EXPECT_EQ(there->addresses, std::string("\x0a\0\0\x01\x0a\0\0\x02", 8));
  EXPECT_EQ(there->low_port, 0xfff0);
  EXPECT_EQ(there->high_port, 0x1234);

  std::vector<std::byte> reply = kUdpFrame;
  std::swap_ranges(reply.begin() + 26, reply.begin() + 30, reply.begin() + 30);
  std::swap_ranges(reply.begin() + 34, reply.begin() + 36, reply.begin() + 36);
  const auto back = IdentityOf(reply);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->addresses, there->addresses);
  EXPECT_EQ(back->low_port, there->low_port);
  EXPECT_EQ(back->high_port, there->high_port);
}

TEST(FrameIdentity, MovesPortsAndIdentificationAndKeepsChecksumsRight) {
  for (const uint16_t step : std::initializer_list<uint16_t>{0, 1, 3, 0x1235, 0xffff}) {
    std::vector<std::byte> frame = ValidFrame();
    const auto identity = IdentityOf(frame);
    ASSERT_TRUE(identity);
    MoveIdentity(frame, *identity, step);
    EXPECT_EQ(At(frame, 18), (0xfffe + step) & 0xffff) << step;
    EXPECT_EQ(At(frame, 34), (0x1234 + step) & 0xffff) << step;
    EXPECT_EQ(At(frame, 36), (0xfff0 + step) & 0xffff) << step;
    EXPECT_EQ(Sum(frame, 14, 34), 0xffffU) << step;
    EXPECT_EQ(Sum(frame, 34, 46), 0xffffU) << step;
  }
}

TEST(FrameIdentity, LeavesAnAbsentUdpChecksumAbsent) {
  std::vector<std::byte> frame = kUdpFrame;
  const auto identity = IdentityOf(frame);
  ASSERT_TRUE(identity);
  MoveIdentity(frame, *identity, 5);
  EXPECT_EQ(At(frame, 40), 0);
}

TEST(FrameIdentity, IsAbsentForFramesThatAreTooShort) {
  for (size_t length = 0; length < 42; ++length) {
    EXPECT_FALSE(IdentityOf(std::span(kUdpFrame).first(length))) << length;
  }
  EXPECT_TRUE(IdentityOf(std::span(kUdpFrame).first(42)));
}

}  // namespace
}  // namespace syncline
