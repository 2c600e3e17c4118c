// How it works: pending operations are looked up before a call that may complete them, because
// their handles are gone, or used again, when it returns.

#include <mpi.h>

#include "record/mpi/frame.h"

using syncline::mpi::BytesOf;
using syncline::mpi::Call;
using syncline::mpi::Carried;
using syncline::mpi::CommunicatorInfo;
using syncline::mpi::Frame;
using syncline::mpi::HandleOf;
using syncline::mpi::HasReceived;
using syncline::mpi::Pending;
using syncline::mpi::PendingKind;
using syncline::mpi::RawKind;
using syncline::mpi::Recorder;
using syncline::mpi::RequestTable;
using syncline::mpi::StatusFor;
using syncline::mpi::TakeOffStampOf;
using syncline::mpi::TheRecorder;
using syncline::mpi::ThreadState;

namespace {

// Statuses to look at, also where the program ignores them.
MPI_Status* StatusesFor(Frame& frame, int count, MPI_Status* wanted) {
  if (wanted != MPI_STATUSES_IGNORE || !frame.records() || count <= 0) return wanted;
  frame.thread()->statuses.resize(static_cast<size_t>(count));
  return frame.thread()->statuses.data();
}

// Whether the i-th of several operations is complete after a call that returned `error`.
bool IsComplete(int error, const MPI_Status& status) {
  return error == MPI_SUCCESS || (error == MPI_ERR_IN_STATUS && HasReceived(status.MPI_ERROR));
}

// As Frame::Carry, for calls that are not recorded themselves.
Carried CarryPersistent(const void* buffer, int count, MPI_Datatype type, int peer,
                        MPI_Comm communicator) {
  Recorder& recorder = TheRecorder();
  const bool may_carry =
      recorder.is_on() && recorder.regions().is_on() && count >= 0 && peer != MPI_PROC_NULL;
  if (!may_carry) return Carried(buffer, count, type);
  ThreadState* thread = recorder.Thread();
  const bool carries = thread != nullptr && !thread->is_inside &&
                       recorder.CommunicatorOf(*thread, communicator).is_of_world;
  if (!carries) return Carried(buffer, count, type);
  return Carried(recorder.regions(), buffer, count, type);
}

// A persistent operation of a peer, which Start will post.
void KeepPersistent(MPI_Request request, MPI_Comm communicator, Pending pending) {
  Recorder& recorder = TheRecorder();
  if (!recorder.is_on() || pending.event.peer == MPI_PROC_NULL) return;
  ThreadState* thread = recorder.Thread();
  if (thread == nullptr) return;
  const CommunicatorInfo info = recorder.CommunicatorOf(*thread, communicator);
  if (!info.is_known()) return;
  pending.is_persistent = true;
  pending.is_active = false;
  pending.event.communicator = info.number;
  recorder.WithPending([&](RequestTable& table) { table.Insert(HandleOf(request), pending); });
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

#define SYNCLINE_SEND_INIT(name)                                                                 \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag,            \
                 MPI_Comm communicator, MPI_Request* request) {                                  \
    Carried data = CarryPersistent(buffer, count, type, peer, communicator);                     \
    const int error =                                                                            \
        PMPI_##name(data.buffer(), data.count(), data.type(), peer, tag, communicator, request); \
    if (error != MPI_SUCCESS) return error;                                                      \
    KeepPersistent(*request, communicator,                                                       \
                   {.kind = PendingKind::kSend,                                                  \
                    .stamp = data.Keep(),                                                        \
                    .event = {.bytes = BytesOf(count, type),                                     \
                              .peer = peer,                                                      \
                              .tag = tag,                                                        \
                              .kind = RawKind::kImmediateSend}});                                \
    return error;                                                                                \
  }
SYNCLINE_SEND_INIT(Send_init)
SYNCLINE_SEND_INIT(Ssend_init)
SYNCLINE_SEND_INIT(Bsend_init)
SYNCLINE_SEND_INIT(Rsend_init)
#undef SYNCLINE_SEND_INIT

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm communicator, MPI_Request* request) {
  Carried data = CarryPersistent(buffer, count, type, peer, communicator);
  const int error =
      PMPI_Recv_init(data.buffer(), data.count(), data.type(), peer, tag, communicator, request);
  if (error == MPI_SUCCESS) {
    KeepPersistent(*request, communicator,
                   {.kind = PendingKind::kReceive, .stamp = data.Keep(), .event = {.peer = peer}});
  }
  return error;
}

int MPI_Start(MPI_Request* request) {
  Frame frame(Call::kStart);
  frame.Start(*request);
  return frame.Return(PMPI_Start(request));
}

