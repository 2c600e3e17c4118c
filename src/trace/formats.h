// The formats of traces: a line each. To add one, write its folder in read/, how it is loaded and
// how its events are read again (load_NAME.cc, which defines its TraceFormat), and its name in two
// lists, below and in formats.cc; where traces of it can be written back, its line in
// pipeline/write/write_traces.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "syncline/result.h"

#include "base/progress.h"
#include "match/channel_messages.h"
#include "trace/event_cursor.h"
#include "trace/file_team.h"
#include "trace/inputs.h"
#include "trace/load.h"

namespace syncline {

// What loading gets besides the inputs: where to put what is found, and what was asked for.
struct LoadRequest {
  LoadedTraces& loaded;
  SeriesSink& messages;
  SeriesSink& collective_messages;  // what complete collectives stand for
  SeriesSink& implied_messages;
  const ResolvedInputs& asked;
  Progress& progress;
};

struct TraceFormat {
  Format format = Format::kText;
  std::string_view name;
  // By the first bytes of a file; null where a trace is a folder, or sources tell.
  bool (*recognises)(std::span<const std::byte> head) = nullptr;
  bool in_program_order = false;    // of a process's events in the file
  bool tells_kinds = false;         // which events are sends and receives; else only messages tell
  bool keeps_times = false;         // the file is not read again for times alone
  bool opens_if_needed = false;     // events: only after loading with ResolvedInputs::needs_events
  bool has_own_resolution = false;  // written times are rounded to LoadedInput::ticks_per_second
  // All inputs of the format, not empty: defines clocks and processes, fills in the inputs, hands
  // over messages.
  Result<void> (*load)(std::span<LoadedInput* const> inputs, const LoadRequest& request) = nullptr;
  Result<EventCursors> (*open)(const LoadedTraces& loaded, const LoadedInput& input,
                               EventDetail detail) = nullptr;
  // Reads files for the first process of an MPI run; null where that one reads all. `process`: how
  // errors name the other.
  std::unique_ptr<FileServer> (*serve)(const std::string& process) = nullptr;
};

extern const TraceFormat kCaptureFormat, kSpanFormat, kChromeFormat, kLogFormat, kTextFormat,
    kOtf2Format, kCtfFormat, kMemoryFormat;
// By the first bytes of a file, also where archives cannot be read.
bool LooksLikeOtf2(std::span<const std::byte> head);

// In the order in which inputs are loaded, and a file's first bytes are looked at.
std::span<const TraceFormat* const> AllFormats();
const TraceFormat& FormatOf(Format format);
inline const TraceFormat& FormatOf(const LoadedInput& input) {
  return FormatOf(input.input.format);
}

}  // namespace syncline
