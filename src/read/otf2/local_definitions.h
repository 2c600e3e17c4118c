// The local definitions of one location: mapping tables, which libotf2 keeps to itself, and
// ClockOffset records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "read/otf2/clock_offsets.h"

namespace syncline {

// Opens the local definitions of the selected locations, for ReadLocalDefinitions(). Nothing wrong
// where the archive has none.
void OpenLocalDefinitions(OTF2_Reader* reader);

struct Otf2LocalDefinitions {
  std::vector<Otf2ClockOffsets::Record> clock_offsets;
  uint64_t mapping_tables = 0;
  uint64_t others = 0;
};

// Reads `file`, the local definitions of a location that was selected in `reader`; from then on the
// reader's events of this location come with global numbers. Nothing where the file is missing.
// Cost: libotf2 fills a buffer of the archive's chunk size, 4 MiB as a rule; a file without records
// is spared it.
Result<Otf2LocalDefinitions> ReadLocalDefinitions(OTF2_Reader* reader, OTF2_LocationRef location,
                                                  const std::string& file);

}  // namespace syncline
