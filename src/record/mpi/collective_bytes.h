// How many bytes a member of a collective gives and gets, from the arguments of the call.
//
// Matching looks at whether they are 0: a member without bytes takes no part in gatherv,
// allgatherv, scatterv and reduce_scatter. What is only significant at the root is only read there.
// A part in place counts as what it stands for.
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/frame.h"
#include "record/mpi/moved_bytes.h"

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

inline CollectiveBytes BytesOfBcast(const CommunicatorInfo& info, uint64_t bytes, int root) {
  return info.rank == root ? CollectiveBytes{bytes, 0} : CollectiveBytes{0, bytes};
}

inline CollectiveBytes BytesOfReduce(const CommunicatorInfo& info, uint64_t bytes, int root) {
  return {bytes, info.rank == root ? bytes : 0};
}

inline CollectiveBytes BytesOfGather(const CommunicatorInfo& info, const Part& sent,
                                     const Part& received, int root) {
  if (info.rank != root) return {sent.OfMember(0), 0};
  return {sent.is_in_place() ? received.OfMember(info.rank) : sent.OfMember(0),
          received.OfAll(info)};
}

inline CollectiveBytes BytesOfScatter(const CommunicatorInfo& info, const Part& sent,
                                      const Part& received, int root) {
  if (info.rank != root) return {0, received.OfMember(0)};
  return {sent.OfAll(info),
          received.is_in_place() ? sent.OfMember(info.rank) : received.OfMember(0)};
}

inline CollectiveBytes BytesOfAllgather(const CommunicatorInfo& info, const Part& sent,
                                        const Part& received) {
  return {sent.is_in_place() ? received.OfMember(info.rank) : sent.OfMember(0),
          received.OfAll(info)};
}

inline CollectiveBytes BytesOfAlltoall(const CommunicatorInfo& info, const Part& sent,
                                       const Part& received) {
  const uint64_t bytes = received.OfAll(info);
  return {sent.is_in_place() ? bytes : sent.OfAll(info), bytes};
}

inline CollectiveBytes BytesOfReduceScatter(const CommunicatorInfo& info, const Part& parts) {
  return {parts.OfAll(info), parts.OfMember(info.rank)};
}

}  // namespace syncline::mpi
