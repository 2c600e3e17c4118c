// How it works: the wrappers of most calls come from the rows of call_list.h. Each hands its
// arguments to the Record… function that the row names, which records the call by a Frame and hands
// it on to PMPI.
//
// Every communicator is told to the recorder as it is made, because members give it the same key by
// counting those made of its parent. One-sided operations have no receiver that could record them,
// and what calls on files send among themselves is not the program's: both are regions only.

#include <tuple>

#include <mpi.h>

#include "record/mpi/collective_bytes.h"
#include "record/mpi/each_argument.h"
#include "record/mpi/frame.h"
#include "record/mpi/session.h"

namespace syncline::mpi {
namespace {

// NOLINTBEGIN(readability-identifier-naming): kReal is a function
template <Call kCall, auto kReal, typename... Arguments>
int RecordRegion(Arguments... arguments) {
  Frame frame(kCall);
  return frame.Return(kReal(arguments...));
}

template <Call kCall, auto kReal>
int RecordSend(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
               MPI_Comm communicator) {
  Frame frame(kCall);
  frame.Send(count, type, peer, tag, communicator);
  const Carried data = frame.CarrySend(buffer, count, type, peer, communicator);
  return frame.Return(kReal(data.buffer(), data.count(), data.type(), peer, tag, communicator));
}

template <Call kCall, auto kReal>
int RecordPostedSend(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                     MPI_Comm communicator, MPI_Request* request) {
  Frame frame(kCall);
  const uint32_t number = frame.PostSend(count, type, peer, tag, communicator);
  Carried data = frame.CarrySend(buffer, count, type, peer, communicator);
  const int error = frame.Return(
      kReal(data.buffer(), data.count(), data.type(), peer, tag, communicator, request));
  if (error == MPI_SUCCESS) frame.Pend(*request, PendingKind::kSend, number, communicator, data);
  return error;
}

template <Call kCall, auto kReal, typename... Arguments>
int RecordCollective(Arguments... arguments) {
  const CollectiveArguments given = ArgumentsOf(arguments...);
  CollectiveFrame frame(kCall, given.communicator, given.root);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = BytesOf(CollectiveOf(kCall), frame.info(), given);
  return frame.Return(kReal(arguments...), bytes);
}

template <Call kCall, auto kReal, typename... Arguments>
int RecordPostedCollective(Arguments... arguments) {
  const CollectiveArguments given = ArgumentsOf(arguments...);
  PostedCollectiveFrame frame(kCall, given.communicator, given.root);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = BytesOf(CollectiveOf(kCall), frame.info(), given);
  return frame.Return(kReal(arguments...), given.request, bytes);
}

// By all members of `parent`; the new one is the last argument.
template <Call kCall, auto kReal, typename... Others>
int RecordNewCommunicator(MPI_Comm parent, Others... others) {
  Frame frame(kCall);
  const int error = frame.Return(kReal(parent, others...));
  const MPI_Comm* made = std::get<sizeof...(Others) - 1>(std::tuple(others...));
  if (error == MPI_SUCCESS && frame.records()) TheRecorder().AddCommunicatorOf(parent, *made);
  return error;
}

template <Call kCall, auto kReal>
int RecordEndOfCommunicator(MPI_Comm* communicator) {
  Frame frame(kCall);
  if (frame.records()) TheRecorder().ForgetCommunicator(*communicator);
  return frame.Return(kReal(communicator));
}
// NOLINTEND(readability-identifier-naming)

}  // namespace
}  // namespace syncline::mpi

using syncline::mpi::Call;
using syncline::mpi::CollectiveFrame;
using syncline::mpi::Frame;
using syncline::mpi::TheRecorder;
using syncline::mpi::TheSession;

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

#define SYNCLINE_WRAPPER(how, name, count)                                \
  int MPI_##name(SYNCLINE_EACH##count(SYNCLINE_PARAMETER, PMPI_##name)) { \
    return syncline::mpi::Record##how<Call::k##name, PMPI_##name>(        \
        SYNCLINE_EACH##count(SYNCLINE_ARGUMENT, ));                       \
  }
#define SYNCLINE_WRAP_Own(name, count)
#define SYNCLINE_WRAP_Region(name, count) SYNCLINE_WRAPPER(Region, name, count)
#define SYNCLINE_WRAP_Send(name, count) SYNCLINE_WRAPPER(Send, name, count)
#define SYNCLINE_WRAP_PostedSend(name, count) SYNCLINE_WRAPPER(PostedSend, name, count)
#define SYNCLINE_WRAP_Collective(name, count) SYNCLINE_WRAPPER(Collective, name, count)
#define SYNCLINE_WRAP_PostedCollective(name, count) SYNCLINE_WRAPPER(PostedCollective, name, count)
#define SYNCLINE_WRAP_NewCommunicator(name, count) SYNCLINE_WRAPPER(NewCommunicator, name, count)
#define SYNCLINE_WRAP_EndOfCommunicator(name, count) \
  SYNCLINE_WRAPPER(EndOfCommunicator, name, count)
#define SYNCLINE_C(name, count, how, role) SYNCLINE_WRAP_##how(name, count)
#define SYNCLINE_F(name, fortran, count, how, role) SYNCLINE_WRAP_##how(name, count)
SYNCLINE_MPI_CALLS(SYNCLINE_F, SYNCLINE_C)
#undef SYNCLINE_F
#undef SYNCLINE_C

int MPI_Barrier(MPI_Comm communicator) {
  int error = MPI_SUCCESS;
  {
    CollectiveFrame frame(Call::kBarrier, communicator);
    error = frame.Return(PMPI_Barrier(communicator), {});
  }
  if (communicator == MPI_COMM_WORLD && error == MPI_SUCCESS) TheSession().AfterBarrier();
  return error;
}

int MPI_Comm_idup(MPI_Comm communicator, MPI_Comm* made, MPI_Request* request) {
  Frame frame(Call::kComm_idup);
  const int error = frame.Return(PMPI_Comm_idup(communicator, made, request));
  if (error == MPI_SUCCESS && frame.records())
    TheRecorder().AddCommunicatorLike(*made, communicator);
  return error;
}

int MPI_Comm_create_group(MPI_Comm communicator, MPI_Group group, int tag, MPI_Comm* made) {
  Frame frame(Call::kComm_create_group);
  const int error = frame.Return(PMPI_Comm_create_group(communicator, group, tag, made));
  if (error == MPI_SUCCESS && frame.records())
    TheRecorder().AddCommunicatorOfGroup(communicator, tag, *made);
  return error;
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
                         MPI_Comm* made) {
  Frame frame(Call::kIntercomm_create);
  const int error =
      frame.Return(PMPI_Intercomm_create(local, leader, peer, remote_leader, tag, made));
  // The two groups have no communicator in common: it is told by them alone.
  if (error == MPI_SUCCESS && frame.records()) TheRecorder().AddCommunicator(*made, "");
  return error;
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
