#include "read/spans/span_forms.h"
#include "read/spans/span_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

std::string JaegerFileOf(const std::string& members) {
  return R"({"data":[{"traceID":"ab","spans":[{"traceID":"ab","spanID":"01",)" + members +
         R"(,"processID":"p1"}],"processes":{"p1":{"serviceName":"shop","tags":[)"
         R"({"key":"hostname","type":"string","value":"a"}]}}}],"total":0})";
}

TEST(JaegerJson, ASpanEndsItsDurationAfterItsStart) {
  const std::string text = JaegerFileOf(R"("startTime":1795394196812537,"duration":42004)");
  const ReadSpans read = ReadAllSpans(text);
  ASSERT_EQ(read.error, "");
  const Span& span = read.spans.at(0);
  EXPECT_EQ(span.start.ns, 1795394196812537 * 1000);
  EXPECT_EQ(span.end.ns, (1795394196812537 + 42004) * 1000);
  const size_t element = text.find("{\"traceID\"");
  EXPECT_EQ(text.substr(element + span.end.at, span.end.length), "42004");
  EXPECT_EQ(read.resources.at(0).attributes[SpanResource::kHostName], "a");
  EXPECT_EQ(read.resources.at(0).attributes[SpanResource::kService], "shop");
}

TEST(JaegerJson, ADurationOfZeroHasAPlace) {
  const Span span = ReadAllSpans(JaegerFileOf(R"("startTime":5,"duration":0)")).spans.at(0);
  EXPECT_EQ(span.end.length, 1U);
  EXPECT_EQ(span.end.ns, 5000);
}

TEST(JaegerJson, TheFirstChildOfIsTheParentAndAllElseLinks) {
  const Span span =
      ReadAllSpans(
          JaegerFileOf(R"("references":[{"refType":"FOLLOWS_FROM","traceID":"cd","spanID":"2"},)"
                       R"({"refType":"CHILD_OF","traceID":"ab","spanID":"3"}])"))
          .spans.at(0);
  EXPECT_EQ(span.parent, (SpanKey{0, 0xab, 3}));
  ASSERT_EQ(span.links.size(), 1U);
  EXPECT_EQ(span.links[0], (SpanKey{0, 0xcd, 2}));
}

TEST(JaegerJson, TagsTellKindAndStatus) {
  const Span span =
      ReadAllSpans(
          JaegerFileOf(
              R"("tags":[{"key":"span.kind","type":"string","value":"client"},)"
              R"({"key":"http.status_code","type":"int64","value":503},)"
              R"({"key":"error","type":"bool","value":true}],)"
              R"("logs":[{"timestamp":7,"fields":[{"key":"event","value":"exception"}]}])"))
          .spans.at(0);
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.http_status, 503);
  EXPECT_TRUE(span.is_error);
  ASSERT_EQ(span.moments.size(), 1U);
  EXPECT_EQ(span.moments[0].time.ns, 7000);
  EXPECT_EQ(span.moments[0].name, "exception");
}

TEST(JaegerJson, ATagsValueMayStandBeforeItsKey) {
  const Span span =
      ReadAllSpans(JaegerFileOf(R"("tags":[{"value":"client","type":"string","key":"span.kind"},)"
                                R"({"value":true,"key":"error"}])"))
          .spans.at(0);
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_TRUE(span.is_error);
}

TEST(JaegerJson, TimesThatAreNoIntegersAreErrors) {
  for (const char* members :
       {R"("startTime":1.5)", R"("startTime":5,"duration":1.5)", R"("startTime":5,"duration":-1)",
        R"("startTime":5,"duration":1e3)", R"("startTime":9223372036854775807)",
        R"("startTime":5,"duration":"7")"}) {
    EXPECT_THAT(ReadAllSpans(JaegerFileOf(members)).error, HasSubstr("x:1:")) << members;
  }
}

}  // namespace
}  // namespace syncline
