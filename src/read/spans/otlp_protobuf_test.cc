#include <fmt/format.h>

#include "read/spans/protobuf_messages.h"
#include "read/spans/span_forms.h"
#include "read/spans/span_test_util.h"
#include "read/spans/testing/protobuf_builder.h"

namespace syncline {
namespace {

using protobuf::Bytes;
using protobuf::Fixed64;
using protobuf::Number;
using testing::HasSubstr;

std::string ProtobufFileOf(const std::string& span) {
  return protobuf::WithLength(protobuf::Request("a", Bytes(2, span)));
}

TEST(OtlpProtobuf, ASpanIsWhatItsFieldsSay) {
  const std::string trace = "0123456789abcdef";  // 16 bytes, whatever they are
  const std::string text = ProtobufFileOf(
      Bytes(1, trace) + Bytes(2, "ABCDEFGH") + Bytes(4, "IJKLMNOP") + Bytes(5, "GET") +
      Number(6, 3) + Fixed64(7, 1795394196905347957) + Fixed64(8, 1795394197033168047) +
      Bytes(9, protobuf::IntegerAttribute("http.response.status_code", 200)) +
      Bytes(11, Fixed64(1, 1795394197000000001) + Bytes(2, "exception")) +
      Bytes(13, Bytes(1, trace) + Bytes(2, "abcdefgh")) + Bytes(15, Number(3, 2)) +
      Bytes(99, "what is not known"));
  const ReadSpans read = ReadAllSpans(text);
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.spans.size(), 1U);
  const Span& span = read.spans[0];
  EXPECT_EQ(span.key, (SpanKey{0x3031323334353637, 0x3839616263646566, 0x4142434445464748}));
  EXPECT_EQ(span.parent.span, 0x494a4b4c4d4e4f50U);
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.start.ns, 1795394196905347957);
  EXPECT_EQ(span.end.ns, 1795394197033168047);
  EXPECT_EQ(text.substr(span.start.at, 8), Fixed64(7, 1795394196905347957).substr(1));
  EXPECT_EQ(span.http_status, 200);
  EXPECT_TRUE(span.is_error);
  ASSERT_EQ(span.moments.size(), 1U);
  EXPECT_EQ(span.moments[0].time.ns, 1795394197000000001);
  ASSERT_EQ(span.links.size(), 1U);
  EXPECT_EQ(span.links[0].span, 0x6162636465666768U);
  EXPECT_EQ(read.resources[0].attributes[SpanResource::kHostName], "a");
}

TEST(OtlpProtobuf, MessagesFollowOneAnother) {
  const std::string text =
      ProtobufFileOf(Fixed64(7, 1)) + ProtobufFileOf(Fixed64(7, 2)) + ProtobufFileOf(Fixed64(7, 3));
  const ReadSpans read = ReadAllSpans(text);
  ASSERT_EQ(read.spans.size(), 3U);
  EXPECT_EQ(read.spans[2].start.ns, 3);
  EXPECT_EQ(read.bytes, text);
}

// Requests of logs and metrics have the same outer fields: a record's time is a fixed64 where a
// span's trace is, and its trace stands where a span's attributes are; a metric has no time itself.
TEST(OtlpProtobuf, LogsAndMetricsAreNoSpans) {
  const std::string trace = "0123456789abcdef";
  const std::string log = ProtobufFileOf(Fixed64(1, 7) + Number(2, 9) + Bytes(5, Bytes(1, "text")) +
                                         Bytes(9, trace) + Bytes(10, "ABCDEFGH") + Fixed64(11, 8));
  const std::string observed = ProtobufFileOf(Bytes(5, Bytes(1, "text")) + Fixed64(11, 8));
  const std::string metric = ProtobufFileOf(Bytes(1, "requests") + Bytes(5, Bytes(1, "point")));
  const std::string sum = ProtobufFileOf(Bytes(1, "requests") + Bytes(7, Bytes(1, "point")));
  const std::string span = ProtobufFileOf(Bytes(1, trace) + Bytes(2, "ABCDEFGH"));
  const std::string text = log + span + observed + metric + sum;
  const ReadSpans read = ReadAllSpans(text);
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.spans.size(), 1U);
  EXPECT_EQ(read.bytes, text);
  EXPECT_EQ(read.diagnostics.count("values-without-spans"), 4U);
  EXPECT_EQ(read.diagnostics.all().at("values-without-spans").example, "x: byte 0");
}

TEST(OtlpProtobuf, ManyZerosAreNoMessages) {
  const std::string message = ProtobufFileOf(Fixed64(7, 1));
  const std::string zeros(ProtobufMessages::kMostEmpty * ProtobufMessages::kPrefix, '\0');
  const std::string sound = message + zeros.substr(ProtobufMessages::kPrefix) + message;
  EXPECT_EQ(ReadAllSpans(sound).spans.size(), 2U);
  EXPECT_EQ(ReadAllSpans(sound).diagnostics.count("spans-cut-off"), 0U);
  const std::string sparse = message + zeros + message;
  EXPECT_EQ(ReadAllSpans(sparse).spans.size(), 1U);
  EXPECT_EQ(ReadAllSpans(sparse).bytes, sparse);
  const Diagnostics found = ReadAllSpans(sparse).diagnostics;
  EXPECT_EQ(found.all().at("spans-cut-off").example, fmt::format("x: byte {}", message.size()));
}

TEST(OtlpProtobuf, AFileThatEndsWithinAMessageKeepsTheOthers) {
  const std::string whole = ProtobufFileOf(Fixed64(7, 1));
  for (size_t more = 1; more < whole.size(); ++more) {
    const ReadSpans read = ReadAllSpans(whole + whole.substr(0, more));
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.spans.size(), 1U);
    EXPECT_EQ(read.bytes.size(), whole.size() + more);
    EXPECT_EQ(read.diagnostics.count("spans-cut-off"), 1U);
  }
}

TEST(OtlpProtobuf, WhatIsNoProtobufIsAnErrorWithItsByte) {
  const std::string first = ProtobufFileOf(Fixed64(7, 1));
  const auto error = [&](const std::string& message) {
    return ReadAllSpans(first + protobuf::WithLength(message)).error;
  };
  const auto at = [&](size_t more) { return "x: byte " + std::to_string(first.size() + 4 + more); };
  EXPECT_THAT(error("\x0a\x7f"), HasSubstr(at(0) + ": a field is longer than its message"));
  EXPECT_THAT(error("\x0f"), HasSubstr(at(0) + ": a field is of no known type"));
  EXPECT_THAT(error(std::string("\0", 1)), HasSubstr(at(0) + ": a field has no number"));
  EXPECT_THAT(error("\x08\xff"), HasSubstr(at(2) + ": the message is cut off"));
  EXPECT_THAT(error("\x08" + std::string(11, '\xff')), HasSubstr("longer than 64 bits"));
  const std::string late = protobuf::Request("a", Bytes(2, Fixed64(7, UINT64_MAX)));
  EXPECT_THAT(error(late), HasSubstr("beyond the year 2262"));
}

}  // namespace
}  // namespace syncline
