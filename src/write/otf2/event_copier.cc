#include "write/otf2/event_copier.h"

#include <memory>

#include <fmt/format.h>

#include "base/try.h"
#include "write/otf2/record_kinds.h"

namespace syncline::otf2_write {
namespace {

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

}  // namespace

Result<uint64_t> CopyEvents(ArchiveSource& source, Otf2Errors& errors, uint64_t location,
                            OTF2_EvtWriter* writer, const NewTime& new_time) {
  auto* callbacks = OTF2_EvtReaderCallbacks_New();
  const std::unique_ptr<OTF2_EvtReaderCallbacks, decltype(&OTF2_EvtReaderCallbacks_Delete)> owner(
      callbacks, &OTF2_EvtReaderCallbacks_Delete);
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

}  // namespace syncline::otf2_write
