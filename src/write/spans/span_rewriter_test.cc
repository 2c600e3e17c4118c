#include "write/spans/span_rewriter.h"

#include <gmock/gmock.h>

#include "read/spans/testing/protobuf_builder.h"

namespace syncline {
namespace {

using testing::HasSubstr;

// What becomes of `text` when the n-th time gets `more` + n nanoseconds.
Result<std::string> Rewritten(std::string_view text, int64_t more) {
  SpanReader reader = SpanReader::FromBytes(text, "x").value();
  std::string written;
  const auto write = [&](std::string_view bytes) -> Result<void> {
    written += bytes;
    return {};
  };
  auto done = RewriteSpans(reader, "x", ByteSink(write), [&](uint64_t number, LocalTime time) {
    return GlobalTime{time.ticks + more + static_cast<int64_t>(number)};
  });
  if (!done) return tl::unexpected(done.error());
  return written;
}

TEST(SpanRewriter, OnlyTimesChangeAndStayWhatTheyWere) {
  const std::string before =
      "{\"resourceSpans\":[ {\"scopeSpans\":[{\"spans\":[{\"endTimeUnixNano\":\"2000\",\n"
      "  \"x\":[1.50,\"\\u00e9\"],\"startTimeUnixNano\": 1000 ,\"name\":\"1000\",\n"
      "  \"events\":[{\"timeUnixNano\":\"1500\"},{\"timeUnixNano\":\"0\"}]}]}]} ]} \n"
      "{\"resourceLogs\":[{\"timeUnixNano\":\"1000\"}]}\n";
  // In the order start, end, events: 1000 + 7, 2000 + 8, 1500 + 9.
  const std::string after =
      "{\"resourceSpans\":[ {\"scopeSpans\":[{\"spans\":[{\"endTimeUnixNano\":\"2008\",\n"
      "  \"x\":[1.50,\"\\u00e9\"],\"startTimeUnixNano\": 1007 ,\"name\":\"1000\",\n"
      "  \"events\":[{\"timeUnixNano\":\"1509\"},{\"timeUnixNano\":\"0\"}]}]}]} ]} \n"
      "{\"resourceLogs\":[{\"timeUnixNano\":\"1000\"}]}\n";
  EXPECT_EQ(*Rewritten(before, 7), after);
}

TEST(SpanRewriter, TimesMayGetMoreDigits) {
  EXPECT_EQ(
      *Rewritten(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":9}]}]}]})", 1),
      R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":10}]}]}]})");
}

TEST(SpanRewriter, JaegersDurationsFollowTheirTimes) {
  const std::string before = R"({"data":[{"traceID":"1","spans":[{"startTime":1000,"duration":500,)"
                             R"("logs":[{"timestamp":1200}]}],"processes":{}}]})";
  // Microseconds: 1000 + 1, 1500 + 1 and 1200 + 1.
  const std::string after = R"({"data":[{"traceID":"1","spans":[{"startTime":1001,"duration":500,)"
                            R"("logs":[{"timestamp":1201}]}],"processes":{}}]})";
  EXPECT_EQ(*Rewritten(before, 1000), after);
  // The end moves across a microsecond, the start does not.
  EXPECT_THAT(*Rewritten(before, 999), HasSubstr(R"("startTime":1000,"duration":501)"));
}

TEST(SpanRewriter, ProtobufKeepsItsLengths) {
  const auto file = [](uint64_t start, uint64_t end) {
    const std::string span = protobuf::Fixed64(7, start) + protobuf::Fixed64(8, end);
    return protobuf::WithLength(protobuf::Request("a", protobuf::Bytes(2, span)));
  };
  EXPECT_EQ(*Rewritten(file(1000, 2000) + file(3000, 4000) + "\0", 10),
            file(1010, 2011) + file(3012, 4013) + "\0");
}

TEST(SpanRewriter, TimesBefore1970CannotBeWritten) {
  const auto written =
      Rewritten(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":9}]}]}]})", -10);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().ToString(), HasSubstr("before 1970"));
}

}  // namespace
}  // namespace syncline
