#include "write/otf2/events_writer.h"

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/replace_together.h"
#include "base/try.h"
#include "write/otf2/archive_output.h"
#include "write/otf2/archive_placing.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/archive_writer.h"
#include "write/otf2/clock_offset.h"
#include "write/otf2/definition_copier.h"
#include "write/otf2/event_copier.h"
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
  Result<Otf2WriteCounts> Run();

 private:
  Result<int64_t> Corrected(uint64_t location, uint64_t index, uint64_t recorded);
  Result<void> FindShift();
  Result<void> WriteArchive();
  Result<void> WriteAllEvents(OTF2_Archive* archive);
  Result<void> WriteEvents(OTF2_Archive* archive, uint64_t location);
  Result<void> WriteAllDefinitions(OTF2_Archive* archive);
  Result<void> WriteDefinitions(OTF2_Archive* archive, uint64_t location);
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

Result<Otf2WriteCounts> EventsWriter::Run() {
  if (auto found = FindShift(); !found) return tl::unexpected(found.error());
  if (auto written = WriteArchive(); !written) return tl::unexpected(written.error());
  auto side = PlaceArchive(source_, output_);
  if (!side) return tl::unexpected(side.error());
  counts_.marker_files = side->marker_files;
  counts_.snapshot_files = side->snapshot_files;
  return counts_;
}

Result<int64_t> EventsWriter::Corrected(uint64_t location, uint64_t index, uint64_t recorded) {
  if (recorded > static_cast<uint64_t>(INT64_MAX)) {
    return Fail(ErrorCode::kUnsupported, fmt::format("event {} has the time {}", index, recorded),
                source_.events_path(location));
  }
  const LocalTime time{static_cast<int64_t>(recorded)};
  return ToTicks(clock_, retime_(location, index, time));
}

// Times never step back within a location, so the first events tell the earliest time of all.
Result<void> EventsWriter::FindShift() {
  TimeSpan firsts;
  for (const uint64_t location : source_.facts().locations) {
    const auto stop_at_first = [&](const RecordedEvent& event) -> Result<void> {
      if (event.index > 0) return Fail(ErrorCode::kUsage, "enough");
      auto corrected = Corrected(location, 0, event.time);
      if (!corrected) return tl::unexpected(corrected.error());
      first_[location] = *corrected;
      firsts.Include(*corrected);
      return {};
    };
    const auto read = ReadEventTimes(source_, location, stop_at_first);
    if (!read && !first_.contains(location)) return tl::unexpected(read.error());
  }
  shift_ = firsts.Shift();
  counts_.shift_ticks = static_cast<uint64_t>(shift_);
  return {};
}

Result<void> EventsWriter::WriteArchive() {
  auto writer = ArchiveWriter::Create(output_.scratch(), output_.name(), source_.facts(), errors_);
  if (!writer) return tl::unexpected(writer.error());
  if (auto events = WriteAllEvents(writer->archive()); !events) return events;
  if (auto definitions = WriteAllDefinitions(writer->archive()); !definitions) return definitions;
  return writer->Close();
}

Result<void> EventsWriter::WriteAllEvents(OTF2_Archive* archive) {
  if (auto opened = Check(OTF2_Archive_OpenEvtFiles(archive)); !opened) return opened;
  for (const uint64_t location : source_.facts().locations) {
    if (!source_.HasEvents(location)) continue;
    if (auto written = WriteEvents(archive, location); !written) return written;
  }
  return Check(OTF2_Archive_CloseEvtFiles(archive));
}

Result<void> EventsWriter::WriteEvents(OTF2_Archive* archive, uint64_t location) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, location);
  if (writer == nullptr) return errors_.Failure("cannot be written", output_.scratch());
  int64_t before = INT64_MIN;
  const auto new_time = [&](uint64_t index, uint64_t recorded) -> Result<uint64_t> {
    auto corrected =
        index == 0 ? Result<int64_t>(first_[location]) : Corrected(location, index, recorded);
    if (!corrected) return tl::unexpected(corrected.error());
    if (*corrected < before) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("event {} would be before its predecessor", index),
                  source_.events_path(location));
    }
    before = *corrected;
    span_.Include(before);
    const auto written = static_cast<uint64_t>(before + shift_);
    if (written != recorded) ++counts_.changed;
    return written;
  };
  const auto copied = CopyEvents(source_, errors_, location, writer, new_time);
  if (!copied) return tl::unexpected(copied.error());
  ++counts_.locations;
  counts_.events += *copied;
  return Check(OTF2_Archive_CloseEvtWriter(archive, writer));
}

Result<void> EventsWriter::WriteAllDefinitions(OTF2_Archive* archive) {
  if (auto opened = Check(OTF2_Archive_OpenDefFiles(archive)); !opened) return opened;
  for (const uint64_t location : source_.facts().locations) {
    if (auto written = WriteDefinitions(archive, location); !written) return written;
  }
  if (auto closed = Check(OTF2_Archive_CloseDefFiles(archive)); !closed) return closed;
  const auto clock = Enclosing(*source_.facts().clock, span_, shift_);
  if (!clock) return {};  // the old file will do
  OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
  if (global == nullptr) return errors_.Failure("cannot be written", output_.scratch());
  return CopyGlobalDefinitions(source_, errors_, global, clock);
}

Result<void> EventsWriter::WriteDefinitions(OTF2_Archive* archive, uint64_t location) {
  std::error_code error;
  if (!std::filesystem::exists(source_.definitions_path(location), error)) return {};
  OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location);
  if (writer == nullptr) return errors_.Failure("cannot be written", output_.scratch());
  auto copied = CopyLocalDefinitions(source_, errors_, location, writer);
  if (!copied) return copied;
  return Check(OTF2_Archive_CloseDefWriter(archive, writer));
}

}  // namespace
}  // namespace otf2_write

Result<Otf2Pending> PrepareOtf2Events(const Otf2WriteRequest& request, const Otf2Retime& retime) {
  otf2_write::Otf2Errors errors;
  auto source = otf2_write::ArchiveSource::Open(request.input, errors);
  if (!source) return tl::unexpected(source.error());
  auto clock = otf2_write::ArchiveClock(*source, request.offset_ticks);
  if (!clock) return tl::unexpected(clock.error());
  auto created =
      otf2_write::ArchiveOutput::Create(request.output, request.input, request.if_exists);
  if (!created) return tl::unexpected(created.error());
  const auto output = std::make_shared<otf2_write::ArchiveOutput>(*std::move(created));
  auto counts = otf2_write::EventsWriter(*source, errors, *output, retime, std::move(*clock)).Run();
  if (!counts) return tl::unexpected(counts.error());
  return Otf2Pending{*std::move(counts), [output] { return output->Finish(); }};
}

Result<Otf2WriteCounts> WriteOtf2Events(const Otf2WriteRequest& request, const Otf2Retime& retime) {
  auto pending = PrepareOtf2Events(request, retime);
  if (!pending) return tl::unexpected(pending.error());
  SYNCLINE_ASSIGN(const std::vector<Replacement> changes, pending->finish());
  SYNCLINE_TRY(ReplaceTogether(changes));
  return std::move(pending->counts);
}

}  // namespace syncline
