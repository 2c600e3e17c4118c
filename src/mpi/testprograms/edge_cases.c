// Uses of MPI that are rare, legal, and easy to record wrongly.   edge_cases CASE
#include <mpi.h>

static int rank;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
