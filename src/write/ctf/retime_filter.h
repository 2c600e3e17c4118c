// A Babeltrace filter that gives a trace's messages the times of a CtfRetimer, stream by stream.
//
// It has one input per stream and one output, where the streams come one after another: readers of
// one iterator that expect increasing times over all streams cannot be connected, the sink of CTF
// traces can. Streams are not merged, so that a clock that steps back disturbs nothing.
// Ownership: the job outlives the graph. Errors end the graph's run. Tested by:
// trace_writer_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <babeltrace2/babeltrace.h>

#include "base/int128.h"
#include "read/ctf/library.h"
#include "write/ctf/ctf_retimer.h"
#include "write/ctf/stream_times.h"

namespace syncline::ctf_write {

using TracePtr = std::unique_ptr<const bt_trace, PutRef<bt_trace_put_ref>>;

struct RetimeJob {
  CtfRetimer* retimer = nullptr;
  uint64_t streams = 0;  // inputs in0, in1, …
  // Subtracted from every origin of a clock.
  int64_t earlier_ns = 0;
  std::function<void()> go_on = [] {};  // called with every batch of messages
  StreamFigures figures;
  // Of the streams; to be held beyond the graph, because the sink of libbabeltrace2 2.0.4 uses the
  // trace once more after it may have given back the last reference.
  TracePtr trace = nullptr;
};

// Nanoseconds since the epoch that cycle 0 of the clock stands for, rounded down.
Int128 OriginNs(const bt_clock_class* clock);

// The class of such filters; give a RetimeJob as initialization data. nullptr where memory is
// short.
const bt_component_class_filter* MakeRetimeFilterClass();

}  // namespace syncline::ctf_write
