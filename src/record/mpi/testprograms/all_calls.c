// Every recorded call of MPI at least once, with results to print; recording_test.cc counts what is
// recorded of it. Needs an even number of processes, at least 4.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRepeats = 3, kMost = 64 };

static int rank;
static int size;
static int left;
static int right;
static long checksum;

static void Add(int value) { checksum = (checksum * 31 + value) % 1000003; }

// 8 messages of each process to its right neighbour.
static void Blocking(MPI_Comm comm) {
  int in = -1;
  const int is_even = rank % 2 == 0;
  int space[kMost];
  MPI_Buffer_attach(space, sizeof(space));
  for (int kind = 0; kind < 3; ++kind) {
    for (int turn = 0; turn < 2; ++turn) {
      if ((turn == 0) == is_even) {
        if (kind == 0) MPI_Send(&rank, 1, MPI_INT, right, 1, comm);
        if (kind == 1) MPI_Ssend(&rank, 1, MPI_INT, right, 1, comm);
        if (kind == 2) MPI_Bsend(&rank, 1, MPI_INT, right, 1, comm);
      } else {
        MPI_Status status;
        if (kind == 0) MPI_Probe(left, 1, comm, &status);
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        Add(in);
      }
    }
  }
  MPI_Barrier(comm);
  void* buffer = NULL;
  int bytes = 0;
  MPI_Buffer_detach(&buffer, &bytes);

  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, left, 2, comm, &request);
  MPI_Barrier(comm);
  MPI_Rsend(&rank, 1, MPI_INT, right, 2, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  Add(in);
  MPI_Sendrecv(&rank, 1, MPI_INT, right, 3, &in, 1, MPI_INT, left, 3, comm, MPI_STATUS_IGNORE);
  Add(in);
  in = rank;
  MPI_Sendrecv_replace(&in, 1, MPI_INT, right, 4, left, 4, comm, MPI_STATUS_IGNORE);
  Add(in);
  MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 5, comm);
  MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 5, comm, MPI_STATUS_IGNORE);

  MPI_Message message;
  int flag = 0;
  MPI_Isend(&rank, 1, MPI_INT, right, 6, comm, &request);
  MPI_Mprobe(left, 6, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  Add(in);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(&rank, 1, MPI_INT, right, 7, comm, &request);
  while (!flag) MPI_Iprobe(left, 7, comm, &flag, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Improbe(left, 7, comm, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Request second;
  MPI_Imrecv(&in, 1, MPI_INT, &message, &second);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  Add(in);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void Complete(int how, MPI_Request* requests, int count) {
  int flag = 0;
  int done = 0;
  int indices[kMost];
  if (how == 0) MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  if (how == 1) {
    for (int i = 0; i < count; ++i) MPI_Waitany(count, requests, &done, MPI_STATUS_IGNORE);
  }
  while (how == 2 && done != MPI_UNDEFINED)
    MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
  while (how == 3 && !flag) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; how == 4 && i < count; i += flag)
    MPI_Testany(count, requests, &done, &flag, MPI_STATUS_IGNORE);
  while (how == 5 && done != MPI_UNDEFINED)
    MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
  for (int i = 0; how == 6 && i < count; i += flag)
    MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
}

// 7 · 4 messages to the right neighbour; receives complete in another order than they are posted.
static void NonBlocking(MPI_Comm comm) {
  for (int how = 0; how < 7; ++how) {
    int in[4] = {0};
    MPI_Request requests[8];
    for (int i = 0; i < 4; ++i) MPI_Irecv(&in[i], 1, MPI_INT, left, 10 + i, comm, &requests[3 - i]);
    MPI_Isend(&rank, 1, MPI_INT, right, 13, comm, &requests[4]);
    MPI_Issend(&rank, 1, MPI_INT, right, 12, comm, &requests[5]);
    MPI_Isend(&rank, 1, MPI_INT, right, 11, comm, &requests[6]);
    MPI_Isend(&rank, 1, MPI_INT, right, 10, comm, &requests[7]);
    Complete(how, requests, 8);
    for (int i = 0; i < 4; ++i) Add(in[i]);
  }
}

// kRepeats · 2 messages to the right neighbour, and a receive that is cancelled.
static void Persistent(MPI_Comm comm) {
  int in[2] = {0};
  MPI_Request requests[4];
  MPI_Recv_init(&in[0], 1, MPI_INT, left, 20, comm, &requests[0]);
  MPI_Recv_init(&in[1], 1, MPI_INT, left, 21, comm, &requests[1]);
  MPI_Send_init(&rank, 1, MPI_INT, right, 20, comm, &requests[2]);
  MPI_Ssend_init(&rank, 1, MPI_INT, right, 21, comm, &requests[3]);
  for (int i = 0; i < kRepeats; ++i) {
    MPI_Start(&requests[0]);
    MPI_Startall(3, requests + 1);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    Add(in[0] + in[1]);
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
  MPI_Request never;
  MPI_Irecv(in, 1, MPI_INT, left, 22, comm, &never);
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
}

// 16 collectives with, and 16 without waiting for them at once.
static void Collectives(MPI_Comm comm, int is_posted) {
  int members = 0;
  MPI_Comm_size(comm, &members);
  int one = rank;
  int result = 0;
  int many[kMost];
  int counts[kMost];
  int places[kMost];
  MPI_Datatype types[kMost];
  for (int i = 0; i < kMost; ++i) {
    many[i] = rank + i;
    counts[i] = i == 1 ? 0 : 1;  // one has nothing to give
    places[i] = i;
    types[i] = MPI_INT;
  }
  int in[kMost] = {0};
  int own = 0;
  MPI_Comm_rank(comm, &own);
  int bytes[kMost];
  for (int i = 0; i < kMost; ++i) bytes[i] = i * (int)sizeof(int);
  MPI_Request r[16];
#define CALLS(at, name, small, ...)      \
  if (is_posted) {                       \
    MPI_I##small(__VA_ARGS__, &r[at]);   \
    MPI_Wait(&r[at], MPI_STATUS_IGNORE); \
  } else {                               \
    MPI_##name(__VA_ARGS__);             \
  }                                      \
  Add(result + in[0] + in[members - 1])
  CALLS(0, Barrier, barrier, comm);
  CALLS(1, Bcast, bcast, &one, 1, MPI_INT, 1, comm);
  CALLS(2, Gather, gather, &one, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
  CALLS(3, Gatherv, gatherv, &one, counts[own], MPI_INT, in, counts, places, MPI_INT, 0, comm);
  CALLS(4, Scatter, scatter, many, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
  CALLS(5, Scatterv, scatterv, many, counts, places, MPI_INT, in, counts[own], MPI_INT, 0, comm);
  CALLS(6, Allgather, allgather, &one, 1, MPI_INT, in, 1, MPI_INT, comm);
  in[own] = own;
  CALLS(7, Allgatherv, allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT,
        comm);
  CALLS(8, Alltoall, alltoall, many, 1, MPI_INT, in, 1, MPI_INT, comm);
  counts[1] = 1;
  CALLS(9, Alltoallv, alltoallv, many, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
  CALLS(10, Alltoallw, alltoallw, many, counts, bytes, types, in, counts, bytes, types, comm);
  CALLS(11, Reduce, reduce, &one, &result, 1, MPI_INT, MPI_SUM, 0, comm);
  CALLS(12, Allreduce, allreduce, &one, &result, 1, MPI_INT, MPI_SUM, comm);
  CALLS(13, Reduce_scatter, reduce_scatter, many, in, counts, MPI_INT, MPI_SUM, comm);
  CALLS(14, Scan, scan, &one, &result, 1, MPI_INT, MPI_SUM, comm);
  CALLS(15, Reduce_scatter_block, reduce_scatter_block, many, in, 1, MPI_INT, MPI_SUM, comm);
  if (own == 0) result = 0;
  CALLS(15, Exscan, exscan, &one, &result, 1, MPI_INT, MPI_SUM, comm);
}

// Communicators of all kinds: one message to the right in each that has all processes, one
// collective in each other, and one message over an inter-communicator.
static void Communicators(void) {
  MPI_Comm made[6];
  MPI_Group group;
  MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
  const int sizes[1] = {size};
  const int periods[1] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &made[1]);
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &made[2], &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) {
    int in = 0;
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 30, &in, 1, MPI_INT, left, 30, made[i],
                 MPI_STATUS_IGNORE);
    Add(in);
    MPI_Comm_free(&made[i]);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made[0]);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made[1]);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group pair;
  const int members[2] = {2, 0};
  MPI_Group_incl(group, 2, members, &pair);
  made[2] = MPI_COMM_NULL;
  if (rank == 0 || rank == 2) MPI_Comm_create_group(MPI_COMM_WORLD, pair, 5, &made[2]);
  MPI_Comm_create(MPI_COMM_WORLD, pair, &made[3]);
  for (int i = 0; i < 4; ++i) {
    int sum = 0;
    if (made[i] == MPI_COMM_NULL) continue;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made[i]);
    Add(sum);
  }
  MPI_Intercomm_create(made[0], 0, MPI_COMM_WORLD, rank % 2 == 0 ? size - 1 : size - 2, 9,
                       &made[4]);
  int own = 0;
  int in = 0;
  MPI_Comm_rank(made[4], &own);
  MPI_Sendrecv(&rank, 1, MPI_INT, own, 31, &in, 1, MPI_INT, own, 31, made[4], MPI_STATUS_IGNORE);
  Add(in);
  MPI_Intercomm_merge(made[4], rank % 2, &made[5]);
  MPI_Barrier(made[5]);
  for (int i = 0; i < 6; ++i) {
    if (made[i] != MPI_COMM_NULL) MPI_Comm_free(&made[i]);
  }
  MPI_Group_free(&pair);
  MPI_Group_free(&group);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  Blocking(MPI_COMM_WORLD);
  NonBlocking(MPI_COMM_WORLD);
  Persistent(MPI_COMM_WORLD);
  Collectives(MPI_COMM_WORLD, 0);
  Collectives(MPI_COMM_WORLD, 1);
  Communicators();
  long all[kMost];
  MPI_Gather(&checksum, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) printf("%d: %ld\n", i, all[i]);
  MPI_Finalize();
  return 0;
}
