// How it works: libotf2 calls one callback per record; each appends one Otf2Record, so that not
// even records of types without meaning here are lost from the count.

#include "read/otf2/event_stream.h"

#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "read/otf2/local_definitions.h"

namespace syncline {
namespace {

// What a kind of event tells becomes a record, but for its time.
template <Otf2MarkType kType>
struct Mark {
  Otf2Record operator()(auto... /*details*/) const { return {.mark = kType}; }
};

template <Otf2MarkType kType>
Otf2Record Team(OTF2_CommRef team) {
  return {.communicator = team, .mark = kType};
}

Otf2Record BufferFlush(OTF2_TimeStamp end) {
  return {.end = end, .mark = Otf2MarkType::kBufferFlush};
}

template <Otf2RecordKind kKind>
Otf2Record Region(OTF2_RegionRef region) {
  return {.number = region, .kind = kKind};
}

template <Otf2RecordKind kKind>
Otf2Record Message(uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes) {
  return {.bytes = bytes, .communicator = communicator, .number = peer, .tag = tag, .kind = kKind};
}

template <Otf2RecordKind kKind>
Otf2Record MessageOfRequest(uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
                            uint64_t request) {
  Otf2Record record = Message<kKind>(peer, communicator, tag, bytes);
  record.request = request;
  return record;
}

template <Otf2RecordKind kKind>
Otf2Record Request(uint64_t request) {
  return {.request = request, .kind = kKind};
}

Otf2Record CollectiveBegin() { return {.kind = Otf2RecordKind::kCollectiveBegin}; }

Otf2Record CollectiveEnd(OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root,
                         uint64_t sent, uint64_t received) {
  return {.bytes = sent,
          .bytes_received = received,
          .communicator = communicator,
          .number = root,
          .tag = operation,
          .kind = Otf2RecordKind::kCollectiveEnd};
}

Otf2Record CollectiveComplete(OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root,
                              uint64_t sent, uint64_t received, uint64_t request) {
  Otf2Record record = CollectiveEnd(operation, communicator, root, sent, received);
  record.request = request;
  record.kind = Otf2RecordKind::kCollectiveComplete;
  return record;
}

// The library's callback for what kMake makes a record of.
template <auto kMake, typename... Details>
OTF2_CallbackCode On(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, uint64_t /*position*/,
                     void* user, OTF2_AttributeList* /*attributes*/, Details... details) {
  Otf2Record record = kMake(details...);
  record.time = time;
  static_cast<std::vector<Otf2Record>*>(user)->push_back(record);
  return OTF2_CALLBACK_SUCCESS;
}

EventCallbacks MakeEventCallbacks() {
  EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
  OTF2_EvtReaderCallbacks* c = callbacks.get();
  OTF2_EvtReaderCallbacks_SetEnterCallback(c, &On<&Region<Otf2RecordKind::kEnter>>);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(c, &On<&Region<Otf2RecordKind::kLeave>>);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, &On<&Message<Otf2RecordKind::kSend>>);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, &On<&Message<Otf2RecordKind::kReceive>>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      c, &On<&MessageOfRequest<Otf2RecordKind::kImmediateSend>>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      c, &On<&MessageOfRequest<Otf2RecordKind::kReceiveComplete>>);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c,
                                                      &On<&Request<Otf2RecordKind::kSendComplete>>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c,
                                                     &On<&Request<Otf2RecordKind::kReceivePosted>>);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c,
                                                         &On<&Request<Otf2RecordKind::kCancelled>>);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, &On<&CollectiveBegin>);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, &On<&CollectiveEnd>);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      c, &On<&Request<Otf2RecordKind::kCollectivePosted>>);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, &On<&CollectiveComplete>);
#define SYNCLINE_OTF2_SET_MARK(name) \
  OTF2_EvtReaderCallbacks_Set##name##Callback(c, &On<Mark<Otf2MarkType::k##name>{}>);
  SYNCLINE_OTF2_MARK_TYPES(SYNCLINE_OTF2_SET_MARK)
#undef SYNCLINE_OTF2_SET_MARK
  OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(c, &On<&Team<Otf2MarkType::kThreadTeamBegin>>);
  OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(c, &On<&Team<Otf2MarkType::kThreadTeamEnd>>);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(c, &On<&BufferFlush>);
  return callbacks;
}

}  // namespace

Result<Otf2EventStream> Otf2EventStream::Open(const Otf2Layout& layout, ProcessId process) {
  const OTF2_LocationRef location = layout.locations[process.index()];
  SYNCLINE_ASSIGN(auto reader, OpenReader(layout.anchor));
  Otf2EventStream stream;
  stream.file_ = layout.FileOf(location, ".evt");
  stream.reader_ = std::move(reader);
  OTF2_Reader* handle = stream.reader_.get();
  OTF2_Reader_SelectLocation(handle, location);
  if (layout.is_mapped[process.index()]) {
    OpenLocalDefinitions(handle);
    SYNCLINE_TRY(ReadLocalDefinitions(handle, location, layout.FileOf(location, ".def")));
    OTF2_Reader_CloseDefFiles(handle);
    TakeLibraryError();
  }

  OTF2_Reader_OpenEvtFiles(handle);
  stream.events_ = OTF2_Reader_GetEvtReader(handle, location);
  if (!stream.events_) return tl::unexpected(LibraryFailure("cannot be opened", stream.file_));
  stream.records_ = std::make_unique<std::vector<Otf2Record>>();
  stream.records_->reserve(2 * kBatch);
  const EventCallbacks callbacks = MakeEventCallbacks();
  if (OTF2_EvtReader_ApplyClockOffsets(stream.events_, false) != OTF2_SUCCESS ||
      OTF2_Reader_RegisterEvtCallbacks(handle, stream.events_, callbacks.get(),
                                       stream.records_.get()) != OTF2_SUCCESS)
    return tl::unexpected(LibraryFailure("cannot be opened", stream.file_));
  return stream;
}

bool Otf2EventStream::Fill() {
  if (ended_ || !events_) return false;
  records_->erase(records_->begin(), records_->begin() + static_cast<std::ptrdiff_t>(next_));
  next_ = 0;
  const size_t before = records_->size();
  uint64_t count = 0;
  TakeLibraryError();
  const OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(reader_.get(), events_, kBatch, &count);
  read_ += records_->size() - before;
  ended_ = count < kBatch;
  if (code != OTF2_SUCCESS) {
    ended_ = true;
    error_ = LibraryFailure(fmt::format("cannot be read beyond event {}", read_), file_);
  }
  return records_->size() > before;
}

}  // namespace syncline
