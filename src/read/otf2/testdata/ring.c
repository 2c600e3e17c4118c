/* What eztrace 2.0 records of MPI, and what it does not. The archive beside this file comes from
 *   mpicc ring.c -o ring; EZTRACE_TRACE=ring mpirun -np 3 eztrace -t openmpi ./ring */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  double out[8] = {0}, in[8], gathered[8];
  MPI_Comm copy, parity;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parity);
  for (int k = 0; k < 10; k++) {
    MPI_Request requests[2], reduction;
    MPI_Irecv(in, 8, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 8, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
      MPI_Send(out, 8, MPI_DOUBLE, right, 1, copy);
      MPI_Recv(in, 8, MPI_DOUBLE, left, 1, copy, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
      MPI_Send(out, 8, MPI_DOUBLE, right, 1, copy);
    }
    MPI_Sendrecv(out, 8, MPI_DOUBLE, right, 3, in, 8, MPI_DOUBLE, left, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(parity);
    MPI_Gather(out, 1, MPI_DOUBLE, gathered, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Iallreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &reduction);
    MPI_Wait(&reduction, MPI_STATUS_IGNORE);
    MPI_Scan(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
