#include <mpi.h>

#include "record/mpi/collective_bytes.h"
#include "record/mpi/frame.h"

using namespace syncline::mpi;  // NOLINT(google-build-using-namespace): wrappers stand outside

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

int MPI_Ibarrier(MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIbarrier, communicator);
  return frame.Return(PMPI_Ibarrier(communicator, request), request, {});
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator,
               MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIbcast, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = BytesOfBcast(frame.info(), BytesOf(count, type), root);
  return frame.Return(PMPI_Ibcast(buffer, count, type, root, communicator, request), request,
                      bytes);
}

int MPI_Igather(const void* sent, int sent_count, MPI_Datatype sent_type, void* received, int count,
                MPI_Datatype type, int root, MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIgather, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfGather(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                          {.buffer = received, .count = count, .type = type}, root);
  return frame.Return(
      PMPI_Igather(sent, sent_count, sent_type, received, count, type, root, communicator, request),
      request, bytes);
}

int MPI_Igatherv(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                 const int* counts, const int* places, MPI_Datatype type, int root,
                 MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIgatherv, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfGather(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                          {.buffer = received, .counts = counts, .type = type}, root);
  return frame.Return(PMPI_Igatherv(sent, sent_count, sent_type, received, counts, places, type,
                                    root, communicator, request),
                      request, bytes);
}

int MPI_Iscatter(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                 int count, MPI_Datatype type, int root, MPI_Comm communicator,
                 MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIscatter, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfScatter(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                           {.buffer = received, .count = count, .type = type}, root);
  return frame.Return(PMPI_Iscatter(sent, sent_count, sent_type, received, count, type, root,
                                    communicator, request),
                      request, bytes);
}

int MPI_Iscatterv(const void* sent, const int* sent_counts, const int* places,
                  MPI_Datatype sent_type, void* received, int count, MPI_Datatype type, int root,
                  MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIscatterv, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfScatter(frame.info(), {.buffer = sent, .counts = sent_counts, .type = sent_type},
                           {.buffer = received, .count = count, .type = type}, root);
  return frame.Return(PMPI_Iscatterv(sent, sent_counts, places, sent_type, received, count, type,
                                     root, communicator, request),
                      request, bytes);
}

int MPI_Iallgather(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                   int count, MPI_Datatype type, MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIallgather, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfAllgather(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                             {.buffer = received, .count = count, .type = type});
  return frame.Return(
      PMPI_Iallgather(sent, sent_count, sent_type, received, count, type, communicator, request),
      request, bytes);
}

int MPI_Iallgatherv(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                    const int* counts, const int* places, MPI_Datatype type, MPI_Comm communicator,
                    MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIallgatherv, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfAllgather(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                             {.buffer = received, .counts = counts, .type = type});
  return frame.Return(PMPI_Iallgatherv(sent, sent_count, sent_type, received, counts, places, type,
                                       communicator, request),
                      request, bytes);
}

int MPI_Ialltoall(const void* sent, int sent_count, MPI_Datatype sent_type, void* received,
                  int count, MPI_Datatype type, MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIalltoall, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfAlltoall(frame.info(), {.buffer = sent, .count = sent_count, .type = sent_type},
                            {.buffer = received, .count = count, .type = type});
  return frame.Return(
      PMPI_Ialltoall(sent, sent_count, sent_type, received, count, type, communicator, request),
      request, bytes);
}

int MPI_Ialltoallv(const void* sent, const int* sent_counts, const int* sent_places,
                   MPI_Datatype sent_type, void* received, const int* counts, const int* places,
                   MPI_Datatype type, MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIalltoallv, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes =
        BytesOfAlltoall(frame.info(), {.buffer = sent, .counts = sent_counts, .type = sent_type},
                        {.buffer = received, .counts = counts, .type = type});
  return frame.Return(PMPI_Ialltoallv(sent, sent_counts, sent_places, sent_type, received, counts,
                                      places, type, communicator, request),
                      request, bytes);
}

int MPI_Ialltoallw(const void* sent, const int* sent_counts, const int* sent_places,
                   const MPI_Datatype* sent_types, void* received, const int* counts,
                   const int* places, const MPI_Datatype* types, MPI_Comm communicator,
                   MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIalltoallw, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes =
        BytesOfAlltoall(frame.info(), {.buffer = sent, .counts = sent_counts, .types = sent_types},
                        {.buffer = received, .counts = counts, .types = types});
  return frame.Return(PMPI_Ialltoallw(sent, sent_counts, sent_places, sent_types, received, counts,
                                      places, types, communicator, request),
                      request, bytes);
}

int MPI_Ireduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIreduce, communicator, root);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = BytesOfReduce(frame.info(), BytesOf(count, type), root);
  return frame.Return(PMPI_Ireduce(sent, received, count, type, op, root, communicator, request),
                      request, bytes);
}

int MPI_Iallreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIallreduce, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = {BytesOf(count, type), BytesOf(count, type)};
  return frame.Return(PMPI_Iallreduce(sent, received, count, type, op, communicator, request),
                      request, bytes);
}

int MPI_Ireduce_scatter(const void* sent, void* received, const int* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIreduce_scatter, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfReduceScatter(frame.info(), {.counts = counts, .type = type});
  return frame.Return(PMPI_Ireduce_scatter(sent, received, counts, type, op, communicator, request),
                      request, bytes);
}

int MPI_Ireduce_scatter_block(const void* sent, void* received, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIreduce_scatter_block, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes())
    bytes = BytesOfReduceScatter(frame.info(), {.count = count, .type = type});
  return frame.Return(
      PMPI_Ireduce_scatter_block(sent, received, count, type, op, communicator, request), request,
      bytes);
}

int MPI_Iscan(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIscan, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = {BytesOf(count, type), BytesOf(count, type)};
  return frame.Return(PMPI_Iscan(sent, received, count, type, op, communicator, request), request,
                      bytes);
}

int MPI_Iexscan(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm communicator, MPI_Request* request) {
  PostedCollectiveFrame frame(Call::kIexscan, communicator);
  CollectiveBytes bytes;
  if (frame.wants_bytes()) bytes = {BytesOf(count, type), BytesOf(count, type)};
  return frame.Return(PMPI_Iexscan(sent, received, count, type, op, communicator, request), request,
                      bytes);
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
