// The steps of writing an archive that do not depend on how its times are written.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "syncline/result.h"

#include "base/try.h"
#include "write/otf2/archive_output.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/retime.h"
#include "write/otf2/time_span.h"

namespace syncline::otf2_write {

// Files with times that stay as they were.
struct SideFiles {
  uint64_t marker_files = 0;
  uint64_t snapshot_files = 0;
};

// Puts the files of a new archive together: every file of the old archive gets its place in
// output.place(): from output.scratch() where a file of its name was written there, else the old
// one, event files linked. The anchor is always the old one.
Result<SideFiles> PlaceArchive(const ArchiveSource& source, const ArchiveOutput& output);

// `write(source, errors, output, clock)` writes all files under temporary names and returns the
// counts.
template <typename Write>
Result<Otf2Pending> PrepareArchive(const Otf2WriteRequest& request, const Write& write) {
  Otf2Errors errors;
  SYNCLINE_ASSIGN(auto source, ArchiveSource::Open(request.input, errors));
  SYNCLINE_ASSIGN(auto clock, ArchiveClock(source, request.offset_ticks));
  SYNCLINE_ASSIGN(auto created,
                  ArchiveOutput::Create(request.output, request.input, request.if_exists));
  const auto output = std::make_shared<ArchiveOutput>(std::move(created));
  SYNCLINE_ASSIGN(auto counts, write(source, errors, *output, std::move(clock)));
  return Otf2Pending{std::move(counts), [output] { return output->Finish(); }};
}

}  // namespace syncline::otf2_write
