// The calls of MPI that are recorded: their names as regions, and the collective operation that a
// call stands for.
//
// A region's number in archives is the call's place in this list.
#pragma once

#include <cstdint>

#include <otf2/otf2.h>

namespace syncline::mpi {

// X(name after "MPI_", role of the region)
#define SYNCLINE_MPI_CALLS(X)            \
  X(Send, POINT2POINT)                   \
  X(Ssend, POINT2POINT)                  \
  X(Bsend, POINT2POINT)                  \
  X(Rsend, POINT2POINT)                  \
  X(Recv, POINT2POINT)                   \
  X(Sendrecv, POINT2POINT)               \
  X(Sendrecv_replace, POINT2POINT)       \
  X(Isend, POINT2POINT)                  \
  X(Issend, POINT2POINT)                 \
  X(Ibsend, POINT2POINT)                 \
  X(Irsend, POINT2POINT)                 \
  X(Irecv, POINT2POINT)                  \
  X(Start, POINT2POINT)                  \
  X(Startall, POINT2POINT)               \
  X(Probe, POINT2POINT)                  \
  X(Iprobe, POINT2POINT)                 \
  X(Mprobe, POINT2POINT)                 \
  X(Improbe, POINT2POINT)                \
  X(Mrecv, POINT2POINT)                  \
  X(Imrecv, POINT2POINT)                 \
  X(Wait, POINT2POINT)                   \
  X(Waitall, POINT2POINT)                \
  X(Waitany, POINT2POINT)                \
  X(Waitsome, POINT2POINT)               \
  X(Test, POINT2POINT)                   \
  X(Testall, POINT2POINT)                \
  X(Testany, POINT2POINT)                \
  X(Testsome, POINT2POINT)               \
  X(Cancel, POINT2POINT)                 \
  X(Request_free, POINT2POINT)           \
  X(Barrier, BARRIER)                    \
  X(Bcast, COLL_ONE2ALL)                 \
  X(Gather, COLL_ALL2ONE)                \
  X(Gatherv, COLL_ALL2ONE)               \
  X(Scatter, COLL_ONE2ALL)               \
  X(Scatterv, COLL_ONE2ALL)              \
  X(Allgather, COLL_ALL2ALL)             \
  X(Allgatherv, COLL_ALL2ALL)            \
  X(Alltoall, COLL_ALL2ALL)              \
  X(Alltoallv, COLL_ALL2ALL)             \
  X(Alltoallw, COLL_ALL2ALL)             \
  X(Reduce, COLL_ALL2ONE)                \
  X(Allreduce, COLL_ALL2ALL)             \
  X(Reduce_scatter, COLL_ALL2ALL)        \
  X(Reduce_scatter_block, COLL_ALL2ALL)  \
  X(Scan, COLL_OTHER)                    \
  X(Exscan, COLL_OTHER)                  \
  X(Ibarrier, BARRIER)                   \
  X(Ibcast, COLL_ONE2ALL)                \
  X(Igather, COLL_ALL2ONE)               \
  X(Igatherv, COLL_ALL2ONE)              \
  X(Iscatter, COLL_ONE2ALL)              \
  X(Iscatterv, COLL_ONE2ALL)             \
  X(Iallgather, COLL_ALL2ALL)            \
  X(Iallgatherv, COLL_ALL2ALL)           \
  X(Ialltoall, COLL_ALL2ALL)             \
  X(Ialltoallv, COLL_ALL2ALL)            \
  X(Ialltoallw, COLL_ALL2ALL)            \
  X(Ireduce, COLL_ALL2ONE)               \
  X(Iallreduce, COLL_ALL2ALL)            \
  X(Ireduce_scatter, COLL_ALL2ALL)       \
  X(Ireduce_scatter_block, COLL_ALL2ALL) \
  X(Iscan, COLL_OTHER)                   \
  X(Iexscan, COLL_OTHER)                 \
  X(Comm_dup, CODE)                      \
  X(Comm_dup_with_info, CODE)            \
  X(Comm_idup, CODE)                     \
  X(Comm_split, CODE)                    \
  X(Comm_split_type, CODE)               \
  X(Comm_create, CODE)                   \
  X(Comm_create_group, CODE)             \
  X(Cart_create, CODE)                   \
  X(Cart_sub, CODE)                      \
  X(Graph_create, CODE)                  \
  X(Dist_graph_create, CODE)             \
  X(Dist_graph_create_adjacent, CODE)    \
  X(Intercomm_create, CODE)              \
  X(Intercomm_merge, CODE)               \
  X(Comm_free, CODE)                     \
  X(Comm_disconnect, CODE)               \
  X(Win_create, RMA)                     \
  X(Win_allocate, RMA)                   \
  X(Win_allocate_shared, RMA)            \
  X(Win_create_dynamic, RMA)             \
  X(Win_attach, RMA)                     \
  X(Win_detach, RMA)                     \
  X(Win_free, RMA)                       \
  X(Put, RMA)                            \
  X(Get, RMA)                            \
  X(Accumulate, RMA)                     \
  X(Get_accumulate, RMA)                 \
  X(Fetch_and_op, RMA)                   \
  X(Compare_and_swap, RMA)               \
  X(Rput, RMA)                           \
  X(Rget, RMA)                           \
  X(Raccumulate, RMA)                    \
  X(Rget_accumulate, RMA)                \
  X(Win_fence, RMA)                      \
  X(Win_start, RMA)                      \
  X(Win_complete, RMA)                   \
  X(Win_post, RMA)                       \
  X(Win_wait, RMA)                       \
  X(Win_test, RMA)                       \
  X(Win_lock, RMA)                       \
  X(Win_lock_all, RMA)                   \
  X(Win_unlock, RMA)                     \
  X(Win_unlock_all, RMA)                 \
  X(Win_flush, RMA)                      \
  X(Win_flush_all, RMA)                  \
  X(Win_flush_local, RMA)                \
  X(Win_flush_local_all, RMA)            \
  X(Win_sync, RMA)                       \
  X(File_open, FILE_IO)                  \
  X(File_close, FILE_IO)                 \
  X(File_delete, FILE_IO)                \
  X(File_set_size, FILE_IO)              \
  X(File_preallocate, FILE_IO)           \
  X(File_set_view, FILE_IO)              \
  X(File_sync, FILE_IO)                  \
  X(File_read_at, FILE_IO)               \
  X(File_read_at_all, FILE_IO)           \
  X(File_read, FILE_IO)                  \
  X(File_read_all, FILE_IO)              \
  X(File_read_shared, FILE_IO)           \
  X(File_read_ordered, FILE_IO)          \
  X(File_iread_at, FILE_IO)              \
  X(File_iread_at_all, FILE_IO)          \
  X(File_iread, FILE_IO)                 \
  X(File_iread_all, FILE_IO)             \
  X(File_iread_shared, FILE_IO)          \
  X(File_read_at_all_begin, FILE_IO)     \
  X(File_read_at_all_end, FILE_IO)       \
  X(File_read_all_begin, FILE_IO)        \
  X(File_read_all_end, FILE_IO)          \
  X(File_read_ordered_begin, FILE_IO)    \
  X(File_read_ordered_end, FILE_IO)      \
  X(File_write_at, FILE_IO)              \
  X(File_write_at_all, FILE_IO)          \
  X(File_write, FILE_IO)                 \
  X(File_write_all, FILE_IO)             \
  X(File_write_shared, FILE_IO)          \
  X(File_write_ordered, FILE_IO)         \
  X(File_iwrite_at, FILE_IO)             \
  X(File_iwrite_at_all, FILE_IO)         \
  X(File_iwrite, FILE_IO)                \
  X(File_iwrite_all, FILE_IO)            \
  X(File_iwrite_shared, FILE_IO)         \
  X(File_write_at_all_begin, FILE_IO)    \
  X(File_write_at_all_end, FILE_IO)      \
  X(File_write_all_begin, FILE_IO)       \
  X(File_write_all_end, FILE_IO)         \
  X(File_write_ordered_begin, FILE_IO)   \
  X(File_write_ordered_end, FILE_IO)

enum class Call : uint16_t {
#define SYNCLINE_CALL(name, role) k##name,
  SYNCLINE_MPI_CALLS(SYNCLINE_CALL)
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
OTF2_CollectiveOp CollectiveOf(Call call);

}  // namespace syncline::mpi
