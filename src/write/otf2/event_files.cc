#include "write/otf2/event_files.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <otf2/otf2.h>

#include "base/try.h"
#include "write/otf2/archive_writer.h"
#include "write/otf2/definition_copier.h"
#include "write/otf2/record_kinds.h"

namespace syncline::otf2_write {
namespace {

// In ticks. The new time of an event, at least that of the event before.
using NewTime = std::function<Result<uint64_t>(uint64_t index, uint64_t recorded)>;

struct EventCopy {
  OTF2_EvtWriter* writer = nullptr;
  const NewTime* new_time = nullptr;
  Otf2Errors* errors = nullptr;
  std::string path;
  uint64_t events = 0;
  Result<void> result;

  // Writes one event by `write(time)`.
  template <typename WriteEvent>
  OTF2_CallbackCode Copy(uint64_t recorded, const WriteEvent& write) {
    const auto time = (*new_time)(events, recorded);
    if (!time) {
      result = tl::unexpected(time.error());
    } else if (const OTF2_ErrorCode code = write(*time); code != OTF2_SUCCESS) {
      result = errors->Check(code, fmt::format("event {} cannot be written", events), path);
    }
    if (!result) return OTF2_CALLBACK_INTERRUPT;
    ++events;
    return OTF2_CALLBACK_SUCCESS;
  }
};

// The reader's callback that hands its arguments to Write: the library gives both the same fields.
template <auto Write>
struct Forward;
template <typename... Fields,
          OTF2_ErrorCode (*Write)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, Fields...)>
struct Forward<Write> {
  static OTF2_CallbackCode Call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                                uint64_t /*position*/, void* user, OTF2_AttributeList* attributes,
                                Fields... fields) {
    auto* copy = static_cast<EventCopy*>(user);
    return copy->Copy(time, [&](uint64_t new_time) {
      return Write(copy->writer, attributes, new_time, fields...);
    });
  }
};

OTF2_CallbackCode ForwardFlush(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                               uint64_t /*position*/, void* user, OTF2_AttributeList* attributes,
                               OTF2_TimeStamp stop) {
  auto* copy = static_cast<EventCopy*>(user);
  return copy->Copy(time, [&](uint64_t new_time) {
    return OTF2_EvtWriter_BufferFlush(copy->writer, attributes, new_time, new_time + (stop - time));
  });
}

OTF2_CallbackCode RefuseUnknown(OTF2_LocationRef /*location*/, OTF2_TimeStamp /*time*/,
                                uint64_t /*position*/, void* user,
                                OTF2_AttributeList* /*attributes*/) {
  auto* copy = static_cast<EventCopy*>(user);
  copy->result = Fail(
      ErrorCode::kUnsupported,
      fmt::format("event {} is of a later OTF2 version than this libotf2 can copy", copy->events),
      copy->path);
  return OTF2_CALLBACK_INTERRUPT;
}

// Copies the events of one location, and returns how many there are. Errors: those of ReadEvents
// and of the times; kUnsupported for an event of a kind that this libotf2 does not know.
Result<uint64_t> CopyEvents(ArchiveSource& source, Otf2Errors& errors, uint64_t location,
                            OTF2_EvtWriter* writer, const NewTime& new_time) {
  const EventCallbacks owner(OTF2_EvtReaderCallbacks_New());
  auto* callbacks = owner.get();
#define SYNCLINE_SET(Kind) \
  OTF2_EvtReaderCallbacks_Set##Kind##Callback(callbacks, &Forward<&OTF2_EvtWriter_##Kind>::Call);
  SYNCLINE_OTF2_EVENTS(SYNCLINE_SET)
#undef SYNCLINE_SET
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, &ForwardFlush);
  OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, &RefuseUnknown);
  EventCopy copy{.writer = writer,
                 .new_time = &new_time,
                 .errors = &errors,
                 .path = source.events_path(location)};
  SYNCLINE_TRY(source.ReadEvents(location, callbacks, &copy));
  if (!copy.result) return tl::unexpected(copy.result.error());
  return copy.events;
}

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
