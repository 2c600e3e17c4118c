// Puts the files of a new OTF2 archive together: those that were written, and the old ones.
//
// Tested by: metadata_writer_test.cc, events_writer_test.cc.
#pragma once

#include <cstdint>

#include "syncline/result.h"

#include "write/otf2/archive_output.h"
#include "write/otf2/archive_source.h"

namespace syncline::otf2_write {

// Files with times that stay as they were.
struct SideFiles {
  uint64_t marker_files = 0;
  uint64_t snapshot_files = 0;
};

// Every file of the old archive gets its place in output.place(): from output.scratch() where a
// file of its name was written there, else the old one, event files linked. The anchor is always
// the old one.
Result<SideFiles> PlaceArchive(const ArchiveSource& source, const ArchiveOutput& output);

}  // namespace syncline::otf2_write
