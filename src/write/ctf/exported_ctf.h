// An exported trace as CTF 1.8, through Babeltrace's own sink: a trace per clock, a stream per
// process.
//
// FOLDER/CLOCK is the trace of a clock, whose name is its host's in the environment; streams are
// files called like their processes, and the packets' context says `process`. In names of files all
// bytes but letters, digits, '_', '-' and '.' become '_'; repeated names are numbered.
// Event classes are the kinds: send, receive, enter, leave, mark, block, collective_begin and
// collective_end, with the fields
//   recorded_ns, bound_ns (corrected times alone; -1: open), name
//   send, receive: message, peer, bytes
//   collective_*:  instance, group, bytes, root (1: this process)
// `message` numbers the events that send, over all processes, from 1; their receives have the same.
// An event that receives and sends is a receive, then a send; one that does so without a partner is
// a mark.
// Units: one clock of 1 GHz that counts from 1970; as exported_trace.h where there is no such time.
// Requires: a folder. A process of its own writes (base/child_process.h), because the sink may
// abort where the disk is full; what the folder holds then is the caller's to remove. Errors:
// kUnreadable with what the library says; as exported_trace.h. Cost: some 600 ns per event. Memory:
// 8 bytes per message. Tested by: src/cli/convert/convert_folder_test.cc,
// src/cli/ctf_full_disk_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "write/exported_trace.h"

namespace syncline {

Result<ExportFindings> WriteExportedCtf(const ExportedTrace& trace, const std::string& folder);

}  // namespace syncline
