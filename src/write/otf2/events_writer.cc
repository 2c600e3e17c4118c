#include "write/otf2/events_writer.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/try.h"
#include "write/otf2/archive_output.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/archive_writer.h"
#include "write/otf2/definition_copier.h"
#include "write/otf2/prepare_archive.h"
#include "write/otf2/time_span.h"

namespace syncline {
namespace otf2_write {
namespace {

Result<EventFilesPlace> MakePlace(const ArchiveOutput& output) {
  EventFilesPlace place{output.shares(), output.place() + "/" + output.name()};
  std::error_code error;
  std::filesystem::create_directory(place.folder, error);
  if (error) return Fail(ErrorCode::kUnreadable, error.message(), place.folder);
  return place;
}

Result<void> WriteGlobalDefinitions(ArchiveSource& source, Otf2Errors& errors,
                                    const ArchiveOutput& output, const ClockProperties& clock) {
  const std::string& folder = output.scratch();
  SYNCLINE_ASSIGN(auto writer,
                  ArchiveWriter::Create(folder, output.name(), source.facts(), errors));
  OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(writer.archive());
  if (global == nullptr) return errors.Failure("cannot be written", folder);
  SYNCLINE_TRY(CopyGlobalDefinitions(source, errors, global, clock));
  return writer.Close();
}

// All that is left to do once event files and local definitions stand in their place.
Result<Otf2WriteCounts> CompleteArchive(ArchiveSource& source, Otf2Errors& errors,
                                        const ArchiveOutput& output, const WrittenEvents& events) {
  const auto clock = Enclosing(*source.facts().clock, events.span, events.shift);
  // Else the old file will do.
  if (clock) SYNCLINE_TRY(WriteGlobalDefinitions(source, errors, output, *clock));
  SYNCLINE_ASSIGN(const auto side, PlaceArchive(source, output));
  return Otf2WriteCounts{.locations = events.locations,
                         .events = events.events,
                         .changed = events.changed,
                         .shift_ticks = static_cast<uint64_t>(events.shift),
                         .marker_files = side.marker_files,
                         .snapshot_files = side.snapshot_files};
}

}  // namespace
}  // namespace otf2_write

Result<Otf2Pending> PrepareOtf2Events(const Otf2WriteRequest& request, const Otf2Retime& retime) {
  using namespace otf2_write;
  return PrepareArchive(
      request,
      [&](ArchiveSource& source, Otf2Errors& errors, ArchiveOutput& output,
          Clock clock) -> Result<Otf2WriteCounts> {
        EventFilesWriter writer(source, errors, source.facts().locations, retime, std::move(clock));
        SYNCLINE_ASSIGN(const TimeSpan firsts, writer.FirstTimes());
        SYNCLINE_ASSIGN(const EventFilesPlace place, MakePlace(output));
        SYNCLINE_ASSIGN(const WrittenEvents events, writer.Write(place, 0, firsts.Shift()));
        return CompleteArchive(source, errors, output, events);
      });
}

Result<std::optional<Otf2Pending>> PrepareOtf2EventsOfOthers(const Otf2WriteRequest& request,
                                                             const WriteEventFiles& write) {
  using namespace otf2_write;
  SYNCLINE_ASSIGN(auto created,
                  ArchiveOutput::Create(request.output, request.input, request.if_exists));
  const auto output = std::make_shared<ArchiveOutput>(std::move(created));
  SYNCLINE_ASSIGN(const EventFilesPlace place, MakePlace(*output));
  SYNCLINE_ASSIGN(const std::optional<WrittenEvents> events, write(place));
  if (!events) return std::nullopt;
  Otf2Errors errors;
  SYNCLINE_ASSIGN(auto source, ArchiveSource::Open(request.input, errors));
  SYNCLINE_ASSIGN(auto counts, CompleteArchive(source, errors, *output, *events));
  return Otf2Pending{std::move(counts), [output] { return output->Finish(); }};
}

}  // namespace syncline
