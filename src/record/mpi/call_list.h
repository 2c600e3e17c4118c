// The calls of MPI that are recorded: their names as regions, and the collective operation that a
// call stands for.
//
// A region's number in archives is the call's place in this list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <otf2/otf2.h>

namespace syncline::mpi {

// One call a row: its name after "MPI_", that in Fortran, its arguments, how it is recorded, and
// the role of its region. F: of C and Fortran; C: of C alone. How: Own, by what is written out in
// wrap_*.cc; else by Record… in wrap_calls.cc, which makes the wrapper from the row.
#define SYNCLINE_MPI_CALLS(F, C)                                                       \
  F(Send, send, 6, Send, POINT2POINT)                                                  \
  F(Ssend, ssend, 6, Send, POINT2POINT)                                                \
  F(Bsend, bsend, 6, Send, POINT2POINT)                                                \
  F(Rsend, rsend, 6, Send, POINT2POINT)                                                \
  F(Recv, recv, 7, Own, POINT2POINT)                                                   \
  F(Sendrecv, sendrecv, 12, Own, POINT2POINT)                                          \
  F(Sendrecv_replace, sendrecv_replace, 9, Own, POINT2POINT)                           \
  F(Isend, isend, 7, PostedSend, POINT2POINT)                                          \
  F(Issend, issend, 7, PostedSend, POINT2POINT)                                        \
  F(Ibsend, ibsend, 7, PostedSend, POINT2POINT)                                        \
  F(Irsend, irsend, 7, PostedSend, POINT2POINT)                                        \
  F(Irecv, irecv, 7, Own, POINT2POINT)                                                 \
  F(Start, start, 1, Own, POINT2POINT)                                                 \
  F(Startall, startall, 2, Own, POINT2POINT)                                           \
  F(Probe, probe, 4, Own, POINT2POINT)                                                 \
  F(Iprobe, iprobe, 5, Own, POINT2POINT)                                               \
  F(Mprobe, mprobe, 5, Own, POINT2POINT)                                               \
  F(Improbe, improbe, 6, Own, POINT2POINT)                                             \
  F(Mrecv, mrecv, 5, Own, POINT2POINT)                                                 \
  F(Imrecv, imrecv, 5, Own, POINT2POINT)                                               \
  F(Wait, wait, 2, Own, POINT2POINT)                                                   \
  F(Waitall, waitall, 3, Own, POINT2POINT)                                             \
  F(Waitany, waitany, 4, Own, POINT2POINT)                                             \
  F(Waitsome, waitsome, 5, Own, POINT2POINT)                                           \
  F(Test, test, 3, Own, POINT2POINT)                                                   \
  F(Testall, testall, 4, Own, POINT2POINT)                                             \
  F(Testany, testany, 5, Own, POINT2POINT)                                             \
  F(Testsome, testsome, 5, Own, POINT2POINT)                                           \
  F(Cancel, cancel, 1, Own, POINT2POINT)                                               \
  F(Request_free, request_free, 1, Own, POINT2POINT)                                   \
  F(Barrier, barrier, 1, Own, BARRIER)                                                 \
  F(Bcast, bcast, 5, Collective, COLL_ONE2ALL)                                         \
  F(Gather, gather, 8, Collective, COLL_ALL2ONE)                                       \
  F(Gatherv, gatherv, 9, Collective, COLL_ALL2ONE)                                     \
  F(Scatter, scatter, 8, Collective, COLL_ONE2ALL)                                     \
  F(Scatterv, scatterv, 9, Collective, COLL_ONE2ALL)                                   \
  F(Allgather, allgather, 7, Collective, COLL_ALL2ALL)                                 \
  F(Allgatherv, allgatherv, 8, Collective, COLL_ALL2ALL)                               \
  F(Alltoall, alltoall, 7, Collective, COLL_ALL2ALL)                                   \
  F(Alltoallv, alltoallv, 9, Collective, COLL_ALL2ALL)                                 \
  F(Alltoallw, alltoallw, 9, Collective, COLL_ALL2ALL)                                 \
  F(Reduce, reduce, 7, Collective, COLL_ALL2ONE)                                       \
  F(Allreduce, allreduce, 6, Collective, COLL_ALL2ALL)                                 \
  F(Reduce_scatter, reduce_scatter, 6, Collective, COLL_ALL2ALL)                       \
  F(Reduce_scatter_block, reduce_scatter_block, 6, Collective, COLL_ALL2ALL)           \
  F(Scan, scan, 6, Collective, COLL_OTHER)                                             \
  F(Exscan, exscan, 6, Collective, COLL_OTHER)                                         \
  F(Ibarrier, ibarrier, 2, PostedCollective, BARRIER)                                  \
  F(Ibcast, ibcast, 6, PostedCollective, COLL_ONE2ALL)                                 \
  F(Igather, igather, 9, PostedCollective, COLL_ALL2ONE)                               \
  F(Igatherv, igatherv, 10, PostedCollective, COLL_ALL2ONE)                            \
  F(Iscatter, iscatter, 9, PostedCollective, COLL_ONE2ALL)                             \
  F(Iscatterv, iscatterv, 10, PostedCollective, COLL_ONE2ALL)                          \
  F(Iallgather, iallgather, 8, PostedCollective, COLL_ALL2ALL)                         \
  F(Iallgatherv, iallgatherv, 9, PostedCollective, COLL_ALL2ALL)                       \
  F(Ialltoall, ialltoall, 8, PostedCollective, COLL_ALL2ALL)                           \
  F(Ialltoallv, ialltoallv, 10, PostedCollective, COLL_ALL2ALL)                        \
  C(Ialltoallw, 10, PostedCollective, COLL_ALL2ALL)                                    \
  F(Ireduce, ireduce, 8, PostedCollective, COLL_ALL2ONE)                               \
  F(Iallreduce, iallreduce, 7, PostedCollective, COLL_ALL2ALL)                         \
  F(Ireduce_scatter, ireduce_scatter, 7, PostedCollective, COLL_ALL2ALL)               \
  F(Ireduce_scatter_block, ireduce_scatter_block, 7, PostedCollective, COLL_ALL2ALL)   \
  F(Iscan, iscan, 7, PostedCollective, COLL_OTHER)                                     \
  F(Iexscan, iexscan, 7, PostedCollective, COLL_OTHER)                                 \
  F(Comm_dup, comm_dup, 2, NewCommunicator, CODE)                                      \
  F(Comm_dup_with_info, comm_dup_with_info, 3, NewCommunicator, CODE)                  \
  F(Comm_idup, comm_idup, 3, Own, CODE)                                                \
  F(Comm_split, comm_split, 4, NewCommunicator, CODE)                                  \
  F(Comm_split_type, comm_split_type, 5, NewCommunicator, CODE)                        \
  F(Comm_create, comm_create, 3, NewCommunicator, CODE)                                \
  F(Comm_create_group, comm_create_group, 4, Own, CODE)                                \
  F(Cart_create, cart_create, 6, NewCommunicator, CODE)                                \
  F(Cart_sub, cart_sub, 3, NewCommunicator, CODE)                                      \
  F(Graph_create, graph_create, 6, NewCommunicator, CODE)                              \
  F(Dist_graph_create, dist_graph_create, 9, NewCommunicator, CODE)                    \
  F(Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, NewCommunicator, CODE) \
  F(Intercomm_create, intercomm_create, 6, Own, CODE)                                  \
  F(Intercomm_merge, intercomm_merge, 3, NewCommunicator, CODE)                        \
  F(Comm_free, comm_free, 1, EndOfCommunicator, CODE)                                  \
  F(Comm_disconnect, comm_disconnect, 1, EndOfCommunicator, CODE)                      \
  C(Win_create, 6, Region, RMA)                                                        \
  C(Win_allocate, 6, Region, RMA)                                                      \
  C(Win_allocate_shared, 6, Region, RMA)                                               \
  C(Win_create_dynamic, 3, Region, RMA)                                                \
  C(Win_attach, 3, Region, RMA)                                                        \
  C(Win_detach, 2, Region, RMA)                                                        \
  C(Win_free, 1, Region, RMA)                                                          \
  C(Put, 8, Region, RMA)                                                               \
  C(Get, 8, Region, RMA)                                                               \
  C(Accumulate, 9, Region, RMA)                                                        \
  C(Get_accumulate, 12, Region, RMA)                                                   \
  C(Fetch_and_op, 7, Region, RMA)                                                      \
  C(Compare_and_swap, 7, Region, RMA)                                                  \
  C(Rput, 9, Region, RMA)                                                              \
  C(Rget, 9, Region, RMA)                                                              \
  C(Raccumulate, 10, Region, RMA)                                                      \
  C(Rget_accumulate, 13, Region, RMA)                                                  \
  C(Win_fence, 2, Region, RMA)                                                         \
  C(Win_start, 3, Region, RMA)                                                         \
  C(Win_complete, 1, Region, RMA)                                                      \
  C(Win_post, 3, Region, RMA)                                                          \
  C(Win_wait, 1, Region, RMA)                                                          \
  C(Win_test, 2, Region, RMA)                                                          \
  C(Win_lock, 4, Region, RMA)                                                          \
  C(Win_lock_all, 2, Region, RMA)                                                      \
  C(Win_unlock, 2, Region, RMA)                                                        \
  C(Win_unlock_all, 1, Region, RMA)                                                    \
  C(Win_flush, 2, Region, RMA)                                                         \
  C(Win_flush_all, 1, Region, RMA)                                                     \
  C(Win_flush_local, 2, Region, RMA)                                                   \
  C(Win_flush_local_all, 1, Region, RMA)                                               \
  C(Win_sync, 1, Region, RMA)                                                          \
  C(File_open, 5, Region, FILE_IO)                                                     \
  C(File_close, 1, Region, FILE_IO)                                                    \
  C(File_delete, 2, Region, FILE_IO)                                                   \
  C(File_set_size, 2, Region, FILE_IO)                                                 \
  C(File_preallocate, 2, Region, FILE_IO)                                              \
  C(File_set_view, 6, Region, FILE_IO)                                                 \
  C(File_sync, 1, Region, FILE_IO)                                                     \
  C(File_read_at, 6, Region, FILE_IO)                                                  \
  C(File_read_at_all, 6, Region, FILE_IO)                                              \
  C(File_read, 5, Region, FILE_IO)                                                     \
  C(File_read_all, 5, Region, FILE_IO)                                                 \
  C(File_read_shared, 5, Region, FILE_IO)                                              \
  C(File_read_ordered, 5, Region, FILE_IO)                                             \
  C(File_iread_at, 6, Region, FILE_IO)                                                 \
  C(File_iread_at_all, 6, Region, FILE_IO)                                             \
  C(File_iread, 5, Region, FILE_IO)                                                    \
  C(File_iread_all, 5, Region, FILE_IO)                                                \
  C(File_iread_shared, 5, Region, FILE_IO)                                             \
  C(File_read_at_all_begin, 5, Region, FILE_IO)                                        \
  C(File_read_at_all_end, 3, Region, FILE_IO)                                          \
  C(File_read_all_begin, 4, Region, FILE_IO)                                           \
  C(File_read_all_end, 3, Region, FILE_IO)                                             \
  C(File_read_ordered_begin, 4, Region, FILE_IO)                                       \
  C(File_read_ordered_end, 3, Region, FILE_IO)                                         \
  C(File_write_at, 6, Region, FILE_IO)                                                 \
  C(File_write_at_all, 6, Region, FILE_IO)                                             \
  C(File_write, 5, Region, FILE_IO)                                                    \
  C(File_write_all, 5, Region, FILE_IO)                                                \
  C(File_write_shared, 5, Region, FILE_IO)                                             \
  C(File_write_ordered, 5, Region, FILE_IO)                                            \
  C(File_iwrite_at, 6, Region, FILE_IO)                                                \
  C(File_iwrite_at_all, 6, Region, FILE_IO)                                            \
  C(File_iwrite, 5, Region, FILE_IO)                                                   \
  C(File_iwrite_all, 5, Region, FILE_IO)                                               \
  C(File_iwrite_shared, 5, Region, FILE_IO)                                            \
  C(File_write_at_all_begin, 5, Region, FILE_IO)                                       \
  C(File_write_at_all_end, 3, Region, FILE_IO)                                         \
  C(File_write_all_begin, 4, Region, FILE_IO)                                          \
  C(File_write_all_end, 3, Region, FILE_IO)                                            \
  C(File_write_ordered_begin, 4, Region, FILE_IO)                                      \
  C(File_write_ordered_end, 3, Region, FILE_IO)

enum class Call : uint16_t {
#define SYNCLINE_CALL(name, ...) k##name,
  SYNCLINE_MPI_CALLS(SYNCLINE_CALL, SYNCLINE_CALL)
#undef SYNCLINE_CALL
      kExchanges,  // a burst of the recorder's own
  kCount,
};

// "MPI_Send"; "syncline exchanges".
const char* NameOf(Call call);
// Operations on another process's memory, which no event there tells of.
inline bool IsOneSided(Call call) { return call >= Call::kPut && call <= Call::kRget_accumulate; }
inline bool IsOnFile(Call call) {
  return call >= Call::kFile_open && call <= Call::kFile_write_ordered_end;
}
OTF2_RegionRole RoleOf(Call call);
// Of blocking and non-blocking collectives; OTF2_COLLECTIVE_OP_BARRIER for every other call.
constexpr OTF2_CollectiveOp CollectiveOf(Call call) {
  // In the order of the calls from kBarrier, and from kIbarrier, on.
  constexpr std::array kOperations = {OTF2_COLLECTIVE_OP_BARRIER,
                                      OTF2_COLLECTIVE_OP_BCAST,
                                      OTF2_COLLECTIVE_OP_GATHER,
                                      OTF2_COLLECTIVE_OP_GATHERV,
                                      OTF2_COLLECTIVE_OP_SCATTER,
                                      OTF2_COLLECTIVE_OP_SCATTERV,
                                      OTF2_COLLECTIVE_OP_ALLGATHER,
                                      OTF2_COLLECTIVE_OP_ALLGATHERV,
                                      OTF2_COLLECTIVE_OP_ALLTOALL,
                                      OTF2_COLLECTIVE_OP_ALLTOALLV,
                                      OTF2_COLLECTIVE_OP_ALLTOALLW,
                                      OTF2_COLLECTIVE_OP_REDUCE,
                                      OTF2_COLLECTIVE_OP_ALLREDUCE,
                                      OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
                                      OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
                                      OTF2_COLLECTIVE_OP_SCAN,
                                      OTF2_COLLECTIVE_OP_EXSCAN};
  if (call < Call::kBarrier || call > Call::kIexscan) return OTF2_COLLECTIVE_OP_BARRIER;
  const Call first = call < Call::kIbarrier ? Call::kBarrier : Call::kIbarrier;
  return kOperations[static_cast<size_t>(call) - static_cast<size_t>(first)];
}
static_assert(CollectiveOf(Call::kAlltoallw) == OTF2_COLLECTIVE_OP_ALLTOALLW &&
              CollectiveOf(Call::kIexscan) == OTF2_COLLECTIVE_OP_EXSCAN);

}  // namespace syncline::mpi