int MPI_Startall(int count, MPI_Request* requests) {
  Frame frame(Call::kStartall);
  for (int i = 0; i < count; ++i) frame.Start(requests[i]);
  return frame.Return(PMPI_Startall(count, requests));
}

int MPI_Cancel(MPI_Request* request) {
  Frame frame(Call::kCancel);
  TheRecorder().WithPending([&](RequestTable& table) {
    Pending* pending = table.Get(HandleOf(*request));
    if (pending != nullptr) pending->may_be_cancelled = true;
  });
  return frame.Return(PMPI_Cancel(request));
}

int MPI_Request_free(MPI_Request* request) {
  Frame frame(Call::kRequest_free);
  frame.Free(*request);
  return frame.Return(PMPI_Request_free(request));
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const int error = PMPI_Request_get_status(request, flag, status);
  if (error == MPI_SUCCESS && *flag != 0 && status != MPI_STATUS_IGNORE)
    TakeOffStampOf(request, *status);
  return error;
}

int MPI_Wait(MPI_Request* request, MPI_Status* wanted) {
  Frame frame(Call::kWait);
  StatusFor status(wanted);
  frame.Watch(request, 1);
  const int error = frame.Return(PMPI_Wait(request, status.get()));
  if (HasReceived(error)) frame.Completed(0, *status);
  return error;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* wanted) {
  Frame frame(Call::kWaitall);
  MPI_Status* statuses = StatusesFor(frame, count, wanted);
  frame.Watch(requests, count);
  const int error = frame.Return(PMPI_Waitall(count, requests, statuses));
  if (!frame.records()) return error;
  for (int i = 0; i < count; ++i) {
    if (IsComplete(error, statuses[i])) frame.Completed(i, statuses[i]);
  }
  return error;
}

int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* wanted) {
  Frame frame(Call::kWaitany);
  StatusFor status(wanted);
  frame.Watch(requests, count);
  const int error = frame.Return(PMPI_Waitany(count, requests, index, status.get()));
  if (HasReceived(error) && *index != MPI_UNDEFINED) frame.Completed(*index, *status);
  return error;
}

int MPI_Waitsome(int count, MPI_Request* requests, int* completed, int* indices,
                 MPI_Status* wanted) {
  Frame frame(Call::kWaitsome);
  MPI_Status* statuses = StatusesFor(frame, count, wanted);
  frame.Watch(requests, count);
  const int error = frame.Return(PMPI_Waitsome(count, requests, completed, indices, statuses));
  if (!frame.records() || *completed == MPI_UNDEFINED) return error;
  for (int i = 0; i < *completed; ++i) {
    if (IsComplete(error, statuses[i])) frame.Completed(indices[i], statuses[i]);
  }
  return error;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* wanted) {
  Frame frame(Call::kTest);
  StatusFor status(wanted);
  frame.Watch(request, 1);
  const int error = frame.Return(PMPI_Test(request, flag, status.get()));
  if (HasReceived(error) && *flag != 0) {
    frame.Completed(0, *status);
  } else {
    frame.Forget();
  }
  return error;
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* wanted) {
  Frame frame(Call::kTestall);
  MPI_Status* statuses = StatusesFor(frame, count, wanted);
  frame.Watch(requests, count);
  const int error = frame.Return(PMPI_Testall(count, requests, flag, statuses));
  if (*flag == 0) frame.Forget();
  if (!frame.records() || *flag == 0) return error;
  for (int i = 0; i < count; ++i) {
    if (IsComplete(error, statuses[i])) frame.Completed(i, statuses[i]);
  }
  return error;
}

int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* wanted) {
  Frame frame(Call::kTestany);
  StatusFor status(wanted);
  frame.Watch(requests, count);
  const int error = frame.Return(PMPI_Testany(count, requests, index, flag, status.get()));
  if (HasReceived(error) && *flag != 0 && *index != MPI_UNDEFINED) {
    frame.Completed(*index, *status);
  } else {
    frame.Forget();
  }
  return error;
}

int MPI_Testsome(int count, MPI_Request* requests, int* completed, int* indices,
                 MPI_Status* wanted) {
  Frame frame(Call::kTestsome);
  MPI_Status* statuses = StatusesFor(frame, count, wanted);
  frame.Watch(requests, count);
  const int error = frame.Return(PMPI_Testsome(count, requests, completed, indices, statuses));
  if (*completed == 0 || *completed == MPI_UNDEFINED) frame.Forget();
  if (!frame.records() || *completed == MPI_UNDEFINED) return error;
  for (int i = 0; i < *completed; ++i) {
    if (IsComplete(error, statuses[i])) frame.Completed(indices[i], statuses[i]);
  }
  return error;
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
