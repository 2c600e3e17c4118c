// How it works: one-sided operations have no receiver that could record them, so they are regions
// only.

#include <mpi.h>

#include "record/mpi/frame.h"

using syncline::mpi::Call;
using syncline::mpi::Frame;

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

#define SYNCLINE_REGION(name, parameters, arguments) \
  int MPI_##name parameters {                        \
    Frame frame(Call::k##name);                      \
    return frame.Return(PMPI_##name arguments);      \
  }

SYNCLINE_REGION(Win_create,
                (void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm communicator,
                 MPI_Win* window),
                (base, size, unit, info, communicator, window))
SYNCLINE_REGION(Win_allocate,
                (MPI_Aint size, int unit, MPI_Info info, MPI_Comm communicator, void* made,
                 MPI_Win* window),
                (size, unit, info, communicator, made, window))
SYNCLINE_REGION(Win_allocate_shared,
                (MPI_Aint size, int unit, MPI_Info info, MPI_Comm communicator, void* made,
                 MPI_Win* window),
                (size, unit, info, communicator, made, window))
SYNCLINE_REGION(Win_create_dynamic, (MPI_Info info, MPI_Comm communicator, MPI_Win* window),
                (info, communicator, window))
SYNCLINE_REGION(Win_attach, (MPI_Win window, void* base, MPI_Aint size), (window, base, size))
SYNCLINE_REGION(Win_detach, (MPI_Win window, const void* base), (window, base))
SYNCLINE_REGION(Win_free, (MPI_Win * window), (window))
SYNCLINE_REGION(Put,
                (const void* origin, int origin_count, MPI_Datatype origin_datatype,
                 int target_rank, MPI_Aint target_disp, int target_count,
                 MPI_Datatype target_datatype, MPI_Win window),
                (origin, origin_count, origin_datatype, target_rank, target_disp, target_count,
                 target_datatype, window))
SYNCLINE_REGION(Get,
                (void* origin, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                 MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
                 MPI_Win window),
                (origin, origin_count, origin_datatype, target_rank, target_disp, target_count,
                 target_datatype, window))
SYNCLINE_REGION(Accumulate,
                (const void* origin, int origin_count, MPI_Datatype origin_datatype,
                 int target_rank, MPI_Aint target_disp, int target_count,
                 MPI_Datatype target_datatype, MPI_Op op, MPI_Win window),
                (origin, origin_count, origin_datatype, target_rank, target_disp, target_count,
                 target_datatype, op, window))
SYNCLINE_REGION(Get_accumulate,
                (const void* origin, int origin_count, MPI_Datatype origin_datatype,
                 void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                 MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                 MPI_Win window),
                (origin, origin_count, origin_datatype, result_addr, result_count, result_datatype,
                 target_rank, target_disp, target_count, target_datatype, op, window))
SYNCLINE_REGION(Fetch_and_op,
                (const void* origin, void* result_addr, MPI_Datatype type, int target_rank,
                 MPI_Aint target_disp, MPI_Op op, MPI_Win window),
                (origin, result_addr, type, target_rank, target_disp, op, window))
SYNCLINE_REGION(Compare_and_swap,
                (const void* origin, const void* compare_addr, void* result_addr, MPI_Datatype type,
                 int target_rank, MPI_Aint target_disp, MPI_Win window),
                (origin, compare_addr, result_addr, type, target_rank, target_disp, window))
SYNCLINE_REGION(Rput,
                (const void* origin, int origin_count, MPI_Datatype origin_datatype,
                 int target_rank, MPI_Aint target_disp, int target_cout,
                 MPI_Datatype target_datatype, MPI_Win window, MPI_Request* request),
                (origin, origin_count, origin_datatype, target_rank, target_disp, target_cout,
                 target_datatype, window, request))
SYNCLINE_REGION(Rget,
                (void* origin, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                 MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
                 MPI_Win window, MPI_Request* request),
                (origin, origin_count, origin_datatype, target_rank, target_disp, target_count,
                 target_datatype, window, request))
SYNCLINE_REGION(Raccumulate,
                (const void* origin, int origin_count, MPI_Datatype origin_datatype,
                 int target_rank, MPI_Aint target_disp, int target_count,
                 MPI_Datatype target_datatype, MPI_Op op, MPI_Win window, MPI_Request* request),
                (origin, origin_count, origin_datatype, target_rank, target_disp, target_count,
                 target_datatype, op, window, request))
SYNCLINE_REGION(Rget_accumulate,
                (const void* origin, int origin_count, MPI_Datatype origin_datatype,
                 void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                 MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                 MPI_Win window, MPI_Request* request),
                (origin, origin_count, origin_datatype, result_addr, result_count, result_datatype,
                 target_rank, target_disp, target_count, target_datatype, op, window, request))
SYNCLINE_REGION(Win_fence, (int assert, MPI_Win window), (assert, window))
SYNCLINE_REGION(Win_start, (MPI_Group group, int assert, MPI_Win window), (group, assert, window))
SYNCLINE_REGION(Win_complete, (MPI_Win window), (window))
SYNCLINE_REGION(Win_post, (MPI_Group group, int assert, MPI_Win window), (group, assert, window))
SYNCLINE_REGION(Win_wait, (MPI_Win window), (window))
SYNCLINE_REGION(Win_test, (MPI_Win window, int* flag), (window, flag))
SYNCLINE_REGION(Win_lock, (int lock_type, int rank, int assert, MPI_Win window),
                (lock_type, rank, assert, window))
SYNCLINE_REGION(Win_lock_all, (int assert, MPI_Win window), (assert, window))
SYNCLINE_REGION(Win_unlock, (int rank, MPI_Win window), (rank, window))
SYNCLINE_REGION(Win_unlock_all, (MPI_Win window), (window))
SYNCLINE_REGION(Win_flush, (int rank, MPI_Win window), (rank, window))
SYNCLINE_REGION(Win_flush_all, (MPI_Win window), (window))
SYNCLINE_REGION(Win_flush_local, (int rank, MPI_Win window), (rank, window))
SYNCLINE_REGION(Win_flush_local_all, (MPI_Win window), (window))
SYNCLINE_REGION(Win_sync, (MPI_Win window), (window))
#undef SYNCLINE_REGION

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
