#include "write/otf2/archive_source.h"

#include <filesystem>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "base/try.h"
#include "write/otf2/record_kinds.h"

namespace syncline::otf2_write {
namespace {

namespace fs = std::filesystem;

struct DefinitionPass {
  ArchiveFacts& facts;
  absl::flat_hash_set<uint64_t> locations;
};

OTF2_CallbackCode NoteLocation(void* user, OTF2_LocationRef self, OTF2_StringRef /*name*/,
                               OTF2_LocationType /*type*/, uint64_t events,
                               OTF2_LocationGroupRef /*group*/) {
  auto& [facts, known] = *static_cast<DefinitionPass*>(user);
  if (!known.insert(self).second) return OTF2_CALLBACK_SUCCESS;
  facts.locations.push_back(self);
  facts.event_counts.push_back(events);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode NoteClock(void* user, uint64_t resolution, uint64_t global_offset,
                            uint64_t length, uint64_t realtime) {
  static_cast<DefinitionPass*>(user)->facts.clock = {resolution, global_offset, length, realtime};
  return OTF2_CALLBACK_SUCCESS;
}

struct TimePass {
  const EventTimeSink* each = nullptr;
  uint64_t events = 0;
  Result<void> result;

  OTF2_CallbackCode Note(uint64_t time, uint64_t end) {
    result = (*each)({events++, time, end});
    return result ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
  }
};

template <typename... Fields>
OTF2_CallbackCode NoteTime(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                           uint64_t /*position*/, void* user, OTF2_AttributeList* /*attributes*/,
                           Fields... /*fields*/) {
  return static_cast<TimePass*>(user)->Note(time, time);
}

OTF2_CallbackCode NoteFlush(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                            uint64_t /*position*/, void* user, OTF2_AttributeList* /*attributes*/,
                            OTF2_TimeStamp stop) {
  return static_cast<TimePass*>(user)->Note(time, stop);
}

EventCallbacks TimeCallbacks() {
  EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
#define SYNCLINE_SET(Kind) OTF2_EvtReaderCallbacks_Set##Kind##Callback(callbacks.get(), &NoteTime);
  SYNCLINE_OTF2_EVENTS(SYNCLINE_SET)
  SYNCLINE_SET(Unknown)
#undef SYNCLINE_SET
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks.get(), &NoteFlush);
  return callbacks;
}

}  // namespace

Result<ArchiveSource> ArchiveSource::Open(const std::string& anchor, Otf2Errors& errors) {
  ArchiveSource source(anchor, errors);
  SYNCLINE_TRY(source.ReadAnchor());
  SYNCLINE_TRY(source.Survey());
  SYNCLINE_TRY(source.CheckFiles());
  SYNCLINE_TRY(source.SelectLocations());
  return source;
}

std::string ArchiveSource::global_definitions_path() const {
  return fs::path(anchor_).replace_extension(".def").string();
}

std::string ArchiveSource::folder() const {
  return fs::path(anchor_).replace_extension("").string();
}

std::string ArchiveSource::events_path(uint64_t location) const {
  return fmt::format("{}/{}.evt", folder(), location);
}

std::string ArchiveSource::definitions_path(uint64_t location) const {
  return fmt::format("{}/{}.def", folder(), location);
}

bool ArchiveSource::HasEvents(uint64_t location) const {
  std::error_code error;
  return fs::exists(events_path(location), error);
}

Result<void> ArchiveSource::ReadAnchor() {
  std::error_code error;
  if (fs::path(anchor_).extension() != ".otf2") {
    return Fail(ErrorCode::kUsage, "is not the anchor file of an OTF2 archive (NAME.otf2)",
                anchor_);
  }
  if (!fs::is_regular_file(anchor_, error)) {
    return Fail(ErrorCode::kUnreadable, "there is no such file", anchor_);
  }
  reader_.reset(OTF2_Reader_Open(anchor_.c_str()));
  if (!reader_) return errors_->Failure("cannot be opened as an OTF2 archive", anchor_);
  OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get());
  OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
  OTF2_Reader_GetFileSubstrate(reader_.get(), &substrate);
  if (substrate != OTF2_SUBSTRATE_POSIX) {
    return Fail(ErrorCode::kUnsupported, "is not stored in plain files", anchor_);
  }
  OTF2_Reader_GetChunkSize(reader_.get(), &facts_.event_chunk, &facts_.definition_chunk);
  OTF2_Reader_GetCompression(reader_.get(), &facts_.compression);
  if (!fs::is_regular_file(global_definitions_path(), error)) {
    return Fail(ErrorCode::kUnreadable, "there is no such file", global_definitions_path());
  }
  return {};
}

