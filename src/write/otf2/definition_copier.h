// Copies the definitions of an OTF2 archive, record by record in their order, through libotf2.
//
// Left out: ClockOffset records. ClockProperties are replaced where new ones are given. Errors:
// those of the source and of the writer; kUnsupported for definitions of a kind that this libotf2
// does not know and therefore cannot copy. Tested by: events_writer_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include <otf2/otf2.h>

#include "syncline/result.h"

#include "write/otf2/archive_source.h"

namespace syncline::otf2_write {

Result<void> CopyGlobalDefinitions(ArchiveSource& source, Otf2Errors& errors,
                                   OTF2_GlobalDefWriter* writer,
                                   std::optional<ClockProperties> clock);
Result<void> CopyLocalDefinitions(ArchiveSource& source, Otf2Errors& errors, uint64_t location,
                                  OTF2_DefWriter* writer);

}  // namespace syncline::otf2_write
