#include "base/sha256.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace syncline {
namespace {

std::string HashInPieces(std::string_view text, size_t piece) {
  Sha256 hash;
  for (size_t at = 0; at < text.size(); at += piece) {
    hash.Add(std::as_bytes(std::span(text.substr(at, piece))));
  }
  return hash.Finish();
}

// The examples that NIST publishes with the standard, and the empty message.
TEST(Sha256, GivesThePublishedDigests) {
  const struct {
    std::string text;
    const char* digest;
  } cases[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const auto& c : cases) EXPECT_EQ(HashInPieces(c.text, 4096), c.digest);
}

TEST(Sha256, DoesNotDependOnHowTheMessageIsCut) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>('a' + i % 26);
  const std::string whole = HashInPieces(text, text.size());
  for (const size_t piece : {1, 3, 55, 56, 63, 64, 65, 128}) {
    EXPECT_EQ(HashInPieces(text, piece), whole) << piece;
  }
}

TEST(Sha256, NamesAFileThatIsNotThere) {
  const auto digest = Sha256OfFile("/nonexistent/trace.pcap");
  ASSERT_FALSE(digest);
  EXPECT_NE(digest.error().ToString().find("/nonexistent/trace.pcap"), std::string::npos);
}

}  // namespace
}  // namespace syncline
