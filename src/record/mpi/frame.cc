#include "record/mpi/frame.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace syncline::mpi {
namespace {

uint64_t ReceivedBytes(const MPI_Status& status) {
  MPI_Count bytes = 0;
  // Some implementations do not declare it const.
  PMPI_Get_elements_x(const_cast<MPI_Status*>(&status), MPI_BYTE, &bytes);
  return bytes > 0 ? static_cast<uint64_t>(bytes) : 0;
}

// A buffer that is too small does not keep others from completing; other errors are in the call.
bool HasTakenPart(int error) {
  int kind = MPI_SUCCESS;
  if (error != MPI_SUCCESS) PMPI_Error_class(error, &kind);
  return kind == MPI_SUCCESS || kind == MPI_ERR_TRUNCATE;
}

}  // namespace

Carried::Carried(Regions& regions, uint32_t slot, const void* buffer, int count, MPI_Datatype type)
    : regions_(&regions), buffer_(MPI_BOTTOM), count_(1), type_(type), slot_(slot) {
  const std::array<int, 2> counts = {static_cast<int>(regions.words()), count};
  std::array<MPI_Aint, 2> places = {};
  PMPI_Get_address(regions.Slot(slot_), places.data());
  PMPI_Get_address(const_cast<void*>(buffer), &places[1]);
  const std::array<MPI_Datatype, 2> types = {MPI_INT64_T, type};
  PMPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type_);
  PMPI_Type_commit(&type_);
}

Carried::~Carried() {
  if (regions_ == nullptr) return;
  PMPI_Type_free(&type_);
  if (!keeps_) regions_->GiveBack(slot_);
}

void TakeOffStamp(const Regions& regions, MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  const auto stamp = static_cast<MPI_Count>(regions.bytes());
  if (bytes >= stamp) PMPI_Status_set_elements_x(&status, MPI_BYTE, bytes - stamp);
}

void Frame::Send(int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator) {
  if (thread_ == nullptr || peer == MPI_PROC_NULL) return;
  const CommunicatorInfo info = Known(communicator);
  if (!info.is_known()) return;
  Append({.bytes = BytesOf(count, type),
          .communicator = info.number,
          .peer = peer,
          .tag = tag,
          .kind = RawKind::kSend});
}

uint32_t Frame::PostSend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator) {
  if (thread_ == nullptr || peer == MPI_PROC_NULL) return 0;
  const CommunicatorInfo info = Known(communicator);
  if (!info.is_known()) return 0;
  const uint32_t number = TheRecorder().NewRequest();
  Append({.bytes = BytesOf(count, type),
          .communicator = info.number,
          .peer = peer,
          .tag = tag,
          .request = number,
          .kind = RawKind::kImmediateSend});
  return number;
}

uint32_t Frame::PostReceive(int peer, MPI_Comm communicator) {
  if (thread_ == nullptr || peer == MPI_PROC_NULL || !Known(communicator).is_known()) return 0;
  const uint32_t number = TheRecorder().NewRequest();
  Append({.request = number, .kind = RawKind::kReceivePosted});
  return number;
}

void Frame::Start(MPI_Request request) {
  if (thread_ == nullptr) return;
  const uint32_t number = TheRecorder().NewRequest();
  const std::optional<Pending> started =
      TheRecorder().WithPending([&](RequestTable& table) -> std::optional<Pending> {
        Pending* pending = table.Get(HandleOf(request));
        if (pending == nullptr) return std::nullopt;
        pending->is_active = true;
        pending->event.request = number;
        return *pending;
      });
  if (!started) return;
  if (started->kind == PendingKind::kSend) {
    Append(started->event);
    if (started->stamp != Regions::kNoSlot) TheRecorder().regions().Send(time_, started->stamp);
  } else {
    Append({.request = number, .kind = RawKind::kReceivePosted});
  }
}

void Frame::Watch(const MPI_Request* requests, int count) {
  if (thread_ == nullptr) return;
  thread_->watched.resize(static_cast<size_t>(std::max(count, 0)));
  TheRecorder().WithPending([&](RequestTable& table) {
    for (size_t i = 0; i < thread_->watched.size(); ++i) {
      Watched& watched = thread_->watched[i];
      watched.handle = HandleOf(requests[i]);
      const Pending* pending = table.Get(watched.handle);
      watched.is_known = pending != nullptr && pending->is_active;
      if (watched.is_known) watched.pending = *pending;
    }
  });
}

Carried Frame::Carry(const void* buffer, int count, MPI_Datatype type, int peer,
                     MPI_Comm communicator) {
  if (count < 0 || peer == MPI_PROC_NULL || !Carries(communicator))
    return Carried(buffer, count, type);
  return Carried(TheRecorder().regions(), buffer, count, type);
}

