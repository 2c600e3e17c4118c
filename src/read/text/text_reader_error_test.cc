// Every kind of broken line, with the position and the words of its error.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "read/text/text_reader.h"

namespace syncline {
namespace {

using namespace std::string_literals;

constexpr const char* kDeclared = "clock c 1000\nprocess 0 c\n";

struct ErrorCase {
  std::string line;  // the third, after kDeclared
  uint64_t column;
  std::string message;
};

const std::string kKinds = "send, recv, bcast, block, enter, leave, mark or collective";
const std::string kFits = " that fits in a signed 64-bit integer";
const std::string kKnown = "a process that a `process` line above declares";

const std::vector<ErrorCase> kErrorCases = {
    ErrorCase{"clocks a 1", 1, "expected a time, `clock`, `process` or `group`, found 'clocks'"},
    ErrorCase{" +5 0 block", 2, "expected a time, `clock`, `process` or `group`, found '+5'"},
    ErrorCase{"\x01", 1, "expected a time, `clock`, `process` or `group`, found the byte 0x01"},
    ErrorCase{"\0"s, 1, "expected a time, `clock`, `process` or `group`, found the byte 0x00"},
    ErrorCase{"\xff\xfe", 1, "expected a time, `clock`, `process` or `group`, found '\\xff\\xfe'"},
    ErrorCase{
        std::string(50, 'x'), 1,
        "expected a time, `clock`, `process` or `group`, found '" + std::string(40, 'x') + "…'"},
    ErrorCase{"clock", 6, "expected a clock's name, found the end of the line"},
    ErrorCase{"clock  # c", 8, "expected a clock's name, found a comment"},
    ErrorCase{"clock c 5", 7, "clock 'c' is already declared in line 1"},
    ErrorCase{"clock d", 8, "expected the clock's ticks per second, found the end of the line"},
    ErrorCase{"clock d 0", 9, "expected ticks per second above 0, found '0'"},
    ErrorCase{"clock d -1000", 9, "expected ticks per second above 0, found '-1000'"},
    ErrorCase{"clock d 1e9", 9, "expected the clock's ticks per second, found '1e9'"},
    ErrorCase{"clock d 9223372036854775808", 9,
              "expected the clock's ticks per second" + kFits + ", found '9223372036854775808'"},
    ErrorCase{"clock d 5 x", 11, "expected the clock's offset in ticks, found 'x'"},
    ErrorCase{"clock d 5 6 x", 13,
              "expected how many nanoseconds late a reading may be, found 'x'"},
    ErrorCase{"clock d 5 6 -7", 13, "expected nanoseconds of 0 or more, found '-7'"},
    ErrorCase{"clock d 5 6 7 8", 15, "expected the end of the line, found '8'"},
    ErrorCase{"process", 8, "expected a process's id, found the end of the line"},
    ErrorCase{"process 0 c", 9, "process '0' is already declared in line 2"},
    ErrorCase{"process 1", 10,
              "expected the name of the process's clock, found the end of the line"},
    ErrorCase{"process 1 d", 11, "expected a declared clock, found 'd'"},
    ErrorCase{"process 1 c a\x02", 14, "expected a label, found the byte 0x02"},
    ErrorCase{"group", 6, "expected a group's name, found the end of the line"},
    ErrorCase{"group g", 8, "expected " + kKnown + ", found the end of the line"},
    ErrorCase{"group g # of none", 9, "expected " + kKnown + ", found a comment"},
    ErrorCase{"group g 0 1", 11, "expected " + kKnown + ", found '1'"},
    ErrorCase{"group g 0 0", 11, "process '0' is already in the group"},
    ErrorCase{"group g 0\x02", 10, "expected " + kKnown + ", found the byte 0x02"},
    ErrorCase{"- 0 block", 1, "expected a time, found '-'"},
    ErrorCase{"1x 0 block", 1, "expected a time, found '1x'"},
    ErrorCase{"1.5 0 block", 1, "expected a time, found '1.5'"},
    ErrorCase{"9223372036854775808 0 block", 1,
              "expected a time" + kFits + ", found '9223372036854775808'"},
    ErrorCase{"-9223372036854775809 0 block", 1,
              "expected a time" + kFits + ", found '-9223372036854775809'"},
    ErrorCase{"18446744073709551617 0 block", 1,
              "expected a time" + kFits + ", found '18446744073709551617'"},
    ErrorCase{"1", 2, "expected " + kKnown + ", found the end of the line"},
    ErrorCase{"1 9 block", 3, "expected " + kKnown + ", found '9'"},
    ErrorCase{"1 nobody block", 3, "expected " + kKnown + ", found 'nobody'"},
    ErrorCase{"1 0", 4, "expected " + kKinds + ", found the end of the line"},
    ErrorCase{"1 0 sendx 0 1", 5, "expected " + kKinds + ", found 'sendx'"},
    ErrorCase{"1 0 send", 9, "expected " + kKnown + ", found the end of the line"},
    ErrorCase{"1 0 send 5 1", 10, "expected " + kKnown + ", found '5'"},
    ErrorCase{"1 0 send 0", 11, "expected a message id, found the end of the line"},
    ErrorCase{"1 0 recv 0 1 many", 14, "expected the message's size in bytes, found 'many'"},
    ErrorCase{"1 0 recv 0 1 -1", 14, "expected a size of at least 0 bytes, found '-1'"},
    ErrorCase{"1 0 recv 0 1 1 1", 16, "expected the end of the line, found '1'"},
    ErrorCase{"1 0 recv 0 1\x03 1", 13,
              "expected the message's size in bytes, found the byte 0x03"},
    ErrorCase{"1 0 recv 0 7\0"s, 13, "expected the message's size in bytes, found the byte 0x00"},
    ErrorCase{"1 0 bcast", 10, "expected a message id, found the end of the line"},
    ErrorCase{"1 0 bcast 1 1", 13, "expected the end of the line, found '1'"},
    ErrorCase{"1 0 block x", 11, "expected the end of the line, found 'x'"},
    ErrorCase{"1 0 block\rx", 10, "expected the end of the line, found the byte 0x0d"},
    ErrorCase{"1 0 block # a\0"s, 14, "expected text, found the byte 0x00"},
    ErrorCase{"# a\0b"s, 4, "expected text, found the byte 0x00"},
    ErrorCase{"1 0 enter", 10, "expected a name, found the end of the line"},
    ErrorCase{"1 0 mark a b", 12, "expected the end of the line, found 'b'"},
    ErrorCase{"1 0 collective", 15,
              "expected the kind of the collective, found the end of the line"},
    ErrorCase{"1 0 collective a", 17,
              "expected the collective's group, found the end of the "
              "line"},
    ErrorCase{"1 0 collective a b", 19,
              "expected the collective's instance, found the end of the line"},
    ErrorCase{"1 0 collective a b 1", 21, "expected begin or end, found the end of the line"},
    ErrorCase{"1 0 collective a b 1 start", 22, "expected begin or end, found 'start'"},
    ErrorCase{"1 0 collective a b 1 end leaf", 26,
              "expected root, a size in bytes or the end of the line, found 'leaf'"},
    ErrorCase{"1 0 collective a b 1 end root leaf", 31,
              "expected the member's size in bytes, found 'leaf'"},
    ErrorCase{"1 0 collective a b 1 end -1", 26, "expected a size of at least 0 bytes, found '-1'"},
    ErrorCase{"1 0 collective a b 1 end 1x", 26, "expected the member's size in bytes, found '1x'"},
    ErrorCase{"1 0 collective a b 1 end 1 root", 28, "expected the end of the line, found 'root'"}};

TEST(TextReaderErrors, SayWhatWasExpectedAndWhatWasFoundWhere) {
  for (const auto& [line, column, message] : kErrorCases) {
    SCOPED_TRACE(testing::PrintToString(line));
    const std::string text = kDeclared + line + "\n1 0 block\n";
    TextReader reader = TextReader::FromMemory(text);
    EXPECT_EQ(reader.Next(), nullptr);
    ASSERT_TRUE(reader.error());
    EXPECT_EQ(reader.error()->message, message);
    EXPECT_EQ(reader.error()->code, ErrorCode::kMalformed);
    const auto position = std::get<LineColumn>(reader.error()->position);
    EXPECT_EQ(position.line, 3u);
    EXPECT_EQ(position.column, column);
    EXPECT_EQ(reader.Next(), nullptr) << "goes on after an error";
  }
}

TEST(TextReaderErrors, AGroupIsDeclaredOnceAndBeforeItsUse) {
  const std::string twice = kDeclared + std::string("group a 0\ngroup b 0\ngroup a 0\n");
  TextReader reader = TextReader::FromMemory(twice);
  EXPECT_EQ(reader.Next(), nullptr);
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->ToString(), "memory:5:7: group 'a' is already declared in line 3");

