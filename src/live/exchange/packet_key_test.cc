#include "live/exchange/packet_key.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace syncline {
namespace {

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string Hex(const Digest& digest) {
  std::string text;
  for (const std::byte b : digest) {
    text += "0123456789abcdef"[std::to_integer<int>(b) >> 4];
    text += "0123456789abcdef"[std::to_integer<int>(b) & 15];
  }
  return text;
}

// RFC 4231, 4.2, 4.3 and 4.7.
TEST(PacketKey, SignsAsTheExamplesOfRfc4231) {
  struct Case {
    std::string secret;
    std::string text;
    const char* digest;
  };
  for (const Case& c :
       {Case{std::string(20, '\x0b'), "Hi There",
             "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        Case{"Jefe", "what do ya want for nothing?",
             "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        Case{std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
             "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"}}) {
    EXPECT_EQ(Hex(PacketKey(c.secret).Sign(Bytes(c.text))), c.digest);
  }
}

TEST(PacketKey, VerifiesItsOwnSignatureAndNoOther) {
  const PacketKey key("0123456789abcdef");
  const std::string text = "an exchange";
  Digest digest = key.Sign(Bytes(text));
  EXPECT_TRUE(key.Verifies(Bytes(text), digest));
  EXPECT_FALSE(key.Verifies(Bytes("an exchangf"), digest));
  EXPECT_FALSE(PacketKey("0123456789abcdeF").Verifies(Bytes(text), digest));
  EXPECT_FALSE(key.Verifies(Bytes(text), std::span(digest).first(kDigestBytes - 1)));
  for (std::byte& byte : digest) {
    byte ^= std::byte{1};
    EXPECT_FALSE(key.Verifies(Bytes(text), digest));
    byte ^= std::byte{1};
  }
}

class KeyFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("syncline-key-" + std::to_string(::getpid()));
  }
  void TearDown() override { std::filesystem::remove(path_); }
  Result<PacketKey> With(const std::string& content) {
    std::ofstream(path_, std::ios::binary) << content;
    return PacketKey::FromFile(path_.string());
  }
  std::filesystem::path path_;
};

TEST_F(KeyFile, IsTakenWithoutLineEndsAtItsEnd) {
  const std::string secret = "sixteen bytes or";
  const auto key = With(secret + "\r\n");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->Sign(Bytes("x")), PacketKey(secret).Sign(Bytes("x")));
  EXPECT_TRUE(With(std::string(PacketKey::kMostBytes, 'k') + "\n").has_value());
}

TEST_F(KeyFile, MustBeLongEnoughAndReadable) {
  for (const std::string& content : {std::string(), std::string("fifteen bytes.."),
                                     std::string(PacketKey::kMostBytes + 1, 'k')}) {
    const auto key = With(content);
    ASSERT_FALSE(key.has_value());
    EXPECT_EQ(key.error().code, ErrorCode::kUsage);
  }
  EXPECT_EQ(PacketKey::FromFile("/no/such/key").error().code, ErrorCode::kUnreadable);
  EXPECT_FALSE(PacketKey().is_given());
}

}  // namespace
}  // namespace syncline
