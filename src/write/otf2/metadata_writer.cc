#include "write/otf2/metadata_writer.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/try.h"
#include "write/otf2/archive_output.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/archive_writer.h"
#include "write/otf2/definition_copier.h"
#include "write/otf2/location_fit.h"
#include "write/otf2/prepare_archive.h"
#include "write/otf2/time_span.h"

namespace syncline {
namespace otf2_write {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestClockOffset = 40;  // bytes of a ClockOffset record, and some

class MetadataWriter {
 public:
  MetadataWriter(ArchiveSource& source, Otf2Errors& errors, ArchiveOutput& output, Clock clock)
      : source_(source), errors_(errors), output_(output), clock_(std::move(clock)) {}

  Result<Otf2WriteCounts> Run(Otf2TimeSource& times) {
    std::vector<uint64_t> locations;
    for (const uint64_t location : source_.facts().locations) {
      if (source_.HasEvents(location)) locations.push_back(location);
    }
    std::vector<LocationFit> fits(locations.size());
    ForEachParallel(locations.size(), [&](size_t i) {
      LocationFit* const fitted = times.Fitted(locations[i]);
      fits[i] = fitted != nullptr
                    ? std::move(*fitted)
                    : FitLocation(clock_, locations[i], times, source_.events_path(locations[i]));
    });
    for (LocationFit& fit : fits) SYNCLINE_TRY(Adopt(std::move(fit)));
    return Write();
  }

 private:
  Result<Otf2WriteCounts> Write() {
    const int64_t shift = span_.Shift();
    for (LocationFit& location : offsets_) {
      for (ClockOffset& record : location.records) record.offset += shift;
    }
    counts_.shift_ticks = static_cast<uint64_t>(shift);
    // What was recorded is changed by the shift, too.
    if (shift > 0) counts_.changed = counts_.events;
    new_clock_ = Enclosing(*source_.facts().clock, span_, shift);
    if (counts_.inexpressible > 0) return counts_;
    SYNCLINE_TRY(WriteDefinitions());
    SYNCLINE_TRY(PlaceFiles());
    return counts_;
  }

  Result<void> Adopt(LocationFit fit) {
    if (fit.error) return tl::unexpected(*fit.error);
    ++counts_.locations;
    counts_.events += fit.events;
    counts_.changed += fit.changed;
    counts_.clock_offsets += fit.records.size();
    if (fit.inexpressible > 0 && counts_.inexpressible == 0) {
      counts_.first_inexpressible =
          fmt::format("event {} of location {}", fit.first_inexpressible, fit.location);
    }
    counts_.inexpressible += fit.inexpressible;
    span_.Include(fit.span);
    offsets_.push_back(std::move(fit));
    return {};
  }

  Result<void> WriteDefinitions() {
    ArchiveFacts like = source_.facts();
    like.definition_chunk = DefinitionChunk();
    SYNCLINE_ASSIGN(auto writer,
                    ArchiveWriter::Create(output_.scratch(), output_.name(), like, errors_));
    OTF2_Archive* archive = writer.archive();
    SYNCLINE_TRY(errors_.Check(OTF2_Archive_OpenDefFiles(archive), "cannot write definitions",
                               output_.scratch()));
    for (const LocationFit& offsets : offsets_) {
      SYNCLINE_TRY(WriteLocalDefinitions(archive, offsets));
    }
    SYNCLINE_TRY(errors_.Check(OTF2_Archive_CloseDefFiles(archive), "cannot write definitions",
                               output_.scratch()));
    if (new_clock_) {
      OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
      if (global == nullptr) return errors_.Failure("cannot write definitions", output_.scratch());
      SYNCLINE_TRY(CopyGlobalDefinitions(source_, errors_, global, new_clock_));
    }
    return writer.Close();
  }

  // libotf2 fills a whole chunk for every file, 4 MiB as a rule. Content that fits into the
  // smallest chunk makes the same bytes with it.
  uint64_t DefinitionChunk() const {
    const auto size_of = [](const std::string& file) {
      std::error_code error;
      const uint64_t size = fs::file_size(file, error);
      return error ? 0 : size;
    };
    uint64_t largest = size_of(source_.global_definitions_path());
    for (const LocationFit& fit : offsets_) {
      const uint64_t offsets = fit.records.size() * kLargestClockOffset;
      largest = std::max(largest, size_of(source_.definitions_path(fit.location)) + offsets);
    }
    const bool is_small = largest < OTF2_CHUNK_SIZE_MIN / 2;
    return is_small ? OTF2_CHUNK_SIZE_MIN : source_.facts().definition_chunk;
  }

  Result<void> WriteLocalDefinitions(OTF2_Archive* archive, const LocationFit& offsets) {
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, offsets.location);
    if (writer == nullptr) return errors_.Failure("cannot write definitions", output_.scratch());
    if (offsets.has_other_definitions) {
      SYNCLINE_TRY(CopyLocalDefinitions(source_, errors_, offsets.location, writer));
    }
    for (const ClockOffset& record : offsets.records) {
      const OTF2_ErrorCode code = OTF2_DefWriter_WriteClockOffset(
          writer, static_cast<uint64_t>(record.time), record.offset, 0.0);
      if (code != OTF2_SUCCESS) {
        return errors_.Check(code, "cannot write a clock offset", output_.scratch());
      }
    }
    return errors_.Check(OTF2_Archive_CloseDefWriter(archive, writer), "cannot write definitions",
                         output_.scratch());
  }

  // Only definitions that were meant to replace the old ones may stay in scratch().
  Result<void> PlaceFiles() {
    std::error_code error;
    if (!new_clock_) fs::remove(output_.scratch() + "/" + output_.name() + ".def", error);
    SYNCLINE_ASSIGN(auto side, PlaceArchive(source_, output_));
    counts_.marker_files = side.marker_files;
    counts_.snapshot_files = side.snapshot_files;
    return {};
  }

  ArchiveSource& source_;
  Otf2Errors& errors_;
  ArchiveOutput& output_;
  Clock clock_;
  std::vector<LocationFit> offsets_;  // of the locations with events
  TimeSpan span_;
  std::optional<ClockProperties> new_clock_;
  Otf2WriteCounts counts_;
};

}  // namespace
}  // namespace otf2_write

Result<Otf2Pending> PrepareOtf2Metadata(const Otf2WriteRequest& request, Otf2TimeSource& times) {
  using namespace otf2_write;
  return PrepareArchive(
      request, [&](ArchiveSource& source, Otf2Errors& errors, ArchiveOutput& output, Clock clock) {
        return MetadataWriter(source, errors, output, std::move(clock)).Run(times);
      });
}

}  // namespace syncline
