#include "live/exchange/exchange_packet.h"

#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

const ExchangePacket kAnswer = {.kind = ExchangePacket::Kind::kAnswer,
                                .is_arrival_by_kernel = true,
                                .session = 0x0102030405060708,
                                .number = 7,
                                .t1_ns = 1'700'000'000'000'000'001,
                                .t2_ns = -2,
                                .t3_ns = INT64_MAX,
                                .earlier_number = 6,
                                .earlier_t3_ns = INT64_MIN};
const PacketKey kNoKey;
const PacketKey kKey("0123456789abcdef");

TEST(ExchangePacket, HasTheDocumentedLayout) {
  const ExchangeBytes bytes = EncodeExchange(kAnswer, kNoKey);
  std::vector<int> head;
  for (const std::byte b : std::span(bytes).first(24)) head.push_back(std::to_integer<int>(b));
  const std::vector<int> expected = {'S', 'L', 'C', 'X', 1, 2, 1, 0, 1, 2, 3, 4,
                                     5,   6,   7,   8,   0, 0, 0, 0, 0, 0, 0, 7};
  EXPECT_EQ(head, expected);
  EXPECT_EQ(bytes[47], std::byte{0xFE});  // the last byte of t2 = −2
  EXPECT_EQ(bytes[48], std::byte{0x7F});  // the first of t3
}

TEST(ExchangePacket, IsReadAsItWasWritten) {
  for (const PacketKey* key : {&kNoKey, &kKey}) {
    for (const auto kind : {ExchangePacket::Kind::kQuestion, ExchangePacket::Kind::kAnswer,
                            ExchangePacket::Kind::kGroupQuestion}) {
      ExchangePacket packet = kAnswer;
      packet.kind = kind;
      packet.is_arrival_by_kernel = kind == ExchangePacket::Kind::kAnswer;
      EXPECT_EQ(DecodeExchange(EncodeExchange(packet, *key), *key), packet);
    }
  }
}

TEST(ExchangePacket, OfAnotherFormIsMalformed) {
  struct Case {
    const char* what;
    size_t at;
    uint8_t value;
  };
  for (const Case& c :
       {Case{"magic", 0, 'X'}, Case{"magic", 3, 'x'}, Case{"version", 4, 0}, Case{"version", 4, 2},
        Case{"kind", 5, 0}, Case{"kind", 5, 4}, Case{"flags", 6, 4}, Case{"flags", 6, 128},
        Case{"reserved", 7, 1}, Case{"reserved", 24, 1}, Case{"reserved", 31, 1},
        Case{"number 0", 23, 0}, Case{"a digest without a flag", 72, 1},
        Case{"a digest without a flag", 103, 1}}) {
    ExchangeBytes bytes = EncodeExchange(kAnswer, kNoKey);
    bytes[c.at] = std::byte{c.value};
    const auto packet = DecodeExchange(bytes, kNoKey);
    ASSERT_FALSE(packet.has_value()) << c.what;
    EXPECT_EQ(packet.error(), PacketRefusal::kMalformed) << c.what;
  }
}

TEST(ExchangePacket, OfAnotherLengthIsMalformed) {
  std::vector<std::byte> bytes(3 * kExchangePacketBytes);
  const ExchangeBytes good = EncodeExchange(kAnswer, kNoKey);
  std::copy(good.begin(), good.end(), bytes.begin());
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const auto packet = DecodeExchange(std::span(bytes).first(size), kNoKey);
    EXPECT_EQ(packet.has_value(), size == kExchangePacketBytes) << size;
  }
}

TEST(ExchangePacket, WithAnyBitChangedIsNotAuthentic) {
  const ExchangeBytes good = EncodeExchange(kAnswer, kKey);
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    ExchangeBytes bytes = good;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(DecodeExchange(bytes, kKey).has_value()) << bit;
  }
}

TEST(ExchangePacket, SignedOrNotMustFitTheKey) {
  const PacketKey other("another key, 16+");
  struct Case {
    const PacketKey& by;
    const PacketKey& read;
  };
  for (const Case& c : {Case{kNoKey, kKey}, Case{kKey, kNoKey}, Case{other, kKey}}) {
    const auto packet = DecodeExchange(EncodeExchange(kAnswer, c.by), c.read);
    ASSERT_FALSE(packet.has_value());
    EXPECT_EQ(packet.error(), PacketRefusal::kUnauthenticated);
  }
}

}  // namespace
}  // namespace syncline
