// Writes a CTF trace again with corrected times, through Babeltrace's own source and sink.
//
// Everything a trace says besides times is what it was: event classes that occur, all fields,
// contexts of events and packets, the environment, what was discarded. A filter between source and
// sink replaces the times (retime_filter.h). Written are the streams as the sink writes them:
// little details of the encoding (sizes of headers, byte order, the trace's UUID, the division into
// index files) are the sink's.
//
// Units: the clocks of the new trace count nanoseconds: those of other frequencies are changed to
// one gigahertz, so that corrected times are exact to the nanosecond, and where corrected times lie
// before a clock's origin, the origin is set whole seconds earlier.
// Errors: kUnreadable, kMalformed with what the library says; kUsage for outputs that exist.
// Cost: decoding and encoding by the library, and a copy of each event. Memory: constant.
// Threads: traces can be written in several threads, each by its own call.
// Tested by: trace_writer_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "base/output_folder.h"
#include "write/ctf/ctf_retimer.h"

namespace syncline {

struct WrittenCtf {
  OutputFolder folder;  // complete, under a temporary name until Commit()
  uint64_t events = 0;
  // Events that come out later than their corrected time, because CTF has no earlier time than that
  // of the event before; zero for retimers that never step back.
  uint64_t raised = 0;
  int64_t largest_raise_ns = 0;
};

// `folder` holds the file `metadata` of one trace. `make_retimer` is called once per attempt; there
// is a second one where an origin has to be earlier.
Result<WrittenCtf> WriteCtfTrace(const std::string& folder, const std::string& new_folder,
                                 IfExists if_exists,
                                 const std::function<CtfRetimer&()>& make_retimer);

}  // namespace syncline
