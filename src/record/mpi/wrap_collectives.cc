#include <mpi.h>

#include "record/mpi/collective_bytes.h"
#include "record/mpi/frame.h"
#include "record/mpi/session.h"

using namespace syncline::mpi;  // NOLINT(google-build-using-namespace): wrappers stand outside

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

int MPI_Barrier(MPI_Comm communicator) {
  int error = MPI_SUCCESS;
  {
    CollectiveFrame frame(Call::kBarrier, communicator);
    error = frame.Return(PMPI_Barrier(communicator), {});
  }
  if (communicator == MPI_COMM_WORLD && error == MPI_SUCCESS) TheSession().AfterBarrier();
  return error;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kBcast, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = BytesOfBcast(frame.info(), BytesOf(count, type), root);
  return frame.Return(PMPI_Bcast(buffer, count, type, root, communicator), bytes);
}

int MPI_Gather(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int count,
               MPI_Datatype type, int root, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kGather, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfGather(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                          {.buffer = received, .count = count, .type = type}, root);
  return frame.Return(
      PMPI_Gather(sent, sent_count, sent_type, received, count, type, root, communicator), bytes);
}

int MPI_Gatherv(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                const int* counts, const int* places, MPI_Datatype type, int root,
                MPI_Comm communicator) {
  CollectiveFrame frame(Call::kGatherv, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfGather(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                          {.buffer = received, .counts = counts, .type = type}, root);
  return frame.Return(
      PMPI_Gatherv(sent, sent_count, sent_type, received, counts, places, type, root, communicator),
      bytes);
}

int MPI_Scatter(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int count,
                MPI_Datatype type, int root, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kScatter, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfScatter(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                           {.buffer = received, .count = count, .type = type}, root);
  return frame.Return(
      PMPI_Scatter(sent, sent_count, sent_type, received, count, type, root, communicator), bytes);
}

int MPI_Scatterv(const void* sent, const int* sent_counts, const int* places,
                 MPI_Datatype sent_type, void* received, int count, MPI_Datatype type, int root,
                 MPI_Comm communicator) {
  CollectiveFrame frame(Call::kScatterv, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfScatter(frame.info(), {.buffer = sent, .counts = sent_counts, .type = sent_type},
                           {.buffer = received, .count = count, .type = type}, root);
  return frame.Return(PMPI_Scatterv(sent, sent_counts, places, sent_type, received, count, type,
                                    root, communicator),
                      bytes);
}

int MPI_Allgather(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                  int count, MPI_Datatype type, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kAllgather, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfAllgather(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                             {.buffer = received, .count = count, .type = type});
  return frame.Return(
      PMPI_Allgather(sent, sent_count, sent_type, received, count, type, communicator), bytes);
}

int MPI_Allgatherv(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   const int* counts, const int* places, MPI_Datatype type, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kAllgatherv, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfAllgather(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                             {.buffer = received, .counts = counts, .type = type});
  return frame.Return(
      PMPI_Allgatherv(sent, sent_count, sent_type, received, counts, places, type, communicator),
      bytes);
}

int MPI_Alltoall(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                 int count, MPI_Datatype type, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kAlltoall, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfAlltoall(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                            {.buffer = received, .count = count, .type = type});
  return frame.Return(
      PMPI_Alltoall(sent, sent_count, sent_type, received, count, type, communicator), bytes);
}

int MPI_Alltoallv(const void* sent, const int* sent_counts, const int* sent_places,
                  MPI_Datatype sent_type, void* received, const int* counts, const int* places,
                  MPI_Datatype type, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kAlltoallv, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes =
        BytesOfAlltoall(frame.info(), {.buffer = sent, .counts = sent_counts, .type = sent_type},
                        {.buffer = received, .counts = counts, .type = type});
  return frame.Return(PMPI_Alltoallv(sent, sent_counts, sent_places, sent_type, received, counts,
                                     places, type, communicator),
                      bytes);
}

int MPI_Alltoallw(const void* sent, const int* sent_counts, const int* sent_places,
                  const MPI_Datatype* sent_types, void* received, const int* counts,
                  const int* places, const MPI_Datatype* types, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kAlltoallw, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes =
        BytesOfAlltoall(frame.info(), {.buffer = sent, .counts = sent_counts, .types = sent_types},
                        {.buffer = received, .counts = counts, .types = types});
  return frame.Return(PMPI_Alltoallw(sent, sent_counts, sent_places, sent_types, received, counts,
                                     places, types, communicator),
                      bytes);
}

int MPI_Reduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm communicator) {
  CollectiveFrame frame(Call::kReduce, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = BytesOfReduce(frame.info(), BytesOf(count, type), root);
  return frame.Return(PMPI_Reduce(sent, received, count, type, op, root, communicator), bytes);
}

int MPI_Allreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm communicator) {
  CollectiveFrame frame(Call::kAllreduce, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = {BytesOf(count, type), BytesOf(count, type)};
  return frame.Return(PMPI_Allreduce(sent, received, count, type, op, communicator), bytes);
}

int MPI_Reduce_scatter(const void* sent, void* received, const int* counts, MPI_Datatype type,
                       MPI_Op op, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kReduce_scatter, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfReduceScatter(frame.info(), {.counts = counts, .type = type});
  return frame.Return(PMPI_Reduce_scatter(sent, received, counts, type, op, communicator), bytes);
}

int MPI_Reduce_scatter_block(const void* sent, void* received, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm communicator) {
  CollectiveFrame frame(Call::kReduce_scatter_block, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfReduceScatter(frame.info(), {.count = count, .type = type});
  return frame.Return(PMPI_Reduce_scatter_block(sent, received, count, type, op, communicator),
                      bytes);
}

int MPI_Scan(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm communicator) {
  CollectiveFrame frame(Call::kScan, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = {BytesOf(count, type), BytesOf(count, type)};
  return frame.Return(PMPI_Scan(sent, received, count, type, op, communicator), bytes);
}

int MPI_Exscan(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm communicator) {
  CollectiveFrame frame(Call::kExscan, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = {BytesOf(count, type), BytesOf(count, type)};
  return frame.Return(PMPI_Exscan(sent, received, count, type, op, communicator), bytes);
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
