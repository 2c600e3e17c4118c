// Writes a trace as a log for ShiViz: every event with its vector clock.
//
// Two lines per event, as ShiViz's default expression takes them:
//   HOST {"HOST":3,"OTHER":7}
//   what happened
// Clocks count a process's events from 1 and hold what messages and collectives tell; entries of 0
// are left out. No event stands before one that it depends on. Method: Mattern, "Virtual time and
// global states of distributed systems", 1989; Fidge, 1988.
// Hosts are processes; bytes of their names but letters, digits and . _ : @ / + - become '_', and
// names that are then equal get a number.
// Errors: kMalformed where messages form a cycle; those of the output. Cost: O(processes) per
// event, as the lines are that long. Memory: processes² numbers, and a clock per message under way.
// Tested by: shiviz_writer_test.cc (by ShiViz's expression, against a naive oracle).
#pragma once

#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/byte_sink.h"
#include "write/exported_trace.h"

namespace syncline {

// By process.
std::vector<std::string> ShivizHosts(const TraceSet& traces);

Result<void> WriteShiviz(const ExportedTrace& trace, ByteSink output);

}  // namespace syncline
