#include "write/ctf_metadata/clock_blocks.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "write/ctf_metadata/tsdl_scanner.h"

namespace syncline::ctf_metadata {
namespace {

constexpr std::string_view kLttng = R"(/* CTF 1.8 */
env { hostname = "clock { freq = 7; };"; };
// clock { name = no; freq = 8; };
clock {
	name = "monotonic";
	description = "Monotonic \"; freq = 9;";
	freq = 1000000000; /* Frequency, in Hz */
	offset = 90; /* not offset = 91; */
};
typealias integer { size = 27; align = 1; map = clock.monotonic.value; } := uint27_t;
)";

TEST(ClockBlocks, FindsTheBlockAmongCommentsAndText) {
  const auto blocks = ClockBlocks(kLttng);
  ASSERT_TRUE(blocks);
  ASSERT_EQ(blocks->size(), 1U);
  EXPECT_EQ((*blocks)[0].name, "monotonic");
  EXPECT_EQ((*blocks)[0].setting, (ClockSetting{1'000'000'000, 0, 90}));
}

TEST(ClockBlocks, OnlyValuesAreReplaced) {
  const auto blocks = ClockBlocks(kLttng).value();
  std::string expected(kLttng);
  expected.replace(expected.find("freq = 1000000000;"), 18, "freq = 1000035000;");
  expected.replace(expected.find("offset = 90;"), 12, "offset = 12345;");
  expected.insert(expected.find("\n\tname"), "\n\toffset_s = -62;");
  const ClockSetting setting = {1'000'035'000, -62, 12'345};
  const std::string text = WithSettings(kLttng, blocks, {&setting, 1});
  EXPECT_EQ(text, expected);
  EXPECT_EQ(ClockBlocks(text).value()[0].setting, setting);
}

TEST(ClockBlocks, EqualSettingsLeaveTheText) {
  const auto blocks = ClockBlocks(kLttng).value();
  EXPECT_EQ(WithSettings(kLttng, blocks, {&blocks[0].setting, 1}), kLttng);
}

TEST(ClockBlocks, MissingValuesHaveDefaultsAndAreAdded) {
  constexpr std::string_view kText = "clock { name = a; };";
  const auto blocks = ClockBlocks(kText).value();
  EXPECT_EQ(blocks[0].setting, (ClockSetting{1'000'000'000, 0, 0}));
  const ClockSetting setting = {10, 20, 30};
  EXPECT_EQ(WithSettings(kText, blocks, {&setting, 1}),
            "clock {\n\tfreq = 10;\n\toffset_s = 20;\n\toffset = 30; name = a; };");
}

TEST(ClockBlocks, SeveralBlocksChangeEachByItself) {
  constexpr std::string_view kText =
      "clock { freq = 5; name = a; }; clock{name=b;offset_s=-3;freq=0x10ULL;offset=010;}; trace "
      "{};";
  const auto blocks = ClockBlocks(kText).value();
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].setting, (ClockSetting{5, 0, 0}));
  EXPECT_EQ(blocks[1].name, "b");
  EXPECT_EQ(blocks[1].setting, (ClockSetting{16, -3, 8}));
  const ClockSetting settings[] = {{6, 0, 0}, {16, 4, 9}};
  EXPECT_EQ(WithSettings(kText, blocks, settings),
            "clock { freq = 6; name = a; }; clock{name=b;offset_s=4;freq=0x10ULL;offset=9;}; "
            "trace {};");
}

TEST(ClockBlocks, TraceWithoutClocksHasNone) {
  EXPECT_TRUE(ClockBlocks("trace { clock { }; };").value().empty());
  EXPECT_TRUE(ClockBlocks("").value().empty());
  EXPECT_TRUE(ClockBlocks("}}}").value().empty());
}

struct BadBlocks {
  const char* what;
  const char* text;
  LineColumn position;
};
class BadClock : public testing::TestWithParam<BadBlocks> {};

TEST_P(BadClock, IsAnErrorWithItsPlace) {
  const auto blocks = ClockBlocks(GetParam().text);
  ASSERT_FALSE(blocks);
  EXPECT_EQ(blocks.error().code, ErrorCode::kMalformed);
  const auto position = std::get<LineColumn>(blocks.error().position);
  EXPECT_EQ(position.line, GetParam().position.line) << blocks.error().ToString();
  EXPECT_EQ(position.column, GetParam().position.column) << blocks.error().ToString();
}

INSTANTIATE_TEST_SUITE_P(
    All, BadClock,
    testing::Values(
        BadBlocks{"CommentWithoutEnd", "trace {};\n /* x", {2, 2}},
        BadBlocks{"TextWithoutEnd", "env { a = \"x;", {1, 11}},
        BadBlocks{"BlockWithoutEnd", "clock {\n name = a;", {1, 8}},
        BadBlocks{"NoName", "clock { freq = 1; };", {1, 8}},
        BadBlocks{"ZeroRate", "clock {\nfreq = 0; name = a; };", {2, 8}},
        BadBlocks{"NegativeRate", "clock { freq = -1; name = a; };", {1, 16}},
        BadBlocks{"NoNumber", "clock { offset = x; name = a; };", {1, 18}},
        BadBlocks{"BadDigits", "clock { offset = 09; name = a; };", {1, 18}},
        BadBlocks{"TooLarge", "clock { offset = 18446744073709551616; name = a; };", {1, 18}},
        BadBlocks{
            "TooManySeconds", "clock { offset_s = 9223372036854775808; name = a; };", {1, 20}},
        BadBlocks{"Twice", "clock { freq = 1; freq = 1; name = a; };", {1, 26}}),
    [](const auto& param) { return std::string(param.param.what); });

TEST(ClockBlocks, AnyTextIsReadOrRefused) {
  constexpr std::string_view kPieces[] = {"clock", " ",  "{",  "}",   ";",      "=",   "name",
                                          "freq",  "\"", "/*", "*/",  "//",     "\n",  "12",
                                          "-",     "'",  "\\", "0x1", "offset", "L\"", "offset_s"};
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::string text;
    for (int i = 0; i < 30; ++i) text += kPieces[random() % std::size(kPieces)];
    const auto blocks = ClockBlocks(text);
    if (!blocks) continue;
    std::vector<ClockSetting> settings;
    for (const ClockBlock& block : *blocks) settings.push_back(block.setting);
    EXPECT_EQ(WithSettings(text, *blocks, settings), text);
  }
}

TEST(TsdlScanner, TokensHaveTheirPlaces) {
  constexpr std::string_view kText = "a/**/ L'x' :=0x1u//";
  TsdlScanner scanner(kText);
  std::string seen;
  for (auto token = scanner.Next(); token && token->kind != Token::Kind::kEnd;
       token = scanner.Next()) {
    EXPECT_EQ(kText.substr(token->at, token->text.size()), token->text);
    seen += token->text;
    seen += '|';
  }
  EXPECT_EQ(seen, "a|L'x'|:|=|0x1u|");
}

}  // namespace
}  // namespace syncline::ctf_metadata
