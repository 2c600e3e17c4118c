// What a collective's arguments say: its communicator, its root, and how many bytes a member gives
// and gets.
//
// Matching looks at whether bytes are 0: a member without any takes no part in gatherv, allgatherv,
// scatterv and reduce_scatter. What is only significant at the root is only read there. A part in
// place counts as what it stands for.
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/frame.h"

namespace syncline::mpi {

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
inline Given ArgumentsOf(MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {}, {}, request};
}
// bcast
inline Given ArgumentsOf(const void* buffer, int count, MPI_Datatype type, int root,
                         MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, root, {}, {buffer, count, nullptr, type}, request};
}
// reduce
inline Given ArgumentsOf(const void*, const void* out, int count, MPI_Datatype type, MPI_Op,
                         int root, MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, root, {}, {out, count, nullptr, type}, request};
}
// allreduce, reduce_scatter_block, scan, exscan
inline Given ArgumentsOf(const void*, const void* out, int count, MPI_Datatype type, MPI_Op,
                         MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {}, {out, count, nullptr, type}, request};
}
// reduce_scatter
inline Given ArgumentsOf(const void*, const void* out, Counts counts, MPI_Datatype type, MPI_Op,
                         MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {}, {out, 0, counts, type}, request};
}
// gather, scatter
inline Given ArgumentsOf(const void* in, int in_count, MPI_Datatype in_type, const void* out,
                         int count, MPI_Datatype type, int root, MPI_Comm communicator,
                         MPI_Request* request = nullptr) {
  return {
      communicator, root, {in, in_count, nullptr, in_type}, {out, count, nullptr, type}, request};
}
// gatherv
inline Given ArgumentsOf(const void* in, int in_count, MPI_Datatype in_type, const void* out,
                         Counts counts, const int*, MPI_Datatype type, int root,
                         MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, root, {in, in_count, nullptr, in_type}, {out, 0, counts, type}, request};
}
// scatterv
inline Given ArgumentsOf(const void* in, Counts in_counts, const int*, MPI_Datatype in_type,
                         const void* out, int count, MPI_Datatype type, int root,
                         MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, root, {in, 0, in_counts, in_type}, {out, count, nullptr, type}, request};
}
// allgather, alltoall
inline Given ArgumentsOf(const void* in, int in_count, MPI_Datatype in_type, const void* out,
                         int count, MPI_Datatype type, MPI_Comm communicator,
                         MPI_Request* request = nullptr) {
  return ArgumentsOf(in, in_count, in_type, out, count, type, kNoRoot, communicator, request);
}
// allgatherv
inline Given ArgumentsOf(const void* in, int in_count, MPI_Datatype in_type, const void* out,
                         Counts counts, const int*, MPI_Datatype type, MPI_Comm communicator,
                         MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {in, in_count, nullptr, in_type}, {out, 0, counts, type}, request};
}
// alltoallv
inline Given ArgumentsOf(const void* in, Counts in_counts, const int*, MPI_Datatype in_type,
                         const void* out, Counts counts, const int*, MPI_Datatype type,
                         MPI_Comm communicator, MPI_Request* request = nullptr) {
  return {communicator, kNoRoot, {in, 0, in_counts, in_type}, {out, 0, counts, type}, request};
}
// alltoallw
inline Given ArgumentsOf(const void* in, Counts in_counts, const int*, Types in_types,
                         const void* out, Counts counts, const int*, Types types,
                         MPI_Comm communicator, MPI_Request* request = nullptr) {
  const MPI_Datatype each = MPI_DATATYPE_NULL;
  return {communicator,
          kNoRoot,
          {in, 0, in_counts, each, in_types},
          {out, 0, counts, each, types},
          request};
}

inline CollectiveBytes BytesOf(OTF2_CollectiveOp operation, const CommunicatorInfo& info,
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

}  // namespace syncline::mpi
