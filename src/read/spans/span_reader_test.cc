#include "read/spans/span_reader.h"

#include <filesystem>
#include <fstream>

#include "base/compression.h"
#include "read/spans/span_attributes.h"
#include "read/spans/span_test_util.h"
#include "read/spans/testing/protobuf_builder.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::optional<SpanForm> FormOf(std::string_view head) {
  return SpanFormOf(std::as_bytes(std::span(head)));
}

TEST(SpanForm, IsToldByTheBeginning) {
  EXPECT_EQ(FormOf(R"({"resourceSpans":[{"resource")"), SpanForm::kOtlpJson);
  EXPECT_EQ(FormOf("\xEF\xBB\xBF{\n  \"resourceSpans\": [\n"), SpanForm::kOtlpJson);
  EXPECT_EQ(FormOf(R"({"resourceLogs":[)"), SpanForm::kOtlpJson);
  EXPECT_EQ(FormOf(R"({"data":[{"traceID":"1")"), SpanForm::kJaegerJson);
  EXPECT_EQ(FormOf(R"({"data": [ ], "total": 0})"), SpanForm::kJaegerJson);
  EXPECT_EQ(FormOf(protobuf::WithLength(protobuf::Request("a", ""))), SpanForm::kOtlpProtobuf);
  for (const char* other : {"", "{", R"({"data":5})", R"({"data":[{"x":1}]})",
                            R"({"traceEvents":[{"traceID"}]})", "clock a 1000", "[{}]"}) {
    EXPECT_EQ(FormOf(other), std::nullopt) << other;
  }
}

TEST(SpanReader, ReadsCompressedFiles) {
  const fs::path path = fs::path(testing::TempDir()) / "span_reader_test.gz";
  const std::string text = R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]})";
  {
    auto file = OutputFile::Create(path.string(), IfExists::kReplace).value();
    file.WriteThrough(MakePacking(Compression::kGzip).value());
    ASSERT_TRUE(file.Write(text));
    ASSERT_TRUE(file.Commit());
  }
  auto reader = SpanReader::Open(path.string()).value();
  size_t spans = 0;
  while (const SpanPiece* piece = reader.Next()) spans += piece->spans.size();
  EXPECT_EQ(spans, 1U);
  fs::remove(path);
}

TEST(SpanReader, OtherSignalsAreCountedAndCopied) {
  const std::string text =
      "{\"resourceSpans\":[]}\n{\"resourceLogs\":[{}]}\n{\"resourceMetrics\":[{}]}\n";
  const ReadSpans read = ReadAllSpans(text);
  EXPECT_EQ(read.bytes, text);
  EXPECT_EQ(read.diagnostics.count("values-without-spans"), 2U);
  EXPECT_EQ(read.diagnostics.all().at("values-without-spans").example, "x:2:1");
}

TEST(SpanReader, WhatTheParserRefusesIsAnErrorWithItsPlace) {
  const std::string good = "{\"resourceSpans\":[{\"scopeSpans\":[]}]}\n";
  for (const char* bad :
       {R"({"scopeSpans":[{"spans":[{"startTimeUnixNano"}]}]})", R"({"scopeSpans":5})",
        R"({"scopeSpans":[5]})", R"({"scopeSpans":[{"spans":{}}]})", "{\"scopeSpans\":[\xff]}",
        R"({"scopeSpans" []})"}) {
    const ReadSpans read = ReadAllSpans(good + "{\"resourceSpans\":[" + bad + "]}\n");
    EXPECT_THAT(read.error, HasSubstr("x:2:")) << bad;
  }
}

TEST(SpanReader, NamesHoldNothingThatTerminalsObey) {
  EXPECT_EQ(PrintableName("a\x1b[31m\n\x7f"), "a%1b[31m%0a%7f");
  EXPECT_EQ(PrintableName("\xc3\xa9 \xc2\x9b \xc2\xa9"), "\xc3\xa9 %c2%9b \xc2\xa9");
  EXPECT_EQ(PrintableName("\x9b \xc3"), "%9b %c3");
  const ReadSpans read = ReadAllSpans(
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"host.name","value":)"
      R"({"stringValue":"\u001b]0;x\u0007"}}]},"scopeSpans":[{"spans":[{"name":"\u001b[2J"}]}]}]})");
  EXPECT_EQ(read.spans.at(0).name, "%1b[2J");
  EXPECT_EQ(read.resources.at(0).attributes[SpanResource::kHostName], "%1b]0;x%07");
}

TEST(SpanReader, AFileOfNothingElseSaysSo) {
  EXPECT_THAT(ReadAllSpans("something").error, HasSubstr("holds no spans of a known form"));
}

}  // namespace
}  // namespace syncline
