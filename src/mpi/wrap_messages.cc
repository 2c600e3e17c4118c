// How it works: each wrapper records the call by a Frame and hands it on to PMPI unchanged.

#include <mpi.h>

#include "mpi/frame.h"

using syncline::mpi::Call;
using syncline::mpi::Frame;
using syncline::mpi::Pending;
using syncline::mpi::PendingKind;
using syncline::mpi::StatusFor;

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

#define SYNCLINE_SEND(name)                                                           \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, \
                 MPI_Comm communicator) {                                             \
    Frame frame(Call::k##name);                                                       \
    frame.Send(count, type, peer, tag, communicator);                                 \
    return frame.Return(PMPI_##name(buffer, count, type, peer, tag, communicator));   \
  }
SYNCLINE_SEND(Send)
SYNCLINE_SEND(Ssend)
SYNCLINE_SEND(Bsend)
SYNCLINE_SEND(Rsend)
#undef SYNCLINE_SEND

#define SYNCLINE_ISEND(name)                                                                  \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag,         \
                 MPI_Comm communicator, MPI_Request* request) {                               \
    Frame frame(Call::k##name);                                                               \
    const uint32_t number = frame.PostSend(count, type, peer, tag, communicator);             \
    const int error =                                                                         \
        frame.Return(PMPI_##name(buffer, count, type, peer, tag, communicator, request));     \
    if (error == MPI_SUCCESS) frame.Pend(*request, PendingKind::kSend, number, communicator); \
    return error;                                                                             \
  }
SYNCLINE_ISEND(Isend)
SYNCLINE_ISEND(Issend)
SYNCLINE_ISEND(Ibsend)
SYNCLINE_ISEND(Irsend)
#undef SYNCLINE_ISEND

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
             MPI_Status* wanted) {
  Frame frame(Call::kRecv);
  StatusFor status(wanted);
  const int error =
      frame.Return(PMPI_Recv(buffer, count, type, peer, tag, communicator, status.get()));
  if (error == MPI_SUCCESS) frame.Received(communicator, *status);
  return error;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  Frame frame(Call::kIrecv);
  const uint32_t number = frame.PostReceive(peer, communicator);
  const int error = frame.Return(PMPI_Irecv(buffer, count, type, peer, tag, communicator, request));
  if (error == MPI_SUCCESS) frame.Pend(*request, PendingKind::kReceive, number, communicator);
  return error;
}

int MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void* received, int count, MPI_Datatype type, int from, int tag,
                 MPI_Comm communicator, MPI_Status* wanted) {
  Frame frame(Call::kSendrecv);
  StatusFor status(wanted);
  frame.Send(sent_count, sent_type, to, sent_tag, communicator);
  const int error = frame.Return(PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received,
                                               count, type, from, tag, communicator, status.get()));
  if (error == MPI_SUCCESS) frame.Received(communicator, *status);
  return error;
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int sent_tag, int from,
                         int tag, MPI_Comm communicator, MPI_Status* wanted) {
  Frame frame(Call::kSendrecv_replace);
  StatusFor status(wanted);
  frame.Send(count, type, to, sent_tag, communicator);
  const int error = frame.Return(PMPI_Sendrecv_replace(buffer, count, type, to, sent_tag, from, tag,
                                                       communicator, status.get()));
  if (error == MPI_SUCCESS) frame.Received(communicator, *status);
  return error;
}

int MPI_Probe(int peer, int tag, MPI_Comm communicator, MPI_Status* status) {
  Frame frame(Call::kProbe);
  return frame.Return(PMPI_Probe(peer, tag, communicator, status));
}

int MPI_Iprobe(int peer, int tag, MPI_Comm communicator, int* flag, MPI_Status* status) {
  Frame frame(Call::kIprobe);
  const int error = frame.Return(PMPI_Iprobe(peer, tag, communicator, flag, status));
  if (*flag == 0) frame.Forget();
  return error;
}

// A probe that takes the message out of the queue decides what it is received by: from here on it
// is a posted receive.
int MPI_Mprobe(int peer, int tag, MPI_Comm communicator, MPI_Message* message, MPI_Status* status) {
  Frame frame(Call::kMprobe);
  const int error = frame.Return(PMPI_Mprobe(peer, tag, communicator, message, status));
  if (error == MPI_SUCCESS) frame.Matched(*message, communicator);
  return error;
}

int MPI_Improbe(int peer, int tag, MPI_Comm communicator, int* flag, MPI_Message* message,
                MPI_Status* status) {
  Frame frame(Call::kImprobe);
  const int error = frame.Return(PMPI_Improbe(peer, tag, communicator, flag, message, status));
  if (error == MPI_SUCCESS && *flag != 0) {
    frame.Matched(*message, communicator);
  } else {
    frame.Forget();
  }
  return error;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
              MPI_Status* wanted) {
  Frame frame(Call::kMrecv);
  StatusFor status(wanted);
  const Pending matched = frame.TakeMatched(*message);
  const int error = frame.Return(PMPI_Mrecv(buffer, count, type, message, status.get()));
  if (error == MPI_SUCCESS) frame.ReceivedMatched(matched, *status);
  return error;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
  Frame frame(Call::kImrecv);
  const Pending matched = frame.TakeMatched(*message);
  const int error = frame.Return(PMPI_Imrecv(buffer, count, type, message, request));
  if (error == MPI_SUCCESS) frame.PendMatched(*request, matched);
  return error;
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