Result<void> ArchiveSource::Survey() {
  const GlobalDefinitionCallbacks callbacks(OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks.get(), &NoteLocation);
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks.get(), &NoteClock);
  DefinitionPass pass{facts_, {}};
  return ReadGlobalDefinitions(callbacks.get(), &pass);
}

Result<void> ArchiveSource::CheckFiles() const {
  std::error_code error;
  if (facts_.clock && (facts_.clock->resolution == 0 || facts_.clock->resolution > INT64_MAX)) {
    return Fail(ErrorCode::kMalformed,
                fmt::format("a timer of {} ticks per second", facts_.clock->resolution),
                global_definitions_path());
  }
  for (size_t i = 0; i < facts_.locations.size(); ++i) {
    const uint64_t location = facts_.locations[i];
    if (facts_.event_counts[i] > 0 && !HasEvents(location)) {
      return Fail(ErrorCode::kUnreadable, "there is no such file", events_path(location));
    }
    if (HasEvents(location) && !fs::exists(definitions_path(location), error)) {
      return Fail(ErrorCode::kUnreadable, "there is no such file", definitions_path(location));
    }
  }
  return {};
}

Result<void> ArchiveSource::SelectLocations() {
  for (const uint64_t location : facts_.locations) {
    SYNCLINE_TRY(errors_->Check(OTF2_Reader_SelectLocation(reader_.get(), location),
                                "cannot select a location", anchor_));
  }
  SYNCLINE_TRY(errors_->Check(OTF2_Reader_OpenDefFiles(reader_.get()),
                              "cannot open the definitions", folder()));
  return errors_->Check(OTF2_Reader_OpenEvtFiles(reader_.get()), "cannot open the events",
                        folder());
}

Result<void> ArchiveSource::ReadGlobalDefinitions(const OTF2_GlobalDefReaderCallbacks* callbacks,
                                                  void* user) {
  const std::string path = global_definitions_path();
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader_.get());
  if (definitions == nullptr) return errors_->Failure("cannot be read", path);
  SYNCLINE_TRY(errors_->Check(
      OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), definitions, callbacks, user),
      "cannot be read", path));
  uint64_t count = 0;
  auto read =
      errors_->Check(OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), definitions, &count),
                     "cannot be read", path);
  OTF2_Reader_CloseGlobalDefReader(reader_.get(), definitions);
  return read;
}

Result<void> ArchiveSource::ReadLocalDefinitions(uint64_t location,
                                                 const OTF2_DefReaderCallbacks* callbacks,
                                                 void* user) {
  const std::string path = definitions_path(location);
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader_.get(), location);
  if (definitions == nullptr) return errors_->Failure("cannot be read", path);
  OTF2_Reader_RegisterDefCallbacks(reader_.get(), definitions, callbacks, user);
  uint64_t count = 0;
  auto read =
      errors_->Check(OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), definitions, &count),
                     "cannot be read", path);
  OTF2_Reader_CloseDefReader(reader_.get(), definitions);
  return read;
}

Result<uint64_t> ArchiveSource::ReadEvents(uint64_t location,
                                           const OTF2_EvtReaderCallbacks* callbacks, void* user) {
  if (!HasEvents(location)) return 0;
  const std::string path = events_path(location);
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader_.get(), location);
  if (events == nullptr) return errors_->Failure("cannot be read", path);
  OTF2_EvtReader_ApplyClockOffsets(events, false);
  OTF2_EvtReader_ApplyMappingTables(events, false);
  OTF2_Reader_RegisterEvtCallbacks(reader_.get(), events, callbacks, user);
  uint64_t count = 0;
  OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader_.get(), events, &count);
  if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK) code = OTF2_SUCCESS;
  auto read = errors_->Check(code, fmt::format("cannot be read after {} events", count), path);
  OTF2_Reader_CloseEvtReader(reader_.get(), events);
  if (!read) return tl::unexpected(read.error());
  return count;
}

Result<uint64_t> ReadEventTimes(ArchiveSource& source, uint64_t location,
                                const EventTimeSink& each) {
  const EventCallbacks callbacks = TimeCallbacks();
  TimePass pass{.each = &each};
  SYNCLINE_TRY(source.ReadEvents(location, callbacks.get(), &pass));
  if (!pass.result) return tl::unexpected(pass.result.error());
  return pass.events;
}

}  // namespace syncline::otf2_write
