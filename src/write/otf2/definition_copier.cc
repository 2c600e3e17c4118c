#include "write/otf2/definition_copier.h"

#include <memory>
#include <string>

#include "write/otf2/record_kinds.h"

namespace syncline::otf2_write {
namespace {

template <typename Writer>
struct DefinitionCopy {
  Writer* writer = nullptr;
  std::optional<ClockProperties> clock;
  uint64_t unknown = 0;
  OTF2_ErrorCode code = OTF2_SUCCESS;  // of writing

  OTF2_CallbackCode Note(OTF2_ErrorCode written) {
    code = written;
    return written == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
  }
};

// The reader's callback that hands its arguments to Write: the library gives both the same.
template <auto Write>
struct Forward;
template <typename Writer, typename... Fields, OTF2_ErrorCode (*Write)(Writer*, Fields...)>
struct Forward<Write> {
  static OTF2_CallbackCode Call(void* user, Fields... fields) {
    auto* copy = static_cast<DefinitionCopy<Writer>*>(user);
    return copy->Note(Write(copy->writer, fields...));
  }
};

OTF2_CallbackCode ForwardClock(void* user, uint64_t resolution, uint64_t global_offset,
                               uint64_t length, uint64_t realtime) {
  auto* copy = static_cast<DefinitionCopy<OTF2_GlobalDefWriter>*>(user);
  const ClockProperties clock =
      copy->clock.value_or(ClockProperties{resolution, global_offset, length, realtime});
  return copy->Note(OTF2_GlobalDefWriter_WriteClockProperties(
      copy->writer, clock.resolution, clock.global_offset, clock.length, clock.realtime));
}

template <typename Writer>
OTF2_CallbackCode CountUnknown(void* user) {
  ++static_cast<DefinitionCopy<Writer>*>(user)->unknown;
  return OTF2_CALLBACK_SUCCESS;
}

template <typename Writer>
Result<void> Outcome(const DefinitionCopy<Writer>& copy, Otf2Errors& errors,
                     const std::string& path) {
  if (copy.code != OTF2_SUCCESS) {
    return errors.Check(copy.code, "its definitions cannot be written", path);
  }
  if (copy.unknown == 0) return {};
  return Fail(ErrorCode::kUnsupported,
              "has definitions of a later OTF2 version than this libotf2 can copy", path);
}

}  // namespace

Result<void> CopyGlobalDefinitions(ArchiveSource& source, Otf2Errors& errors,
                                   OTF2_GlobalDefWriter* writer,
                                   std::optional<ClockProperties> clock) {
  const GlobalDefinitionCallbacks owner(OTF2_GlobalDefReaderCallbacks_New());
  auto* callbacks = owner.get();
#define SYNCLINE_SET(Kind)                           \
  OTF2_GlobalDefReaderCallbacks_Set##Kind##Callback( \
      callbacks, &Forward<&OTF2_GlobalDefWriter_Write##Kind>::Call);
  SYNCLINE_OTF2_DEFINITIONS(SYNCLINE_SET)
  SYNCLINE_OTF2_GLOBAL_DEFINITIONS(SYNCLINE_SET)
#undef SYNCLINE_SET
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, &ForwardClock);
  OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(callbacks, &CountUnknown<OTF2_GlobalDefWriter>);
  DefinitionCopy<OTF2_GlobalDefWriter> copy{.writer = writer, .clock = clock};
  if (auto read = source.ReadGlobalDefinitions(callbacks, &copy); !read) return read;
  return Outcome(copy, errors, source.global_definitions_path());
}

Result<void> CopyLocalDefinitions(ArchiveSource& source, Otf2Errors& errors, uint64_t location,
                                  OTF2_DefWriter* writer) {
  const LocalDefinitionCallbacks owner(OTF2_DefReaderCallbacks_New());
  auto* callbacks = owner.get();
#define SYNCLINE_SET(Kind)                               \
  OTF2_DefReaderCallbacks_Set##Kind##Callback(callbacks, \
                                              &Forward<&OTF2_DefWriter_Write##Kind>::Call);
  SYNCLINE_OTF2_DEFINITIONS(SYNCLINE_SET)
  SYNCLINE_SET(MappingTable)
#undef SYNCLINE_SET
  OTF2_DefReaderCallbacks_SetUnknownCallback(callbacks, &CountUnknown<OTF2_DefWriter>);
  DefinitionCopy<OTF2_DefWriter> copy{.writer = writer};
  if (auto read = source.ReadLocalDefinitions(location, callbacks, &copy); !read) return read;
  return Outcome(copy, errors, source.definitions_path(location));
}

}  // namespace syncline::otf2_write
