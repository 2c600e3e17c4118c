// Babeltrace's sink of CTF traces in a graph.
//
// Tested by: trace_writer_test.cc, src/cli/convert/convert_folder_test.cc.
#pragma once

#include <string>

#include <babeltrace2/babeltrace.h>

namespace syncline::ctf_write {

// Adds one that writes a single trace to `folder`, which it makes. The graph owns it; nullptr where
// that fails.
const bt_component_sink* AddCtfSink(bt_graph* graph, const bt_plugin& plugin,
                                    const std::string& folder);

}  // namespace syncline::ctf_write
