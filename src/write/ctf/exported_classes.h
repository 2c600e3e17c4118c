// The event classes of exported traces, as objects of libbabeltrace2.
//
// Tested by: src/cli/convert/convert_folder_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <babeltrace2/babeltrace.h>

#include "read/ctf/library.h"

namespace syncline::ctf_write {

using TraceClassPtr = std::unique_ptr<bt_trace_class, PutRef<bt_trace_class_put_ref>>;
using NewTracePtr = std::unique_ptr<bt_trace, PutRef<bt_trace_put_ref>>;
using StreamClassPtr = std::unique_ptr<bt_stream_class, PutRef<bt_stream_class_put_ref>>;
using StreamPtr = std::unique_ptr<bt_stream, PutRef<bt_stream_put_ref>>;
using EventClassPtr = std::unique_ptr<bt_event_class, PutRef<bt_event_class_put_ref>>;

enum class ExportedClass : uint8_t {
  kSend,
  kReceive,
  kEnter,
  kLeave,
  kMark,
  kBlock,
  kCollectiveBegin,
  kCollectiveEnd,
};
inline constexpr size_t kExportedClasses = 8;

struct ExportedClasses {
  NewTracePtr trace;
  StreamClassPtr stream;
  std::array<EventClassPtr, kExportedClasses> events;
  bool has_bounds = false;
};

enum class BoundFields { kLeftOut, kThere };

// nullptr in `trace` where memory is short.
ExportedClasses MakeExportedClasses(bt_self_component* component, const std::string& host,
                                    BoundFields bounds);

}  // namespace syncline::ctf_write
