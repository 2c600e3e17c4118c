#include "read/spans/span_forms.h"
#include "read/spans/span_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

// One resource of one span, whose members are given.
std::string OtlpFileOf(const std::string& members) {
  return R"({"resourceSpans":[{"resource":{"attributes":[)"
         R"({"key":"service.name","value":{"stringValue":"shop"}},)"
         R"({"key":"host.name","value":{"stringValue":"a"}}]},)"
         R"("scopeSpans":[{"spans":[{)" +
         members + "}]}]}]}\n";
}

TEST(OtlpJson, ASpanHasItsIdsKindTimesAndWhatWasSaidOfItsCall) {
  const ReadSpans read = ReadAllSpans(OtlpFileOf(
      R"("traceId":"000102030405060708090a0b0c0d0e0f","spanId":"1011121314151617",)"
      R"("parentSpanId":"2021222324252627","name":"GET","kind":3,)"
      R"("startTimeUnixNano":"1795394196905347957","endTimeUnixNano":"1795394197033168047",)"
      R"("attributes":[{"key":"http.response.status_code","value":{"intValue":"200"}}],)"
      R"("events":[{"timeUnixNano":"1795394197000000001","name":"exception"}],)"
      R"("links":[{"traceId":"0f","spanId":"0e"}],"status":{"code":2})"));
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.spans.size(), 1U);
  const Span& span = read.spans[0];
  const SpanKey key{0x0001020304050607, 0x08090a0b0c0d0e0f, 0x1011121314151617};
  EXPECT_EQ(span.key, key);
  EXPECT_EQ(span.parent, (SpanKey{key.trace_high, key.trace_low, 0x2021222324252627}));
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.name, "GET");
  EXPECT_EQ(span.start.ns, 1795394196905347957);
  EXPECT_EQ(span.end.ns, 1795394197033168047);
  EXPECT_EQ(span.http_status, 200);
  EXPECT_TRUE(span.is_error);
  ASSERT_EQ(span.moments.size(), 1U);
  EXPECT_EQ(span.moments[0].name, "exception");
  EXPECT_EQ(span.moments[0].time.ns, 1795394197000000001);
  ASSERT_EQ(span.links.size(), 1U);
  EXPECT_EQ(span.links[0], (SpanKey{0, 0x0f, 0x0e}));
  EXPECT_EQ(read.resources[0].attributes[SpanResource::kHostName], "a");
  EXPECT_EQ(read.resources[0].attributes[SpanResource::kService], "shop");
}

TEST(OtlpJson, AnAttributesValueMayStandBeforeItsKey) {
  const ReadSpans read = ReadAllSpans(
      R"({"resourceSpans":[{"resource":{"attributes":[)"
      R"({"value":{"stringValue":"a"},"key":"host.name"},{"key":"x"},{"value":{"intValue":1}}]},)"
      R"("scopeSpans":[{"spans":[{"startTimeUnixNano":1,"attributes":[)"
      R"({"value":{"stringValue":"receive"},"key":"messaging.operation.type"},)"
      R"({"key":"http.status_code","value":{"intValue":200}}]}]}]}]})");
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.resources.at(0).attributes[SpanResource::kHostName], "a");
  EXPECT_TRUE(read.spans.at(0).is_reception);
  EXPECT_EQ(read.spans.at(0).http_status, 200);
}

TEST(OtlpJson, PlacesOfTimesAreThoseOfTheirDigits) {
  const std::string text = OtlpFileOf(R"("startTimeUnixNano": "123" ,"endTimeUnixNano":  456 )");
  const ReadSpans read = ReadAllSpans(text);
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.spans.size(), 1U);
  const size_t element = text.find("{\"resource\"");
  const TimePlace start = read.spans[0].start, end = read.spans[0].end;
  EXPECT_EQ(text.substr(element + start.at, start.length), "123");
  EXPECT_EQ(text.substr(element + end.at, end.length), "456");
  EXPECT_EQ(end.ns, 456);
}

