#include "trace/formats.h"

#include <algorithm>
#include <array>

#include "read/pcap/capture_reader.h"
#include "read/spans/span_reader.h"
#include "trace/load_captures.h"
#include "trace/load_chrome.h"
#include "trace/load_ctf.h"
#include "trace/load_logs.h"
#include "trace/load_otf2.h"
#include "trace/load_spans.h"
#include "trace/load_text.h"
#include "trace/memory_traces.h"

namespace syncline {
namespace {

// Any text is read as a trace when it is named; what is wrong in it is then said with line and
// column.
bool LooksLikeText(std::span<const std::byte> head) {
  return !head.empty() && std::all_of(head.begin(), head.end(), [](std::byte b) {
    const auto c = static_cast<unsigned char>(b);
    return c >= 0x20 || c == '\t' || c == '\n' || c == '\r';
  });
}

// The anchor file of an archive: two bytes, then its name.
bool LooksLikeOtf2(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.size() > 6 && text.substr(2, 4) == "OTF2";
}

constexpr std::array kFormats = {
    TraceFormat{.format = Format::kCapture,
                .name = "capture",
                .recognises = LooksLikeCapture,
                .in_program_order = false,
                .tells_kinds = false,
                .keeps_times = false,
                .has_own_resolution = true,
                .load = LoadCaptures,
                .open = OpenCaptureEvents},
    TraceFormat{.format = Format::kSpans,
                .name = "spans",
                .recognises = LooksLikeSpans,
                .in_program_order = true,
                .tells_kinds = false,
                .keeps_times = true,
                .has_own_resolution = true,
                .load = LoadSpans,
                .open = OpenSpanEvents},
    TraceFormat{.format = Format::kChrome,
                .name = "chrome",
                .recognises = LooksLikeChrome,
                .in_program_order = false,
                .tells_kinds = true,
                .keeps_times = true,
                .has_own_resolution = true,
                .load = LoadChrome,
                .open = OpenChromeEvents},
    TraceFormat{.format = Format::kLog,
                .name = "log",
                .recognises = nullptr,
                .in_program_order = false,
                .tells_kinds = false,
                .keeps_times = true,
                .has_own_resolution = true,
                .load = LoadLogs,
                .open = OpenLogEvents},
    TraceFormat{.format = Format::kText,
                .name = "text",
                .recognises = LooksLikeText,
                .in_program_order = true,
                .tells_kinds = true,
                .keeps_times = false,
                .has_own_resolution = false,
                .load = LoadTexts,
                .open = OpenTextEvents},
    TraceFormat{.format = Format::kOtf2,
                .name = "otf2",
                .recognises = LooksLikeOtf2,
                .in_program_order = true,
                .tells_kinds = true,
                .keeps_times = true,
                .has_own_resolution = true,
                .load = LoadArchives,
                .open = OpenArchiveEvents},
    TraceFormat{.format = Format::kCtf,
                .name = "ctf",
                .recognises = nullptr,
                .in_program_order = true,
                .tells_kinds = false,
                .keeps_times = true,
                .has_own_resolution = true,
                .load = LoadCtf,
                .open = OpenCtfEvents},
    TraceFormat{.format = Format::kMemory,
                .name = "memory",
                .recognises = nullptr,
                .in_program_order = false,
                .tells_kinds = false,
                .keeps_times = true,
                .has_own_resolution = false,
                .load = nullptr,
                .open = OpenMemoryEvents},
};

}  // namespace

std::span<const TraceFormat> AllFormats() { return kFormats; }

const TraceFormat& FormatOf(Format format) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const TraceFormat& f) { return f.format == format; });
}

std::string_view FormatName(Format format) { return FormatOf(format).name; }

}  // namespace syncline
