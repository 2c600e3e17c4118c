// The steps of writing an archive that do not depend on how its times are written.
#pragma once

#include <memory>
#include <utility>

#include "syncline/result.h"

#include "base/try.h"
#include "write/otf2/archive_output.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/retime.h"
#include "write/otf2/time_span.h"

namespace syncline::otf2_write {

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
