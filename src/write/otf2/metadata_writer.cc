#include "write/otf2/metadata_writer.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "write/otf2/archive_output.h"
#include "write/otf2/archive_placing.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/archive_writer.h"
#include "write/otf2/clock_offset_fitter.h"
#include "write/otf2/definition_copier.h"
#include "write/otf2/time_span.h"

namespace syncline {
namespace otf2_write {
namespace {

namespace fs = std::filesystem;
struct LocationOffsets {
  uint64_t location = 0;
  std::vector<ClockOffset> records;
};

class MetadataWriter {
 public:
  MetadataWriter(ArchiveSource& source, Otf2Errors& errors, ArchiveOutput& output,
                 const Otf2Retime& retime, Clock clock)
      : source_(source),
        errors_(errors),
        output_(output),
        retime_(retime),
        clock_(std::move(clock)) {}
  Result<Otf2WriteCounts> Run();

 private:
  Result<void> FitAll();
  Result<void> FitLocation(uint64_t location);
  void NoteInexpressible(uint64_t location, uint64_t event, uint64_t count);
  Result<void> WriteDefinitions();
  Result<void> WriteLocalDefinitions(OTF2_Archive* archive, const LocationOffsets& offsets);
  Result<void> PlaceFiles();

  ArchiveSource& source_;
  Otf2Errors& errors_;
  ArchiveOutput& output_;
  const Otf2Retime& retime_;
  Clock clock_;
  std::vector<LocationOffsets> offsets_;  // of the locations with events
  TimeSpan span_;
  std::optional<ClockProperties> new_clock_;
  Otf2WriteCounts counts_;
};

Result<Otf2WriteCounts> MetadataWriter::Run() {
  if (auto fitted = FitAll(); !fitted) return tl::unexpected(fitted.error());
  if (counts_.inexpressible > 0) return counts_;
  if (auto written = WriteDefinitions(); !written) return tl::unexpected(written.error());
  if (auto placed = PlaceFiles(); !placed) return tl::unexpected(placed.error());
  if (auto committed = output_.Commit(); !committed) return tl::unexpected(committed.error());
  return counts_;
}

Result<void> MetadataWriter::FitAll() {
  for (const uint64_t location : source_.facts().locations) {
    if (!source_.HasEvents(location)) continue;
    if (auto fitted = FitLocation(location); !fitted) return fitted;
  }
  const int64_t shift = span_.Shift();
  for (LocationOffsets& location : offsets_) {
    for (ClockOffset& record : location.records) record.offset += shift;
  }
  counts_.shift_ticks = static_cast<uint64_t>(shift);
  // What was recorded is changed by the shift, too.
  if (shift > 0) counts_.changed = counts_.events;
  new_clock_ = Enclosing(*source_.facts().clock, span_, shift);
  return {};
}

Result<void> MetadataWriter::FitLocation(uint64_t location) {
  ClockOffsetFitter fitter;
  uint64_t latest = 0;
  const auto read =
      ReadEventTimes(source_, location, [&](const RecordedEvent& event) -> Result<void> {
        if (std::max(event.time, event.end) > static_cast<uint64_t>(kMaxOtf2Ticks)) {
          return Fail(ErrorCode::kUnsupported,
                      fmt::format("event {} has the time {}", event.index, event.time),
                      source_.events_path(location));
        }
        const auto recorded = static_cast<int64_t>(event.time);
        auto wanted = ToTicks(clock_, retime_(location, event.index, LocalTime{recorded}));
        if (!wanted) return tl::unexpected(wanted.error());
        // Readers look offsets up for the end of a BufferFlush, too, and never look back.
        if (event.time < latest) NoteInexpressible(location, event.index, 1);
        latest = std::max({latest, event.time, event.end});
        fitter.Add(recorded, *wanted);
        span_.Include(*wanted);
        if (*wanted != recorded) ++counts_.changed;
        return {};
      });
  if (!read) return tl::unexpected(read.error());
  ++counts_.locations;
  counts_.events += *read;
  offsets_.push_back({location, fitter.Finish()});
  counts_.clock_offsets += offsets_.back().records.size();
  NoteInexpressible(location, fitter.problems().first_event, fitter.problems().count());
  return {};
}

void MetadataWriter::NoteInexpressible(uint64_t location, uint64_t event, uint64_t count) {
  if (count > 0 && counts_.inexpressible == 0) {
    counts_.first_inexpressible = fmt::format("event {} of location {}", event, location);
  }
  counts_.inexpressible += count;
}

Result<void> MetadataWriter::WriteDefinitions() {
  auto writer = ArchiveWriter::Create(output_.scratch(), output_.name(), source_.facts(), errors_);
  if (!writer) return tl::unexpected(writer.error());
  OTF2_Archive* archive = writer->archive();
  auto opened = errors_.Check(OTF2_Archive_OpenDefFiles(archive), "cannot write definitions",
                              output_.scratch());
  if (!opened) return opened;
  for (const LocationOffsets& offsets : offsets_) {
    if (auto done = WriteLocalDefinitions(archive, offsets); !done) return done;
  }
  auto closed = errors_.Check(OTF2_Archive_CloseDefFiles(archive), "cannot write definitions",
                              output_.scratch());
  if (!closed) return closed;
  if (new_clock_) {
    OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
    if (global == nullptr) return errors_.Failure("cannot write definitions", output_.scratch());
    auto copied = CopyGlobalDefinitions(source_, errors_, global, new_clock_);
    if (!copied) return copied;
  }
  return writer->Close();
}

Result<void> MetadataWriter::WriteLocalDefinitions(OTF2_Archive* archive,
                                                   const LocationOffsets& offsets) {
  OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, offsets.location);
  if (writer == nullptr) return errors_.Failure("cannot write definitions", output_.scratch());
  if (auto copied = CopyLocalDefinitions(source_, errors_, offsets.location, writer); !copied) {
    return copied;
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
Result<void> MetadataWriter::PlaceFiles() {
  std::error_code error;
  if (!new_clock_) fs::remove(output_.scratch() + "/" + output_.name() + ".def", error);
  auto side = PlaceArchive(source_, output_);
  if (!side) return tl::unexpected(side.error());
  counts_.marker_files = side->marker_files;
  counts_.snapshot_files = side->snapshot_files;
  return {};
}

}  // namespace
}  // namespace otf2_write

Result<Otf2WriteCounts> WriteOtf2Metadata(const Otf2WriteRequest& request,
                                          const Otf2Retime& retime) {
  otf2_write::Otf2Errors errors;
  auto source = otf2_write::ArchiveSource::Open(request.input, errors);
  if (!source) return tl::unexpected(source.error());
  auto clock = otf2_write::ArchiveClock(*source, request.offset_ticks);
  if (!clock) return tl::unexpected(clock.error());
  auto output = otf2_write::ArchiveOutput::Create(request.output, request.input, request.if_exists);
  if (!output) return tl::unexpected(output.error());
  return otf2_write::MetadataWriter(*source, errors, *output, retime, std::move(*clock)).Run();
}

}  // namespace syncline
