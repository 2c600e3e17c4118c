#include "write/json_text.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace syncline {
namespace {

std::string Json(std::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return json;
}

std::string Microseconds(uint64_t ns) {
  std::string text;
  AppendMicroseconds(ns, text);
  return text;
}

TEST(JsonText, QuotesBackslashesAndControlCharactersAreEscaped) {
  EXPECT_EQ(Json("a\"b\\c\n\x01\x7F"), R"("a\"b\\c\u000a\u0001\u007f")");
  EXPECT_EQ(Json("\xC2\x80\xC2\x9F\xC2\xA0"), "\"\\u0080\\u009f\xC2\xA0\"");
  EXPECT_EQ(Json(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonText, EveryByteThatBeginsNoCharacterBecomesOneReplacement) {
  const struct {
    std::string_view name, text, valid;
  } cases[] = {
      {"two, three and four bytes", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
       "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"a byte alone", "a\x80z", "a\xEF\xBF\xBDz"},
      {"cut off", "\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"overlong", "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"surrogate", "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"beyond the last", "\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"continued by a letter", "\xC3z", "\xEF\xBF\xBDz"},
  };
  for (const auto& [name, text, valid] : cases) {
    EXPECT_EQ(ValidUtf8(text), valid) << name;
    EXPECT_EQ(Json(text), '"' + std::string(valid) + '"') << name;
  }
}

TEST(JsonText, MicrosecondsKeepEveryNanosecond) {
  EXPECT_EQ(Microseconds(0), "0.000");
  EXPECT_EQ(Microseconds(1'500), "1.500");
  EXPECT_EQ(Microseconds(7), "0.007");
  EXPECT_EQ(Microseconds(UINT64_MAX), "18446744073709551.615");
}

}  // namespace
}  // namespace syncline
