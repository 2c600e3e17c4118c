// A Babeltrace source whose messages are the events of an exported trace's processes of one clock.
//
// It has one output, where the streams come one after another; the sink of CTF traces can be
// connected. Ownership: the job outlives the graph. Errors end the graph's run. Tested by:
// src/cli/convert/convert_folder_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <babeltrace2/babeltrace.h>

#include "base/child_process.h"
#include "read/ctf/library.h"
#include "write/exported_trace.h"

namespace syncline::ctf_write {

struct ExportJob {
  const ExportedTrace& trace;
  ClockId clock;
  const std::vector<uint64_t>& numbers;  // by message: as in the field `message`
  ExportFindings& findings;
  uint64_t first_ns = 0;  // of the whole trace, as written
  ChildLink& parent;      // is told that the work goes on
  // Of the streams; to be held beyond the graph (trace_writer.cc says why).
  std::unique_ptr<const bt_trace, PutRef<bt_trace_put_ref>> written = nullptr;
};

// A name for a file, made of that of a clock or a process, that is not in `taken` yet.
std::string FileNameOf(const std::string& name, std::set<std::string>& taken);

// The class of such sources; give an ExportJob as initialization data. nullptr where memory is
// short.
const bt_component_class_source* MakeExportSourceClass();

}  // namespace syncline::ctf_write
