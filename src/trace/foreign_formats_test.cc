#include "trace/foreign_formats.h"

#include <string>

#include <gmock/gmock.h>

namespace syncline {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

std::span<const std::byte> Head(const std::string& bytes) {
  return std::as_bytes(std::span(bytes.data(), bytes.size()));
}

struct ForeignFile {
  std::string name;
  std::string bytes;
  std::string advice;  // part of it
};
class ForeignFiles : public testing::TestWithParam<ForeignFile> {};

TEST_P(ForeignFiles, AreNamedWithWhatToDo) {
  EXPECT_THAT(ForeignFormatAdvice(Head(GetParam().bytes), GetParam().name),
              HasSubstr(GetParam().advice));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ForeignFiles,
    testing::Values(ForeignFile{"x", "PK\x03\x04...."s, "zip archive: unpack it"},
                    ForeignFile{"x", "7z\xBC\xAF\x27\x1C\0\x04"s, "7z archive"},
                    ForeignFile{"x",
                                "\xFD"
                                "7zXZ\0\0\x04"s,
                                "xz -d"},
                    ForeignFile{"x", "BZh91AY&SY..", "bzip2 -d"},
                    ForeignFile{"x", "\x04\x22\x4D\x18...", "lz4 -d"},
                    ForeignFile{"x", "a.pcap" + std::string(251, '\0') + "ustar\0"s, "tar archive"},
                    ForeignFile{"x", "%PDF-1.7\n", "PDF document"},
                    ForeignFile{"x",
                                "\x7F"
                                "ELF\x02"s,
                                "is a program"},
                    ForeignFile{"perf.data", "PERFILE2\x68\0"s, "perf data convert --to-ctf"},
                    ForeignFile{"perf.data", "2ELIFREP\0\0"s, "perf data convert --to-ctf"},
                    ForeignFile{"trace.dat", "\x17\x08\x44tracing6\0"s, "trace-cmd report"},
                    ForeignFile{"x", "\x89MCAP0\r\n\x01"s, "MCAP"},
                    ForeignFile{"x.journal", "LPKSHHRH\0\0"s, "journalctl -o json"},
                    ForeignFile{"x.sqlite", "SQLite format 3\0\x10"s, "SQLite database"},
                    ForeignFile{"x", "PAR1\x15", "Parquet"},
                    ForeignFile{"x.evtx", "ElfFile\0\0"s, "event log of Windows"},
                    ForeignFile{"metadata", "\x1E{\"type\":\"preamble\"}", "CTF 2"},
                    ForeignFile{"x", "snoop\0\0\0\0"s, "editcap -F pcapng"},
                    ForeignFile{"x.cap", "GMBU\0\x02"s, "editcap -F pcapng"},
                    ForeignFile{"x.prv", "#Paraver (23/11/2026 at 12:00)", "Paraver"},
                    ForeignFile{"x.csv", "\xFF\xFEt\0"s, "iconv -f UTF-16"},
                    ForeignFile{"x.csv", "\xFE\xFF\0t"s, "iconv -f UTF-16"},
                    ForeignFile{"traces/0.evt", "\x03\x01\0"s, "give its .otf2 file"},
                    ForeignFile{"traces/0.def", "\x03\x01\0"s, "give its .otf2 file"},
                    ForeignFile{"traces/0.snap", "\x03\x01\0"s, "give its .otf2 file"},
                    ForeignFile{"traces.marker", "\x03\x01\0"s, "give its .otf2 file"},
                    ForeignFile{"x.nsys-rep", "\0\x01"s, "nsys export"},
                    ForeignFile{"x.qdrep", "\0\x01"s, "nsys export"},
                    ForeignFile{"x.etl", "\0\0\x01"s, "tracerpt"},
                    ForeignFile{"x.pftrace", "\x0A\x02", "traceconv json"},
                    ForeignFile{"x.perfetto-trace", "\x0A\x02", "traceconv json"},
                    ForeignFile{"x", "\x0A\x1B\x40\x01\x02", "traceconv json"},
                    ForeignFile{"x", "\x0A\x80\x01\x0A\x10\x01\x02", "/api/traces"},
                    ForeignFile{"x", "\x0A\x80\x01\x0A\x22\x0A\x01\x02", "protobuf with lengths"}));

TEST(ForeignFormats, WhatIsNotKnownGetsNoAdvice) {
  for (const std::string& bytes :
       {""s, "\n\nhello\n"s, "PK"s, "BZh9"s, "clock a 1000000000\n"s, "\xC1\xFC\x1F\xC1"s}) {
    EXPECT_EQ(ForeignFormatAdvice(Head(bytes), "x.trace"), "") << bytes;
  }
}

TEST(ForeignJson, IsToldByItsKeys) {
  const auto advice = [](const std::string& text) { return ForeignJsonAdvice(Head(text)); };
  EXPECT_THAT(advice(R"([{"traceId":"1","id":"2","kind":"CLIENT","timestamp":3}])"),
              HasSubstr("Zipkin"));
  EXPECT_THAT(advice(R"({"traceID":"1","spanID":"2"})"), HasSubstr("/api/traces"));
  EXPECT_THAT(advice(" \n{\"level\":30}"), HasSubstr("examples/logs"));
  EXPECT_EQ(advice("clock a 1000000000"), "");
}

}  // namespace
}  // namespace syncline
