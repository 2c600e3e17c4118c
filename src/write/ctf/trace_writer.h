// Writes a CTF trace again with corrected times, through Babeltrace's own source and sink.
//
// Everything a trace says besides times is what it was: event classes that occur, all fields,
// contexts of events and packets, the environment, what was discarded. A filter between source and
// sink replaces the times. Written are the streams as the sink writes them: little details of the
// encoding (sizes of headers, byte order, the trace's UUID, the division into index files) are the
// sink's.
//
// Units: the clocks of the new trace count nanoseconds: those of other frequencies are changed to
// one gigahertz, so that corrected times are exact to the nanosecond, and where corrected times lie
// before a clock's origin, the origin is set whole seconds earlier.
// Errors: kUnreadable, kMalformed with what the library says. Where the disk is full the sink frees
// memory twice, which aborts: to be called in a process of its own (base/child_process.h), which
// leaves to its parent what the folder holds then.
// Cost: decoding and encoding by the library, and a copy of each event. Memory: constant.
// Tested by: trace_writer_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "syncline/result.h"

#include "write/ctf/ctf_retimer.h"

namespace syncline {

struct WrittenCtf {
  uint64_t events = 0;
  // Events that come out later than their corrected time, because CTF has no earlier time than that
  // of the event before; zero for retimers that never step back.
  uint64_t raised = 0;
  int64_t largest_raise_ns = 0;
};

// Fills `place`, an empty folder or none. `folder` holds the file `metadata` of one trace.
// `make_retimer` is called once per attempt; there is a second one where an origin has to be
// earlier. `go_on` is called all the time.
Result<WrittenCtf> WriteCtfTrace(
    const std::string& folder, const std::string& place,
    const std::function<CtfRetimer&()>& make_retimer, const std::function<void()>& go_on = [] {});

}  // namespace syncline
