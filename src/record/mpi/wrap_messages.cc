// How it works: each wrapper records the call by a Frame and hands it on to PMPI, unchanged but for
// the stamps that messages carry where region clocks are kept.

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <mpi.h>

#include "record/mpi/frame.h"

using syncline::mpi::Call;
using syncline::mpi::Carried;
using syncline::mpi::Frame;
using syncline::mpi::HasReceived;
using syncline::mpi::Pending;
using syncline::mpi::PendingKind;
using syncline::mpi::StatusFor;
using syncline::mpi::TheRecorder;

namespace {

// What the program attached for its buffered sends, and what is attached instead.
struct BufferOfSends {
  void* buffer = nullptr;
  int size = 0;
  std::vector<char> memory;
};

BufferOfSends& TheBufferOfSends() {
  // Never destroyed: MPI may use it until the process ends.
  static auto* sends = new BufferOfSends;
  return *sends;
}

// Each of the messages that fit takes the implementation's overhead besides its data.
size_t SizeWithStamps(int size, size_t stamp_bytes) {
  constexpr size_t kAlignment = 64;
  const size_t messages = static_cast<size_t>(size) / MPI_BSEND_OVERHEAD + 1;
  const size_t wanted = static_cast<size_t>(size) + messages * (stamp_bytes + kAlignment);
  return std::min(wanted, static_cast<size_t>(std::numeric_limits<int>::max()));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
             MPI_Status* wanted) {
  Frame frame(Call::kRecv);
  StatusFor status(wanted);
  const Carried data = frame.Carry(buffer, count, type, peer, communicator);
  const int error = frame.Return(
      PMPI_Recv(data.buffer(), data.count(), data.type(), peer, tag, communicator, status.get()));
  if (HasReceived(error)) frame.Received(communicator, *status, data);
  return error;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  Frame frame(Call::kIrecv);
  const uint32_t number = frame.PostReceive(peer, communicator);
  Carried data = frame.Carry(buffer, count, type, peer, communicator);
  const int error = frame.Return(
      PMPI_Irecv(data.buffer(), data.count(), data.type(), peer, tag, communicator, request));
  if (error == MPI_SUCCESS) frame.Pend(*request, PendingKind::kReceive, number, communicator, data);
  return error;
}

int MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void* received, int count, MPI_Datatype type, int from, int tag,
                 MPI_Comm communicator, MPI_Status* wanted) {
  Frame frame(Call::kSendrecv);
  StatusFor status(wanted);
  frame.Send(sent_count, sent_type, to, sent_tag, communicator);
  const Carried out = frame.CarrySend(sent, sent_count, sent_type, to, communicator);
  const Carried in = frame.Carry(received, count, type, from, communicator);
  const int error =
      frame.Return(PMPI_Sendrecv(out.buffer(), out.count(), out.type(), to, sent_tag, in.buffer(),
                                 in.count(), in.type(), from, tag, communicator, status.get()));
  if (HasReceived(error)) frame.Received(communicator, *status, in);
  return error;
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int sent_tag, int from,
                         int tag, MPI_Comm communicator, MPI_Status* wanted) {
  Frame frame(Call::kSendrecv_replace);
  StatusFor status(wanted);
  frame.Send(count, type, to, sent_tag, communicator);
  // One stamp goes and another one takes its place, as the data.
  const Carried data = to == MPI_PROC_NULL ? frame.Carry(buffer, count, type, from, communicator)
                                           : frame.CarrySend(buffer, count, type, to, communicator);
  const int error =
      frame.Return(PMPI_Sendrecv_replace(data.buffer(), data.count(), data.type(), to, sent_tag,
                                         from, tag, communicator, status.get()));
  if (HasReceived(error)) frame.Received(communicator, *status, data);
  return error;
}

int MPI_Probe(int peer, int tag, MPI_Comm communicator, MPI_Status* status) {
  Frame frame(Call::kProbe);
  const int error = frame.Return(PMPI_Probe(peer, tag, communicator, status));
  if (error == MPI_SUCCESS) frame.Found(communicator, status);
  return error;
}

int MPI_Iprobe(int peer, int tag, MPI_Comm communicator, int* flag, MPI_Status* status) {
  Frame frame(Call::kIprobe);
  const int error = frame.Return(PMPI_Iprobe(peer, tag, communicator, flag, status));
  if (*flag == 0) frame.Forget();
  if (error == MPI_SUCCESS && *flag != 0) frame.Found(communicator, status);
  return error;
}

// A probe that takes the message out of the queue decides what it is received by: from here on it
// is a posted receive.
int MPI_Mprobe(int peer, int tag, MPI_Comm communicator, MPI_Message* message, MPI_Status* status) {
  Frame frame(Call::kMprobe);
  const int error = frame.Return(PMPI_Mprobe(peer, tag, communicator, message, status));
  if (error == MPI_SUCCESS) frame.Matched(*message, communicator);
  if (error == MPI_SUCCESS) frame.Found(communicator, status);
  return error;
}

int MPI_Improbe(int peer, int tag, MPI_Comm communicator, int* flag, MPI_Message* message,
                MPI_Status* status) {
  Frame frame(Call::kImprobe);
  const int error = frame.Return(PMPI_Improbe(peer, tag, communicator, flag, message, status));
  if (error == MPI_SUCCESS && *flag != 0) {
    frame.Matched(*message, communicator);
    frame.Found(communicator, status);
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
  const Carried data = frame.CarryMatched(buffer, count, type, matched);
  const int error =
      frame.Return(PMPI_Mrecv(data.buffer(), data.count(), data.type(), message, status.get()));
  if (HasReceived(error)) frame.ReceivedMatched(matched, *status, data);
  return error;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
  Frame frame(Call::kImrecv);
  const Pending matched = frame.TakeMatched(*message);
  Carried data = frame.CarryMatched(buffer, count, type, matched);
  const int error =
      frame.Return(PMPI_Imrecv(data.buffer(), data.count(), data.type(), message, request));
  if (error == MPI_SUCCESS) frame.PendMatched(*request, matched, data);
  return error;
}

// A stamp needs room in the program's buffer, too: a larger one takes its place.
int MPI_Buffer_attach(void* buffer, int size) {
  const auto& regions = TheRecorder().regions();
  if (!regions.is_on() || size < 0) return PMPI_Buffer_attach(buffer, size);
  BufferOfSends& sends = TheBufferOfSends();
  sends.memory.resize(SizeWithStamps(size, regions.bytes()));
  const int error = PMPI_Buffer_attach(sends.memory.data(), static_cast<int>(sends.memory.size()));
  if (error == MPI_SUCCESS) {
    sends.buffer = buffer;
    sends.size = size;
  }
  return error;
}

int MPI_Buffer_detach(void* address, int* size) {
  const int error = PMPI_Buffer_detach(address, size);
  BufferOfSends& sends = TheBufferOfSends();
  void* detached = nullptr;
  if (error == MPI_SUCCESS) std::memcpy(&detached, address, sizeof(detached));
  if (detached == nullptr || detached != sends.memory.data()) return error;
  std::memcpy(address, &sends.buffer, sizeof(sends.buffer));
  *size = sends.size;
  sends.memory.clear();
  return error;
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
