#include "write/logs/log_rewriter.h"

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

LogSource SourceOf(LogForm form, std::string time) {
  LogSource source;
  source.form = form;
  source.time = std::move(time);
  return source;
}

// What becomes of `text` when all times are `more_ns` later.
Result<std::string> RewrittenLog(std::string_view text, const LogSource& source, int64_t more_ns,
                                 const std::string& add_field = {}) {
  const std::vector<LogSource> sources = {source};
  LogReader first = LogReader::FromMemory(text, "x", sources);
  while (first.Next() != nullptr) {
  }
  LogReaderOptions options;
  if (!add_field.empty()) options.fields = {add_field};
  LogReader reader = LogReader::FromMemory(text, "x", sources, options);
  std::string written;
  const auto write = [&](std::string_view bytes) -> Result<void> {
    written += bytes;
    return {};
  };
  const auto retime = [&](const LogLine& line) {
    return GlobalTime{line.moments[line.written_moment].time.ticks + more_ns};
  };
  auto done = RewriteLog(reader, "x",
                         {.sources = sources,
                          .precisions = first.precisions(),
                          .add_field = add_field,
                          .retime = retime},
                         ByteSink(write));
  if (!done) return tl::unexpected(done.error());
  return written;
}

TEST(LogRewriter, OnlyTheTimeChanges) {
  const LogSource source = SourceOf(LogForm::kJson, "a.t");
  EXPECT_EQ(*RewrittenLog("{\"x\": 1.50, \"a\":{\"t\" :\"2026-11-23T23:20:00+01:00\"}}\r\n"
                          "  at y\n\n{\"a\":{\"t\":\"1\"}}",
                          source, kSecond),
            "{\"x\": 1.50, \"a\":{\"t\" :\"2026-11-23T23:20:01+01:00\"}}\r\n"
            "  at y\n\n{\"a\":{\"t\":\"2\"}}");
}

TEST(LogRewriter, AFileThatLeavesOutZerosKeepsDoingSo) {
  const LogSource source = SourceOf(LogForm::kJson, "t");
  EXPECT_EQ(*RewrittenLog("{\"t\":1.5}\n{\"t\":2}\n{\"t\":3.125}\n", source, kSecond / 1000),
            "{\"t\":1.501}\n{\"t\":2.001}\n{\"t\":3.126}\n");
  EXPECT_EQ(*RewrittenLog("{\"t\":1.5}\n{\"t\":2}\n{\"t\":3.125}\n", source, kSecond / 2),
            "{\"t\":2}\n{\"t\":2.5}\n{\"t\":3.625}\n");
}

TEST(LogRewriter, AFieldIsAddedBesideTheTime) {
  EXPECT_EQ(
      *RewrittenLog("{\"t\":\"1\" ,\"x\":2}\nno\n", SourceOf(LogForm::kJson, "t"), kSecond, "t2"),
      "{\"t\":\"1\",\"t2\":\"2\" ,\"x\":2}\nno\n");
  EXPECT_EQ(*RewrittenLog("t,x\r\n\"1\",a\r\n5,\"b\nc\"\r\n", SourceOf(LogForm::kCsv, "t"), kSecond,
                          "t2"),
            "t,x,t2\r\n\"1\",a,\"2\"\r\n5,\"b\nc\"\r\n");
  EXPECT_EQ(*RewrittenLog("1\tx", SourceOf(LogForm::kTsv, "1"), kSecond, "t2"), "1\tx\t2");
}

TEST(LogRewriter, NoFieldIsAddedToText) {
  LogSource source = SourceOf(LogForm::kText, "time");
  source.pattern = Pattern::Compile("^(?P<time>\\d+)").value();
  EXPECT_EQ(*RewrittenLog("12 x", source, kSecond), "13 x");
  const auto added = RewrittenLog("12 x", source, kSecond, "t2");
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().ToString(), HasSubstr("x:1:1: --add-field adds to JSON"));
}

TEST(LogRewriter, TimesBefore1970AreNotWritten) {
  const auto written = RewrittenLog("{\"t\":1}\n", SourceOf(LogForm::kJson, "t"), -2 * kSecond);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().ToString(), HasSubstr("x:1:6: a corrected time lies before 1970"));
}

}  // namespace
}  // namespace syncline