  const std::string late =
      kDeclared + std::string(
                      "1 0 mark a\n2 0 collective barrier b 1 begin\n"
                      "3 0 collective barrier b 1 end\ngroup a 0\ngroup b 0\n");
  reader = TextReader::FromMemory(late);
  while (reader.Next() != nullptr) continue;
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->ToString(), "memory:7:7: group 'b' is already used in line 4");
}

TEST(TextReaderLimits, RejectALineThatIsTooLong) {
  const std::string text = kDeclared + std::string("1 0 mark ") + std::string(1 << 20, 'x') + "\n";
  TextReader reader = TextReader::FromMemory(text);
  EXPECT_EQ(reader.Next(), nullptr);
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->ToString(), "memory:3:1: the line is longer than 1048576 bytes");
}

TEST(TextReaderLimits, RejectTooManyNames) {
  std::string text = kDeclared;
  const std::string long_name(1'000'000, 'x');
  for (int i = 0; i < 140; ++i) text += "1 0 mark " + std::to_string(100 + i) + long_name + "\n";
  TextReader reader = TextReader::FromMemory(text);
  int events = 0;
  while (reader.Next() != nullptr) ++events;
  ASSERT_TRUE(reader.error());
  EXPECT_EQ(reader.error()->message, "too many names: they take more than 256 MiB");
  EXPECT_EQ(events, 134);  // a name counts twice: 134 · 2·10⁶ < 2^28 < 135 · 2·10⁶
}

}  // namespace
}  // namespace syncline
