#include "write/ctf_metadata/metadata_text.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "write/ctf_metadata/testing/test_metadata.h"

namespace syncline::ctf_metadata {
namespace {

constexpr std::string_view kFirst = "/* CTF 1.8 */ env { ";
constexpr std::string_view kSecond = "a = 1; };";

TEST(MetadataText, PlainTextIsTakenAsItIs) {
  EXPECT_EQ(MetadataText(kFirst).value(), kFirst);
  EXPECT_EQ(MetadataText("").value(), "");
}

TEST(MetadataText, PacketsOfEitherByteOrderAreJoinedWithoutTheirPadding) {
  for (const auto swaps : {ByteSwap::kNo, ByteSwap::kYes}) {
    const std::string content = PacketOf({kFirst, swaps}) + PacketOf({kSecond, swaps});
    EXPECT_EQ(MetadataText(content).value(), std::string(kFirst) + std::string(kSecond));
  }
}

TEST(MetadataText, TextWithoutTheSignatureGetsIt) {
  EXPECT_EQ(MetadataText(PacketOf({kSecond})).value(), "/* CTF 1.8 */\n" + std::string(kSecond));
}

TEST(MetadataText, PaddingMayBeMissingAtTheEnd) {
  const std::string packet = PacketOf({kFirst});
  const std::string cut = packet.substr(0, kTestHeaderBytes + kFirst.size());
  ASSERT_LT(cut.size(), packet.size());
  EXPECT_EQ(MetadataText(cut).value(), kFirst);
}

struct BadText {
  const char* what;
  std::string content;
  ErrorCode code;
};
class BadMetadata : public testing::TestWithParam<BadText> {};

TEST_P(BadMetadata, IsAClearError) {
  const auto text = MetadataText(GetParam().content);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, GetParam().code) << text.error().ToString();
}

std::string With(size_t at, char byte) {
  std::string packet = PacketOf({kFirst});
  packet[at] = byte;
  return packet;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMetadata,
    testing::Values(
        BadText{"Ctf2", "\x1e{\"type\":\"preamble\",\"version\":2}", ErrorCode::kUnsupported},
        BadText{"HeaderCut", PacketOf({kFirst}).substr(0, 36), ErrorCode::kMalformed},
        BadText{"ContentCut", PacketOf({kFirst}).substr(0, 50), ErrorCode::kMalformed},
        BadText{"NoSecondMagic", PacketOf({kFirst}) + std::string(40, 'x'), ErrorCode::kMalformed},
        BadText{"ContentBelowHeader", With(24, '\x08').replace(25, 1, 1, '\0'),
                ErrorCode::kMalformed},
        BadText{"PacketBelowContent", With(28, '\x08').replace(29, 1, 1, '\0'),
                ErrorCode::kMalformed},
        BadText{"Checksum", With(20, 1), ErrorCode::kUnsupported},
        BadText{"Compressed", With(32, 1), ErrorCode::kUnsupported},
        BadText{"Encrypted", With(33, 1), ErrorCode::kUnsupported},
        BadText{"Version", With(36, 9), ErrorCode::kUnsupported}),
    [](const auto& param) { return std::string(param.param.what); });

TEST(MetadataText, ErrorsNameFileAndByte) {
  const auto text = ReadMetadata("/nonexistent/metadata");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kUnreadable);
  EXPECT_EQ(text.error().file, "/nonexistent/metadata");
  const auto second = MetadataText(PacketOf({kFirst}) + std::string(40, 'x'));
  EXPECT_EQ(std::get<ByteOffset>(second.error().position).value, PacketOf({kFirst}).size());
}

}  // namespace
}  // namespace syncline::ctf_metadata
