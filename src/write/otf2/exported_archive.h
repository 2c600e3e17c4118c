// An exported trace as an OTF2 archive: MPI messages and collectives, regions, and both times.
//
// A process is a location in a location group of its own, below a node of the system tree for its
// clock. Regions that lie within one another are Enter and Leave; all else that is no message and
// no collective, and regions that cross, are regions without length, which viewers show and count.
// So are events that have a name of their own besides being sends or receives, around these.
// Messages are MpiSend and MpiRecv in a communicator of all; the tag is the message's number among
// those of its sender to its receiver, from 0, in order of sending, so that no other pairing is
// possible. An event that is part of several messages is a record for each.
// Every record carries the attributes recorded_ns and, where known, bound_ns.
// Units: ticks are nanoseconds since 1970; as exported_trace.h where OTF2 has no such time.
// Requires: an empty folder; one archive at a time. Errors: as new_archive.h, exported_trace.h.
// Cost: some 200 ns per event. Memory: 4 bytes per message, 100 per part of a collective, besides
// one location at a time. Tested by: exported_archive_test.cc,
// src/cli/convert/convert_folder_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "write/exported_trace.h"

namespace syncline {

// FOLDER/traces.otf2.
Result<ExportFindings> WriteExportedArchive(const ExportedTrace& trace, const std::string& folder);

}  // namespace syncline
