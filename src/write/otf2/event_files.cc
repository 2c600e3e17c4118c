#include "write/otf2/event_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/try.h"
#include "write/otf2/archive_writer.h"
#include "write/otf2/definition_copier.h"
#include "write/otf2/event_copier.h"

namespace syncline::otf2_write {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScratchName = "part";

tl::unexpected<Error> FileError(const std::error_code& error, const fs::path& path) {
  return Fail(ErrorCode::kUnreadable, error.message(), path.string());
}

}  // namespace

void WrittenEvents::Add(const WrittenEvents& others) {
  span.Include(others.span);
  shift = std::max(shift, others.shift);
  locations += others.locations;
  events += others.events;
  changed += others.changed;
}

Result<TimeSpan> EventFilesWriter::FirstTimes() {
  TimeSpan firsts;
  for (const uint64_t location : locations_) {
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
  return firsts;
}

Result<WrittenEvents> EventFilesWriter::Write(const EventFilesPlace& place, size_t number,
                                              int64_t shift) {
  written_.shift = shift;
  scratch_ = fmt::format("{}/{}", place.scratch, number);
  std::error_code error;
  if (!fs::create_directory(scratch_, error)) return FileError(error, scratch_);
  SYNCLINE_ASSIGN(auto writer,
                  ArchiveWriter::Create(scratch_, kScratchName, source_.facts(), errors_));
  SYNCLINE_TRY(WriteAllEvents(writer.archive()));
  SYNCLINE_TRY(WriteAllDefinitions(writer.archive()));
  SYNCLINE_TRY(writer.Close());
  SYNCLINE_TRY(Place(place.folder));
  return written_;
}

Result<int64_t> EventFilesWriter::Corrected(uint64_t location, uint64_t index, uint64_t recorded) {
  if (recorded > static_cast<uint64_t>(INT64_MAX)) {
    return Fail(ErrorCode::kUnsupported, fmt::format("event {} has the time {}", index, recorded),
                source_.events_path(location));
  }
  const LocalTime time{static_cast<int64_t>(recorded)};
  return ToTicks(clock_, retime_(location, index, time));
}

Result<void> EventFilesWriter::WriteAllEvents(OTF2_Archive* archive) {
  SYNCLINE_TRY(Check(OTF2_Archive_OpenEvtFiles(archive)));
  for (const uint64_t location : locations_) {
    if (!source_.HasEvents(location)) continue;
    SYNCLINE_TRY(WriteEvents(archive, location));
  }
  return Check(OTF2_Archive_CloseEvtFiles(archive));
}

Result<void> EventFilesWriter::WriteEvents(OTF2_Archive* archive, uint64_t location) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, location);
  if (writer == nullptr) return errors_.Failure("cannot be written", scratch_);
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
    written_.span.Include(before);
    const auto written = static_cast<uint64_t>(before + written_.shift);
    if (written != recorded) ++written_.changed;
    return written;
  };
  SYNCLINE_ASSIGN(const auto copied, CopyEvents(source_, errors_, location, writer, new_time));
  ++written_.locations;
  written_.events += copied;
  return Check(OTF2_Archive_CloseEvtWriter(archive, writer));
}

Result<void> EventFilesWriter::WriteAllDefinitions(OTF2_Archive* archive) {
  SYNCLINE_TRY(Check(OTF2_Archive_OpenDefFiles(archive)));
  for (const uint64_t location : locations_) {
    SYNCLINE_TRY(WriteDefinitions(archive, location));
  }
  return Check(OTF2_Archive_CloseDefFiles(archive));
}

Result<void> EventFilesWriter::WriteDefinitions(OTF2_Archive* archive, uint64_t location) {
  std::error_code error;
  if (!fs::exists(source_.definitions_path(location), error)) return {};
  OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location);
  if (writer == nullptr) return errors_.Failure("cannot be written", scratch_);
  SYNCLINE_TRY(CopyLocalDefinitions(source_, errors_, location, writer));
  return Check(OTF2_Archive_CloseDefWriter(archive, writer));
}

Result<void> EventFilesWriter::Place(const std::string& folder) const {
  for (const uint64_t location : locations_) {
    for (const char* kind : {"evt", "def"}) {
      const std::string file = fmt::format("{}.{}", location, kind);
      const fs::path made = fs::path(scratch_) / kScratchName / file;
      std::error_code error;
      if (!fs::exists(made, error)) continue;
      fs::rename(made, fs::path(folder) / file, error);
      if (error) return FileError(error, made);
    }
  }
  return {};
}

Result<void> EventFilesWriter::Check(OTF2_ErrorCode code) {
  return errors_.Check(code, "cannot be written", scratch_);
}

}  // namespace syncline::otf2_write