Carried Frame::CarrySend(const void* buffer, int count, MPI_Datatype type, int peer,
                         MPI_Comm communicator) {
  if (count < 0 || peer == MPI_PROC_NULL || !Carries(communicator))
    return Carried(buffer, count, type);
  Regions& regions = TheRecorder().regions();
  const uint32_t slot = regions.TakeSlot();
  regions.Send(time_, slot);
  return Carried(regions, slot, buffer, count, type);
}

Carried Frame::CarryMatched(const void* buffer, int count, MPI_Datatype type,
                            const Pending& matched) {
  if (matched.stamp == Regions::kNoSlot) return Carried(buffer, count, type);
  return Carried(TheRecorder().regions(), buffer, count, type);
}

void Frame::Found(MPI_Comm communicator, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE || status->MPI_SOURCE == MPI_PROC_NULL) return;
  if (Carries(communicator)) TakeOffStamp(TheRecorder().regions(), *status);
}

bool HasReceived(int error) {
  if (error == MPI_SUCCESS) return true;
  int error_class = error;
  PMPI_Error_class(error, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

void Frame::Received(MPI_Comm communicator, MPI_Status& status, const Carried& carried) {
  if (thread_ == nullptr || status.MPI_SOURCE == MPI_PROC_NULL) return;
  Deliver({.stamp = carried.slot()}, status);
  const CommunicatorInfo info = Known(communicator);
  if (!info.is_known()) return;
  Append({.bytes = ReceivedBytes(status),
          .communicator = info.number,
          .peer = status.MPI_SOURCE,
          .tag = status.MPI_TAG,
          .kind = RawKind::kReceive});
}

void Frame::Pend(MPI_Request request, PendingKind kind, uint32_t number, MPI_Comm communicator,
                 Carried& carried) {
  if (thread_ == nullptr) return;
  if (number == 0) return Unpend(request);
  Pending pending{.kind = kind, .stamp = carried.Keep()};
  pending.event.communicator = Known(communicator).number;
  pending.event.request = number;
  Pend(request, pending);
}

void Frame::Pend(MPI_Request request, const Pending& pending) {
  // Some implementations give one common handle to all operations that are over at once. In the
  // table it would stand for one of them, of one thread.
  if (TheRecorder().IsOverAtOnce(request, pending.kind)) {
    Unpend(request);
    MPI_Status unknown = {};
    return Complete(pending, unknown);
  }
  TheRecorder().WithPending(
      [&](RequestTable& table) { return table.Insert(HandleOf(request), pending); });
}

void Frame::Unpend(MPI_Request request) {
  TheRecorder().WithPending([&](RequestTable& table) { table.Erase(HandleOf(request)); });
}

void Frame::Completed(int i, MPI_Status& status) {
  if (thread_ == nullptr) return;
  const Watched& watched = thread_->watched[static_cast<size_t>(i)];
  if (!watched.is_known) return;
  TheRecorder().WithPending([&](RequestTable& table) {
    Pending* pending = table.Get(watched.handle);
    // Another thread may have got the same handle since, for an operation of its own.
    if (pending == nullptr || pending->event.request != watched.pending.event.request) return;
    if (pending->is_persistent) {
      pending->is_active = false;
      pending->may_be_cancelled = false;
    } else {
      table.Erase(watched.handle);
    }
  });
  Complete(watched.pending, status);
}

void Frame::Free(MPI_Request request) {
  if (thread_ == nullptr) return;
  const std::optional<Pending> freed =
      TheRecorder().WithPending([&](RequestTable& table) -> std::optional<Pending> {
        const Pending* pending = table.Get(HandleOf(request));
        if (pending == nullptr) return std::nullopt;
        const Pending copy = *pending;
        table.Erase(HandleOf(request));
        return copy;
      });
  if (!freed || !freed->is_active || freed->kind != PendingKind::kSend) return;
  // The message may still be under way, and its stamp with it: that is kept.
  MPI_Status unknown = {};
  Record(*freed, unknown);
}

void Frame::Deliver(const Pending& pending, MPI_Status& status) {
  if (pending.stamp == Regions::kNoSlot) return;
  TakeOffStamp(TheRecorder().regions(), status);
  TheRecorder().regions().Deliver(time_, pending.stamp);
}

void Frame::Complete(const Pending& pending, MPI_Status& status) {
  Record(pending, status);
  const bool is_message = pending.kind != PendingKind::kCollective;
  if (is_message && !pending.is_persistent) TheRecorder().regions().GiveBack(pending.stamp);
}

void Frame::Record(const Pending& pending, MPI_Status& status) {
  const RawEvent& known = pending.event;
  int is_cancelled = 0;
  if (pending.may_be_cancelled) PMPI_Test_cancelled(&status, &is_cancelled);
  if (is_cancelled != 0) {
    Append({.request = known.request, .kind = RawKind::kCancelled});
    return;
  }
  if (pending.kind == PendingKind::kSend) {
    Append({.request = known.request, .kind = RawKind::kSendComplete});
  } else if (pending.kind == PendingKind::kReceive) {
    Deliver(pending, status);
    Append({.bytes = ReceivedBytes(status),
            .communicator = known.communicator,
            .peer = status.MPI_SOURCE,
            .tag = status.MPI_TAG,
            .request = known.request,
            .kind = RawKind::kReceiveComplete});
  } else {
    const Call completing = call_;
    call_ = known.call;
    Append(known);
    call_ = completing;
    if (pending.stamp != 0) TheRecorder().shared_stamps().Complete(pending.stamp, time_);
  }
}

void Frame::Matched(MPI_Message message, MPI_Comm communicator) {
  if (thread_ == nullptr || message == MPI_MESSAGE_NO_PROC) return;
  const CommunicatorInfo info = Known(communicator);
  if (!info.is_known()) return;
  Pending pending{.kind = PendingKind::kReceive};
  pending.event.communicator = info.number;
  pending.event.request = TheRecorder().NewRequest();
  pending.stamp = Carries(communicator) ? 1 : 0;
  Append({.request = pending.event.request, .kind = RawKind::kReceivePosted});
  TheRecorder().WithMatched(
      [&](RequestTable& table) { return table.Insert(HandleOf(message), pending); });
}

Pending Frame::TakeMatched(MPI_Message message) {
  if (thread_ == nullptr) return {};
  return TheRecorder().WithMatched([&](RequestTable& table) {
    const Pending* found = table.Get(HandleOf(message));
    const Pending pending = found == nullptr ? Pending{} : *found;
    table.Erase(HandleOf(message));
    return pending;
  });
}

void Frame::ReceivedMatched(const Pending& matched, MPI_Status& status, const Carried& carried) {
  if (thread_ == nullptr || matched.event.request == 0) return;
  Pending pending = matched;
  pending.stamp = carried.slot();
  Record(pending, status);
}

void Frame::PendMatched(MPI_Request request, const Pending& matched, Carried& carried) {
  if (thread_ == nullptr || matched.event.request == 0) return;
  Pending pending = matched;
  pending.stamp = carried.Keep();
  Pend(request, pending);
}

void TakeOffStampOf(MPI_Request request, MPI_Status& status) {
  Recorder& recorder = TheRecorder();
  if (!recorder.regions().is_on()) return;
  const uint32_t stamp = recorder.WithPending([&](RequestTable& table) -> uint32_t {
    const Pending* pending = table.Get(HandleOf(request));
    const bool is_received =
        pending != nullptr && pending->is_active && pending->kind == PendingKind::kReceive;
    return is_received ? pending->stamp : Regions::kNoSlot;
  });
  if (stamp != Regions::kNoSlot) TakeOffStamp(recorder.regions(), status);
}

void AnyCollectiveFrame::Give() {
  given_ = TheRecorder().regions().TakeSlot();
  TheRecorder().regions().Send(time(), given_);
}

int CollectiveFrame::Return(int error, CollectiveBytes bytes) {
  Frame::Return(error);
  if (is_recorded_ && error == MPI_SUCCESS) {
    Append({.bytes = bytes.sent,
            .received = bytes.received,
            .communicator = info_.number,
            .peer = root_,
            .kind = RawKind::kCollectiveEnd});
  }
  if (given_ == Regions::kNoSlot) return error;
  if (HasTakenPart(error)) {
    TheRecorder().shared_stamps().Share(SharedWith(bytes), given_, time());
  } else {
    TheRecorder().regions().GiveBack(given_);
  }
  return error;
}

int PostedCollectiveFrame::Return(int error, const MPI_Request* request, CollectiveBytes bytes) {
  Frame::Return(error);
  if (error != MPI_SUCCESS) TheRecorder().regions().GiveBack(std::exchange(given_, 0));
  if (number_ == 0 || error != MPI_SUCCESS) {
    if (records() && error == MPI_SUCCESS) Unpend(*request);
    return error;
  }
  Pending pending{.kind = PendingKind::kCollective};
  pending.event = {.bytes = bytes.sent,
                   .received = bytes.received,
                   .communicator = info_.number,
                   .peer = root_,
                   .request = number_,
                   .call = call_,
                   .kind = RawKind::kCollectiveComplete};
  if (given_ != Regions::kNoSlot) {
    pending.stamp = TheRecorder().shared_stamps().Post(SharedWith(bytes), given_);
  }
  Pend(*request, pending);
  return error;
}

}  // namespace syncline::mpi
