#include "read/logs/log_fields.h"

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;

// A line with what has to be behind it.
class Line {
 public:
  explicit Line(std::string text) : size_(text.size()), text_(std::move(text)) {
    text_.resize(size_ + LogFields::kPadding);
  }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  size_t size_;
  std::string text_;
};

LogSource Source(LogForm form, std::string_view pattern = {}) {
  LogSource source;
  source.form = form;
  if (!pattern.empty()) source.pattern = Pattern::Compile(pattern).value();
  return source;
}

// The fields' texts; "?" where there is none, "no line" where the line is of another form.
std::vector<std::string> Read(LogFields& fields, const std::string& text) {
  const Line line(text);
  if (!fields.Read(line.view())) return {"no line"};
  std::vector<std::string> texts;
  for (const LogField& field : fields.fields()) {
    texts.emplace_back(field.is_there ? field.text : "?");
  }
  return texts;
}

TEST(JsonFields, ArePathsAndNamesWithDots) {
  LogFields fields(Source(LogForm::kJson), {"t", "a.b.c", "id.orig_h", "x", "a.n", ""});
  EXPECT_THAT(Read(fields, R"( {"t":12.50 ,"a":{"b":{"c":"v\u00e9"},"n":true},"id.orig_h":"h"} )"),
              ElementsAre("12.50", "v\xc3\xa9", "h", "?", "true", "?"));
  EXPECT_THAT(Read(fields, R"({"a.b":{"c":1},"x":null,"t":[1]})"),
              ElementsAre("?", "1", "?", "?", "?", "?"));
  EXPECT_THAT(Read(fields, R"({"t":1,"t":2})"), ElementsAre("1", "?", "?", "?", "?", "?"));
}

TEST(JsonFields, HaveThePlaceOfTheirBytes) {
  LogFields fields(Source(LogForm::kJson), {"t", "n"});
  const Line line(R"({"x":"\"","t": "ab\n" , "n" : -7e1 })");
  ASSERT_TRUE(fields.Read(line.view()));
  const LogField& text = fields.fields()[0];
  EXPECT_EQ(line.view().substr(text.at, text.length), "ab\\n");
  EXPECT_TRUE(text.is_quoted);
  const LogField& number = fields.fields()[1];
  EXPECT_EQ(line.view().substr(number.at, number.length), "-7e1");
}

// As programs write them whose names or messages are bytes.
TEST(JsonFields, MayHoldBytesThatJsonMayNot) {
  LogFields fields(Source(LogForm::kJson), {"t", "n"});
  EXPECT_THAT(Read(fields, "{\"t\":1,\"x\":\"Ren\xe9\",\"n\":\"a\tb\x01\xff\"}"),
              ElementsAre("1", "a\tb\x01\xff"));
  // Half of a character; with escapes, what is no text is not told.
  EXPECT_THAT(Read(fields, "{\"x\":\"\xe2\x82\",\"n\":\"\\u00e9\xe2\"}"),
              ElementsAre("?", "\xc3\xa9?"));
  const Line line("{\"x\":\"\xe9\\\"\",\"t\":\"\xe9 1\"}");
  ASSERT_TRUE(fields.Read(line.view()));
  const LogField& text = fields.fields()[0];
  EXPECT_EQ(line.view().substr(text.at, text.length), "\xe9 1");
  EXPECT_THAT(Read(fields, "{\"t\":\xe9}"), ElementsAre("no line"));
}

TEST(JsonFields, OtherLinesAreNone) {
  LogFields fields(Source(LogForm::kJson), {"t"});
  for (const char* text : {"", " ", "at x (y.js:3)", "[1]", "\"t\"", "{", R"({"t":1)",
                           R"({"t":1}})", R"({"t":1} x)", R"({"t" 1})", R"({"t":"a)"}) {
    EXPECT_THAT(Read(fields, text), ElementsAre("no line")) << text;
  }
  std::string deep = R"({"t":)";
  for (int i = 0; i < 5000; ++i) deep += "[";
  EXPECT_THAT(Read(fields, deep), ElementsAre("no line"));
}

TEST(CsvFields, AreFoundByHeaderOrNumber) {
  LogSource source = Source(LogForm::kCsv);
  source.time = "time";
  LogFields fields(source, {"time", "2", "\"q\"", "9"});
  fields.Begin(Line("time,who,\"\"\"q\"\"\"").view());
  EXPECT_TRUE(fields.has_header());
  EXPECT_THAT(Read(fields, R"(7,"a ""b"", c",d)"), ElementsAre("7", "a \"b\", c", "d", "?"));
  EXPECT_THAT(Read(fields, "7"), ElementsAre("7", "?", "?", "?"));
  EXPECT_THAT(Read(fields, R"(7,"open)"), ElementsAre("no line"));
  EXPECT_THAT(Read(fields, R"(7,"a"b)"), ElementsAre("no line"));
}

// Of a file without a head line: its first record has the texts "1" and "2", and the name of a
// field.
TEST(CsvFields, NumbersAreColumnsWhateverStandsInTheFirstLine) {
  LogSource source = Source(LogForm::kCsv);
  source.time = "1";
  LogFields fields(source, {"1", "2", "4"});
  const std::string first = "2026-11-18,req,1,2";
  fields.Begin(Line(first).view());
  EXPECT_FALSE(fields.has_header());
  EXPECT_THAT(Read(fields, first), ElementsAre("2026-11-18", "req", "2"));
}

TEST(TsvFields, HaveNoQuotes) {
  LogFields fields(Source(LogForm::kTsv), {"1", "2"});
  fields.Begin(Line("5\tx").view());
  EXPECT_FALSE(fields.has_header());
  EXPECT_THAT(Read(fields, "5\t\"x"), ElementsAre("5", "\"x"));
}

TEST(TextFields, AreGroups) {
  LogFields fields(Source(LogForm::kText, R"(^(?P<time>\S+) (?:id=(?P<id>\d+))?)"),
                   {"time", "id", "nothing", "time"});
  EXPECT_THAT(Read(fields, "12:00 id=7"), ElementsAre("12:00", "7", "?", "12:00"));
  EXPECT_THAT(Read(fields, "12:00 "), ElementsAre("12:00", "?", "?", "12:00"));
  EXPECT_THAT(Read(fields, " "), ElementsAre("no line"));
}

}  // namespace
}  // namespace syncline
