// Messages whose stamps are easily lost or seen: wildcards completed out of order, receives with
// room to spare, sizes asked of statuses, derived types, buffers that just suffice.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRoom = 100, kMessages = 3 };

static int rank;
static int size;
static int left;
static int right;

static int CountOf(const MPI_Status* status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(status, type, &count);
  return count;
}

// The first receive takes any tag, and is completed last.
static void Wildcards(void) {
  int in[2][kRoom];
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Irecv(in[0], kRoom, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in[1], kRoom, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    int out[2] = {rank + 10 * i, i};
    MPI_Send(out, 1 + i, MPI_INT, right, 5, MPI_COMM_WORLD);
  }
  int flag = 0;
  while (!flag) MPI_Request_get_status(requests[1], &flag, &status);
  printf("%d asked %d\n", rank, CountOf(&status, MPI_INT));
  MPI_Wait(&requests[1], &status);
  printf("%d second %d of %d tag %d count %d\n", rank, in[1][0], status.MPI_SOURCE, status.MPI_TAG,
         CountOf(&status, MPI_INT));
  MPI_Wait(&requests[0], &status);
  printf("%d first %d tag %d count %d\n", rank, in[0][0], status.MPI_TAG, CountOf(&status, MPI_INT));
}

// Receives what a probe says, of a type with holes.
static void Probes(void) {
  double out[2 * kRoom];
  for (int i = 0; i < 2 * kRoom; ++i) out[i] = rank * 1000 + i;
  MPI_Datatype odd;
  MPI_Type_vector(kRoom, 1, 2, MPI_DOUBLE, &odd);
  MPI_Type_commit(&odd);
  MPI_Request request;
  MPI_Isend(out, 1, odd, right, 6, MPI_COMM_WORLD, &request);
  MPI_Type_free(&odd);
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
  const int count = CountOf(&status, MPI_DOUBLE);
  double* in = malloc((size_t)count * sizeof(double));
  MPI_Recv(in, count, MPI_DOUBLE, status.MPI_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%d probed %d, last %.0f\n", rank, count, in[count - 1]);
  free(in);
  MPI_Message message;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(out, 3, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &request);
  MPI_Mprobe(left, 7, MPI_COMM_WORLD, &message, &status);
  double three[kRoom];
  printf("%d matched %d\n", rank, CountOf(&status, MPI_DOUBLE));
  MPI_Mrecv(three, kRoom, MPI_DOUBLE, &message, &status);
  printf("%d got %d, last %.0f\n", rank, CountOf(&status, MPI_DOUBLE), three[2]);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// As many as the attached buffer is made for, before any is received.
static void Buffered(void) {
  int bytes = 0;
  MPI_Pack_size(kRoom, MPI_INT, MPI_COMM_WORLD, &bytes);
  bytes = kMessages * (bytes + MPI_BSEND_OVERHEAD);
  void* memory = malloc((size_t)bytes);
  MPI_Buffer_attach(memory, bytes);
  int out[kRoom];
  for (int i = 0; i < kMessages; ++i) {
    for (int j = 0; j < kRoom; ++j) out[j] = rank + i * j;
    MPI_Bsend(out, kRoom, MPI_INT, right, 8, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kMessages; ++i) {
    int in[2 * kRoom];
    MPI_Status status;
    MPI_Recv(in, 2 * kRoom, MPI_INT, left, 8, MPI_COMM_WORLD, &status);
    printf("%d buffered %d, last %d\n", rank, CountOf(&status, MPI_INT), in[kRoom - 1]);
  }
  void* detached = NULL;
  int detached_bytes = 0;
  MPI_Buffer_detach(&detached, &detached_bytes);
  printf("%d buffer %d\n", rank, detached == memory && detached_bytes == bytes);
  free(memory);
}

// A line instead of a ring, nothing at all, and a message to itself.
static void Ends(void) {
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int after = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int value = 100 + rank;
  MPI_Status status;
  MPI_Sendrecv_replace(&value, 1, MPI_INT, after, 9, before, 9, MPI_COMM_WORLD, &status);
  printf("%d has %d, count %d\n", rank, value, CountOf(&status, MPI_INT));
  MPI_Sendrecv(NULL, 0, MPI_INT, right, 10, NULL, 0, MPI_INT, left, 10, MPI_COMM_WORLD, &status);
  printf("%d nothing: count %d\n", rank, CountOf(&status, MPI_INT));
  int in = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(&in, 1, MPI_INT, 0, 11, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, 0, 11, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  printf("%d to itself %d, count %d\n", rank, in, CountOf(&statuses[0], MPI_INT));
}

// Collectives that are under way at once, and completed in another order.
static void Posted(void) {
  int sum = 0;
  int of_root = rank;
  int prefix = 0;
  MPI_Request requests[4];
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(&of_root, 1, MPI_INT, size - 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Iscan(&rank, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
  for (int i = 3; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  printf("%d sum %d root %d prefix %d\n", rank, sum, of_root, prefix);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  Wildcards();
  Probes();
  Buffered();
  Ends();
  Posted();
  MPI_Finalize();
  return 0;
}