TEST(OtlpJson, KindsMayBeNamesAndNumbersStrings) {
  const auto kind = [](const std::string& value) {
    return ReadAllSpans(OtlpFileOf("\"kind\":" + value)).spans.at(0).kind;
  };
  EXPECT_EQ(kind("\"SPAN_KIND_SERVER\""), SpanKind::kServer);
  EXPECT_EQ(kind("\"2\""), SpanKind::kServer);
  EXPECT_EQ(kind("5"), SpanKind::kConsumer);
  EXPECT_EQ(kind("77"), SpanKind::kUnknown);
  EXPECT_EQ(kind("null"), SpanKind::kUnknown);
}

TEST(OtlpJson, ATimeOfZeroOrNoneIsNotThere) {
  for (const char* members : {"\"name\":\"x\"", "\"startTimeUnixNano\":\"0\"",
                              "\"startTimeUnixNano\":0", "\"startTimeUnixNano\":null"}) {
    EXPECT_FALSE(ReadAllSpans(OtlpFileOf(members)).spans.at(0).start.IsThere()) << members;
  }
}

TEST(OtlpJson, ATimeThatIsNoIntegerIsAnError) {
  for (const char* value :
       {"\"12x\"", "1.5", "1e9", "\"-5\"", "true", "\"99999999999999999999\"", "\"1\\u0032\""}) {
    const ReadSpans read = ReadAllSpans(OtlpFileOf(std::string("\"startTimeUnixNano\":") + value));
    EXPECT_THAT(read.error, HasSubstr("x:1:")) << value;
  }
}

TEST(OtlpJson, IdsInOtherNotationsStillTellSpansApart) {
  const auto key = [](const std::string& id) {
    return ReadAllSpans(OtlpFileOf("\"traceId\":\"" + id + "\",\"spanId\":\"q+1\""))
        .spans.at(0)
        .key;
  };
  EXPECT_TRUE(key("AAECAwQFBgcICQoLDA0ODw==").IsValid());
  EXPECT_EQ(key("AAECAwQFBgcICQoLDA0ODw=="), key("AAECAwQFBgcICQoLDA0ODw=="));
  EXPECT_NE(key("AAECAwQFBgcICQoLDA0ODw=="), key("AAECAwQFBgcICQoLDA0ODg=="));
}

TEST(OtlpJson, TheResourceMayFollowItsSpansAndTheAttributeBeAskedFor) {
  const std::string text =
      R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}],"resource":{"attributes":[)"
      R"({"value":{"stringValue":"m1"},"key":"machine"},)"
      R"({"key":"machine","value":{"stringValue":"m2"}}]}}]})";
  EXPECT_EQ(ReadAllSpans(text, "machine").resources.at(0).attributes[SpanResource::kClockBy], "m2");
}

TEST(OtlpJson, AttributesTellCallsOfGrpcAndWhatFetchesMessages) {
  const auto with = [](const std::string& key, const std::string& value) {
    const std::string attribute = R"({"key":")" + key + R"(","value":{)" + value + "}}";
    return ReadAllSpans(OtlpFileOf("\"attributes\":[" + attribute + "]")).spans.at(0);
  };
  EXPECT_TRUE(with("rpc.system", R"("stringValue":"grpc")").is_grpc);
  EXPECT_TRUE(with("rpc.grpc.status_code", R"("intValue":"0")").is_grpc);
  const Span other = with("rpc.system.name", R"("stringValue":"apache_dubbo")");
  EXPECT_TRUE(other.is_rpc && !other.is_grpc);
  const Span ok = with("rpc.response.status_code", R"("stringValue":"OK")");
  EXPECT_TRUE(ok.grpc_status == 0 && !ok.is_grpc);
  EXPECT_TRUE(with("messaging.operation", R"("stringValue":"receive")").is_reception);
  EXPECT_TRUE(with("messaging.operation.type", R"("stringValue":"receive")").is_reception);
  EXPECT_TRUE(with("messaging.operation.name", R"("stringValue":"poll")").is_reception);
  EXPECT_FALSE(with("messaging.operation.type", R"("stringValue":"process")").is_reception);
}

TEST(OtlpJson, TheFormOfTempoAndOlderScopesAreRead) {
  const std::string text =
      R"({"batches":[{"instrumentationLibrarySpans":[{"spans":[{"name":"x"},{"name":"y"}]}]}]})";
  EXPECT_EQ(ReadAllSpans(text).spans.size(), 2U);
}

}  // namespace
}  // namespace syncline
