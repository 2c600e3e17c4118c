#include "read/text/message_token.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(MessageToken, DecimalNumbersStandForThemselves) {
  EXPECT_EQ(MessageFromToken("0"), 0u);
  EXPECT_EQ(MessageFromToken("42"), 42u);
  EXPECT_EQ(MessageFromToken("9223372036854775807"), (uint64_t{1} << 63) - 1);
}

TEST(MessageToken, EverythingElseIsHashedWithTheTopBitSet) {
  for (const char* token : {"9223372036854775808", "99999999999999999999", "007", "00", "-1", "+1",
                            "1.5", "0x10", "req-7", "~", "~7fffffffffffffff", "~8000000000000000a",
                            "~800000000000000G", "~800000000000000A"}) {
    EXPECT_GE(MessageFromToken(token), kHashedMessage) << token;
    EXPECT_EQ(MessageFromToken(token), MessageFromToken(std::string(token))) << token;
  }
  EXPECT_NE(MessageFromToken("007"), MessageFromToken("07"));
  EXPECT_NE(MessageFromToken("a"), MessageFromToken("b"));
}

TEST(MessageToken, WrittenTokensReadBackAsTheSameNumber) {
  for (const uint64_t message : {uint64_t{0}, uint64_t{7}, kHashedMessage - 1, kHashedMessage,
                                 kHashedMessage + 0xabcdef, ~uint64_t{0}}) {
    EXPECT_EQ(MessageFromToken(TokenFromMessage(message)), message) << message;
  }
}

// Appendix A of the paper: key 00 01 … 0f, message 00 01 … 0e.
TEST(SipHash24, GivesThePapersTestVector) {
  std::string bytes;
  for (char c = 0; c < 15; ++c) bytes += c;
  const SipKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(SipHash24(key, bytes), 0xa129ca6149be45e5);
}

}  // namespace
}  // namespace syncline
