// How it works: the wrappers of most calls come from the rows of call_list.h. Each hands its
// arguments to the Record… function that the row names, which records the call by a Frame and hands
// it on to PMPI.
//
// Every communicator is told to the recorder as it is made, because members give it the same key by
// counting those made of its parent. One-sided operations have no receiver that could record them,
// and what calls on files send among themselves is not the program's: both are regions only.

#include <cstdint>
#include <tuple>

#include <mpi.h>

#include "record/mpi/each_argument.h"
#include "record/mpi/frame.h"
#include "record/mpi/session.h"

namespace syncline::mpi {
namespace {

// One of a call's two buffers: its elements for one member, or for each.
struct Part {
  const void* buffer = nullptr;
  int count = 0;
  const int* counts = nullptr;  // of each member, instead of count
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const MPI_Datatype* types = nullptr;  // of each member, instead of type

  bool is_in_place() const { return buffer == MPI_IN_PLACE; }
  uint64_t OfMember(int member) const {
    return BytesOf(counts == nullptr ? count : counts[member],
                   types == nullptr ? type : types[member]);
  }
  uint64_t OfAll(const CommunicatorInfo& info) const {
    if (counts == nullptr) return OfMember(0) * static_cast<uint64_t>(info.size);
    uint64_t sum = 0;
    for (int i = 0; i < info.size; ++i) sum += OfMember(i);
    return sum;
  }
};

// What a collective's arguments say: its communicator, its root, and how many bytes a member gives
// and gets.
//
// Matching looks at whether bytes are 0: a member without any takes no part in gatherv, allgatherv,
// scatterv and reduce_scatter. What is only significant at the root is only read there. A part in
// place counts as what it stands for.
struct CollectiveArguments {
  MPI_Comm communicator = MPI_COMM_NULL;
  int root = kNoRoot;
  Part sent;
  Part received;  // of those with one count for both buffers, alone
  MPI_Request* request = nullptr;
};

// By what the call takes; those that post take a request after it. Places are nowhere looked at.
using Counts = const int*;
using Types = const MPI_Datatype*;
using Given = CollectiveArguments;

// barrier
Given ArgumentsOf(MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {}, {}, request};
}
// bcast
Given ArgumentsOf(const void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator,
                  MPI_Request* request = nullptr) {
  return {communicator, root, {}, {buffer, count, nullptr, type}, request};
}
// reduce
Given ArgumentsOf(const void*, const void* out, int count, MPI_Datatype type, MPI_Op, int root,
                  MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, root, {}, {out, count, nullptr, type}, request};
}
// allreduce, reduce_scatter_block, scan, exscan
Given ArgumentsOf(const void*, const void* out, int count, MPI_Datatype type, MPI_Op,
                  MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {}, {out, count, nullptr, type}, request};
}
// reduce_scatter
Given ArgumentsOf(const void*, const void* out, Counts counts, MPI_Datatype type, MPI_Op,
                  MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {}, {out, 0, counts, type}, request};
}
// gather, scatter
Given ArgumentsOf(const void* in, int in_count, MPI_Datatype in_type, const void* out, int count,
                  MPI_Datatype type, int root, MPI_Comm communicator,
                  MPI_Request* request = nullptr) {
  return {
      communicator, root, {in, in_count, nullptr, in_type}, {out, count, nullptr, type}, request};
}
// gatherv
Given ArgumentsOf(const void* in, int in_count, MPI_Datatype in_type, const void* out,
                  Counts counts, const int*, MPI_Datatype type, int root, MPI_Comm communicator,
                  MPI_Request* request = nullptr) {
  return {communicator, root, {in, in_count, nullptr, in_type}, {out, 0, counts, type}, request};
}
// scatterv
Given ArgumentsOf(const void* in, Counts in_counts, const int*, MPI_Datatype in_type,
                  const void* out, int count, MPI_Datatype type, int root, MPI_Comm communicator,
                  MPI_Request* request = nullptr) {
  return {communicator, root, {in, 0, in_counts, in_type}, {out, count, nullptr, type}, request};
}
// allgather, alltoall
Given ArgumentsOf(const void* in, int in_count, MPI_Datatype in_type, const void* out, int count,
                  MPI_Datatype type, MPI_Comm communicator, MPI_Request* request = nullptr) {
  return ArgumentsOf(in, in_count, in_type, out, count, type, kNoRoot, communicator, request);
}
// allgatherv
Given ArgumentsOf(const void* in, int in_count, MPI_Datatype in_type, const void* out,
                  Counts counts, const int*, MPI_Datatype type, MPI_Comm communicator,
                  MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {in, in_count, nullptr, in_type}, {out, 0, counts, type}, request};
}
// alltoallv
Given ArgumentsOf(const void* in, Counts in_counts, const int*, MPI_Datatype in_type,
                  const void* out, Counts counts, const int*, MPI_Datatype type,
                  MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {in, 0, in_counts, in_type}, {out, 0, counts, type}, request};
}
// alltoallw
Given ArgumentsOf(const void* in, Counts in_counts, const int*, Types in_types, const void* out,
                  Counts counts, const int*, Types types, MPI_Comm communicator,
                  MPI_Request* request = nullptr) {
  const MPI_Datatype each = MPI_DATATYPE_NULL;
  return {communicator,
          kNoRoot,
          {in, 0, in_counts, each, in_types},
          {out, 0, counts, each, types},
          request};
}

CollectiveBytes CollectiveBytesOf(OTF2_CollectiveOp operation, const CommunicatorInfo& info,
                                  const CollectiveArguments& a) {
  const Part& sent = a.sent;
  const Part& received = a.received;
  const bool is_root = info.rank == a.root;
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER: return {};
    case OTF2_COLLECTIVE_OP_BCAST:
      return is_root ? CollectiveBytes{received.OfMember(0), 0}
                     : CollectiveBytes{0, received.OfMember(0)};
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
      if (!is_root) return {0, received.OfMember(0)};
      return {sent.OfAll(info),
              received.is_in_place() ? sent.OfMember(info.rank) : received.OfMember(0)};
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
      if (!is_root) return {sent.OfMember(0), 0};
      [[fallthrough]];
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
      return {sent.is_in_place() ? received.OfMember(info.rank) : sent.OfMember(0),
              received.OfAll(info)};
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW: {
      const uint64_t bytes = received.OfAll(info);
      return {sent.is_in_place() ? bytes : sent.OfAll(info), bytes};
    }
    case OTF2_COLLECTIVE_OP_REDUCE:
      return {received.OfMember(0), is_root ? received.OfMember(0) : 0};
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      return {received.OfAll(info), received.OfMember(info.rank)};
    default:  // allreduce, scan, exscan
      return {received.OfMember(0), received.OfMember(0)};
  }
}

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
  if (frame.wants_bytes()) bytes = CollectiveBytesOf(CollectiveOf(kCall), frame.info(), given);
  return frame.Return(kReal(arguments...), bytes);
}

template <Call kCall, auto kReal, typename... Arguments>
int RecordPostedCollective(Arguments... arguments) {
  const CollectiveArguments given = ArgumentsOf(arguments...);
  PostedCollectiveFrame frame(kCall, given.communicator, given.root);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = CollectiveBytesOf(CollectiveOf(kCall), frame.info(), given);
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
