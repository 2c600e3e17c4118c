#include "trace/foreign_formats.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace syncline {
namespace {

using std::string_view_literals::operator""sv;

struct Foreign {
  size_t at = 0;
  std::string_view magic;   // empty: any bytes
  std::string_view ending;  // of the name; empty: any
  std::string_view advice;
};

constexpr std::string_view kOtf2Part = "belongs to an OTF2 archive: give its .otf2 file";
constexpr std::string_view kPerfetto =
    "is a trace of Perfetto, which is not read: convert it by \"traceconv json\" into Chrome JSON";
constexpr std::string_view kNsys =
    "is a report of Nsight Systems, which is not read: export it by \"nsys export --type "
    "jsonlines\", and say by a source how the lines are read (docs/formats/logs.md)";

// The first that fits counts. Endings are looked at only where bytes tell nothing.
constexpr auto kForeign = std::to_array<Foreign>({
    {0, "PK\x03\x04"sv, "", "is a zip archive: unpack it, and give what is in it"},
    {0, "7z\xBC\xAF\x27\x1C"sv, "", "is a 7z archive: unpack it, and give what is in it"},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "", "is compressed by xz: unpack it by \"xz -d\" (gzip and zstd are read as they are)"},
    {4, "1AY&SY"sv, "",
     "is compressed by bzip2: unpack it by \"bzip2 -d\" (gzip and zstd are read as they are)"},
    {0, "\x04\x22\x4D\x18"sv, "",
     "is compressed by lz4: unpack it by \"lz4 -d\" (gzip and zstd are read as they are)"},
    {257, "ustar"sv, "", "is a tar archive: unpack it, and give what is in it"},
    {0, "%PDF-"sv, "", "is a PDF document, not a trace"},
    {0,
     "\x7F"
     "ELF"sv,
     "", "is a program, not a trace"},
    {0, "PERFILE2"sv, "",
     "is perf's own file: convert it by \"perf data convert --to-ctf FOLDER\", and give the "
     "folder"},
    {0, "2ELIFREP"sv, "",
     "is perf's own file: convert it by \"perf data convert --to-ctf FOLDER\", and give the "
     "folder"},
    {0, "\x17\x08\x44tracing"sv, "",
     "is trace-cmd's own file: print it by \"trace-cmd report\", and say by a source how the lines "
     "are read (docs/formats/logs.md)"},
    {0, "\x89MCAP0\r\n"sv, "",
     "is an MCAP recording, which is not read: record the same run by ros2_tracing (LTTng), and "
     "give its folder"},
    {0, "LPKSHHRH"sv, "",
     "is systemd's journal as it is stored: export it by \"journalctl -o json --file FILE\", and "
     "read that by --rules examples/logs/journald.rules"},
    {0, "SQLite format 3\0"sv, "",
     "is an SQLite database, as Nsight Systems and rosbag2 write: export what it holds as CSV or "
     "JSON lines, and say by a source how they are read (docs/formats/logs.md)"},
    {0, "PAR1"sv, "",
     "is a Parquet file: export it as CSV or JSON lines, and say by a source how they are read "
     "(docs/formats/logs.md)"},
    {0, "ElfFile\0"sv, "",
     "is an event log of Windows: export it as CSV, and say by a source how it is read "
     "(docs/formats/logs.md)"},
    {0, "\x1E{"sv, "",
     "is the metadata of a CTF 2 trace, and CTF 1.8 is read: write it again by \"babeltrace2 -c "
     "sink.ctf.fs --params 'path=\\\"OUT\\\",ctf-version=\\\"1\\\"'\" of Babeltrace 2.1"},
    {0, "snoop\0\0\0"sv, "",
     "is a snoop capture: convert it by \"editcap -F pcapng\", and give what that writes"},
    {0, "GMBU"sv, "",
     "is a capture of Network Monitor: convert it by \"editcap -F pcapng\", and give what that "
     "writes"},
    {0, "#Paraver"sv, "", "is a trace of Paraver, which is not read: record OTF2 by Score-P"},
    {0, "\xFF\xFE"sv, "", "is text in UTF-16: convert it by \"iconv -f UTF-16 -t UTF-8\""},
    {0, "\xFE\xFF"sv, "", "is text in UTF-16: convert it by \"iconv -f UTF-16 -t UTF-8\""},
    {0, "", ".evt", kOtf2Part},
    {0, "", ".def", kOtf2Part},
    {0, "", ".snap", kOtf2Part},
    {0, "", ".marker", kOtf2Part},
    {0, "", ".nsys-rep", kNsys},
    {0, "", ".qdrep", kNsys},
    {0, "", ".etl",
     "is a trace of Windows' ETW, which is not read: convert it by \"tracerpt FILE -of CSV\", and "
     "say by a source how it is read (docs/formats/logs.md)"},
    {0, "", ".pftrace", kPerfetto},
    {0, "", ".perfetto-trace", kPerfetto},
});

std::string_view TextOfHead(std::span<const std::byte> head) {
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

// Field 1 of a message, a message itself: what it begins with.
std::optional<std::string_view> FirstMessage(std::string_view bytes) {
  if (!bytes.starts_with('\x0A')) return std::nullopt;
  size_t at = 1;
  while (at < bytes.size() && at < 6 && (bytes[at] & 0x80) != 0) ++at;
  return bytes.size() > at + 1 ? std::optional(bytes.substr(at + 1)) : std::nullopt;
}

bool HoldsControls(std::string_view bytes) {
  return std::ranges::any_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\t' && c != '\r';
  });
}

// Protobuf has no magic number; these begin with lists of messages.
std::string_view ProtobufAdvice(std::string_view bytes) {
  const auto first = FirstMessage(bytes);
  if (!first || !HoldsControls(bytes)) return {};
  if (first->starts_with("\x0A\x10")) {
    return "is a protobuf dump of Jaeger's: export JSON by its UI or its API, /api/traces";
  }
  if (first->starts_with("\x0A")) {
    return "is one OTLP message as protobuf, without its length: let the collector's file exporter "
           "write JSON, or protobuf with lengths";
  }
  return kPerfetto;
}

}  // namespace

std::string ForeignFormatAdvice(std::span<const std::byte> head, const std::string& path) {
  const std::string_view bytes = TextOfHead(head);
  const auto known = std::ranges::find_if(kForeign, [&](const Foreign& foreign) {
    const bool has_bytes =
        bytes.size() >= foreign.at && bytes.substr(foreign.at).starts_with(foreign.magic);
    return has_bytes && path.ends_with(foreign.ending);
  });
  return std::string(known != kForeign.end() ? known->advice : ProtobufAdvice(bytes));
}

std::string ForeignJsonAdvice(std::span<const std::byte> head) {
  std::string_view text = TextOfHead(head);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (!text.starts_with('{') && !text.starts_with('[')) return {};
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (has("\"traceId\"") && has("\"timestamp\"") && has("\"id\"")) {
    return "is Zipkin's JSON, and OpenTelemetry's and Jaeger's are read: let an OpenTelemetry "
           "Collector receive it, and its file exporter write it";
  }
  if (has("\"traceID\"") && has("\"spanID\"")) {
    return "holds spans of Jaeger's, but not as its UI and its API give them ({\"data\": [...]}): "
           "export them by /api/traces";
  }
  return "is JSON, but neither spans of OpenTelemetry or Jaeger nor Chrome JSON. Of a log, a "
         "source says how its lines are read: --rules FILE, as those in examples/logs "
         "(docs/formats/logs.md)";
}

}  // namespace syncline
