#include "write/otf2/events_writer.h"

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "write/otf2/archive_output.h"
#include "write/otf2/archive_placing.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/archive_writer.h"
#include "write/otf2/clock_offset.h"
#include "write/otf2/definition_copier.h"
#include "write/otf2/event_copier.h"
#include "write/otf2/prepare_archive.h"
#include "write/otf2/time_span.h"

namespace syncline {
namespace otf2_write {
namespace {

class EventsWriter {
 public:
  EventsWriter(ArchiveSource& source, Otf2Errors& errors, ArchiveOutput& output,
               const Otf2Retime& retime, Clock clock)
      : source_(source),
        errors_(errors),
        output_(output),
        retime_(retime),
        clock_(std::move(clock)) {}

  Result<Otf2WriteCounts> Run() {
    SYNCLINE_TRY(FindShift());
    SYNCLINE_TRY(WriteArchive());
    SYNCLINE_ASSIGN(auto side, PlaceArchive(source_, output_));
    counts_.marker_files = side.marker_files;
    counts_.snapshot_files = side.snapshot_files;
    return counts_;
  }

 private:
  Result<int64_t> Corrected(uint64_t location, uint64_t index, uint64_t recorded) {
    if (recorded > static_cast<uint64_t>(INT64_MAX)) {
      return Fail(ErrorCode::kUnsupported, fmt::format("event {} has the time {}", index, recorded),
                  source_.events_path(location));
    }
    const LocalTime time{static_cast<int64_t>(recorded)};
    return ToTicks(clock_, retime_(location, index, time));
  }

  // Times never step back within a location, so the first events tell the earliest time of all.
  Result<void> FindShift() {
    TimeSpan firsts;
    for (const uint64_t location : source_.facts().locations) {
      const auto stop_at_first = [&](const RecordedEvent& event) -> Result<void> {
        if (event.index > 0) return Fail(ErrorCode::kUsage, "enough");
        SYNCLINE_ASSIGN(auto corrected, Corrected(location, 0, event.time));
        first_[location] = corrected;
        firsts.Include(corrected);
        return {};
      };
      const auto read = ReadEventTimes(source_, location, stop_at_first);
      if (!read && !first_.contains(location)) return tl::unexpected(read.error());
    }
    shift_ = firsts.Shift();
    counts_.shift_ticks = static_cast<uint64_t>(shift_);
    return {};
  }

  Result<void> WriteArchive() {
    SYNCLINE_ASSIGN(auto writer, ArchiveWriter::Create(output_.scratch(), output_.name(),
                                                       source_.facts(), errors_));
    SYNCLINE_TRY(WriteAllEvents(writer.archive()));
    SYNCLINE_TRY(WriteAllDefinitions(writer.archive()));
    return writer.Close();
  }

  Result<void> WriteAllEvents(OTF2_Archive* archive) {
    SYNCLINE_TRY(Check(OTF2_Archive_OpenEvtFiles(archive)));
    for (const uint64_t location : source_.facts().locations) {
      if (!source_.HasEvents(location)) continue;
      SYNCLINE_TRY(WriteEvents(archive, location));
    }
    return Check(OTF2_Archive_CloseEvtFiles(archive));
  }

  Result<void> WriteEvents(OTF2_Archive* archive, uint64_t location) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, location);
    if (writer == nullptr) return errors_.Failure("cannot be written", output_.scratch());
    int64_t before = INT64_MIN;
    const auto new_time = [&](uint64_t index, uint64_t recorded) -> Result<uint64_t> {
      SYNCLINE_ASSIGN(auto corrected, index == 0 ? Result<int64_t>(first_[location])
                                                 : Corrected(location, index, recorded));
      if (corrected < before) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("event {} would be before its predecessor", index),
                    source_.events_path(location));
      }
      before = corrected;
      span_.Include(before);
      const auto written = static_cast<uint64_t>(before + shift_);
      if (written != recorded) ++counts_.changed;
      return written;
    };
    SYNCLINE_ASSIGN(const auto copied, CopyEvents(source_, errors_, location, writer, new_time));
    ++counts_.locations;
    counts_.events += copied;
    return Check(OTF2_Archive_CloseEvtWriter(archive, writer));
  }

  Result<void> WriteAllDefinitions(OTF2_Archive* archive) {
    SYNCLINE_TRY(Check(OTF2_Archive_OpenDefFiles(archive)));
    for (const uint64_t location : source_.facts().locations) {
      SYNCLINE_TRY(WriteDefinitions(archive, location));
    }
    SYNCLINE_TRY(Check(OTF2_Archive_CloseDefFiles(archive)));
    const auto clock = Enclosing(*source_.facts().clock, span_, shift_);
    if (!clock) return {};  // the old file will do
    OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
    if (global == nullptr) return errors_.Failure("cannot be written", output_.scratch());
    return CopyGlobalDefinitions(source_, errors_, global, clock);
  }

  Result<void> WriteDefinitions(OTF2_Archive* archive, uint64_t location) {
    std::error_code error;
    if (!std::filesystem::exists(source_.definitions_path(location), error)) return {};
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location);
    if (writer == nullptr) return errors_.Failure("cannot be written", output_.scratch());
    SYNCLINE_TRY(CopyLocalDefinitions(source_, errors_, location, writer));
    return Check(OTF2_Archive_CloseDefWriter(archive, writer));
  }

  Result<void> Check(OTF2_ErrorCode code) {
    return errors_.Check(code, "cannot be written", output_.scratch());
  }

  ArchiveSource& source_;
  Otf2Errors& errors_;
  ArchiveOutput& output_;
  const Otf2Retime& retime_;
  Clock clock_;
  std::map<uint64_t, int64_t> first_;  // corrected time by location, not yet shifted
  int64_t shift_ = 0;
  TimeSpan span_;
  Otf2WriteCounts counts_;
};

}  // namespace
}  // namespace otf2_write

Result<Otf2Pending> PrepareOtf2Events(const Otf2WriteRequest& request, const Otf2Retime& retime) {
  using namespace otf2_write;
  return PrepareArchive(
      request, [&](ArchiveSource& source, Otf2Errors& errors, ArchiveOutput& output, Clock clock) {
        return EventsWriter(source, errors, output, retime, std::move(clock)).Run();
      });
}

}  // namespace syncline
