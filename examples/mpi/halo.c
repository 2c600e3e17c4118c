// A halo exchange with a planted imbalance: every process swaps borders with both neighbours, then
// works for 20 ms; rank 2 takes four times as long.
//
// Work is slept, not computed, so that the picture is the same with fewer processors than
// processes.
//   halo [STEPS]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kCells = 64, kStepUs = 20000, kSlowRank = 2, kSlowFactor = 4 };

static void Work(int us) {
  const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argc > 1 ? atoi(argv[1]) : 20;
  const int left = (rank + size - 1) % size;
  const int right = (rank + 1) % size;

  double cells[kCells + 2];
  for (int i = 0; i < kCells + 2; ++i) cells[i] = rank;
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(&cells[kCells], 1, MPI_DOUBLE, right, 0, &cells[0], 1, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&cells[1], 1, MPI_DOUBLE, left, 1, &cells[kCells + 1], 1, MPI_DOUBLE, right, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= kCells; ++i) cells[i] = (cells[i - 1] + cells[i] + cells[i + 1]) / 3;
    Work(rank == kSlowRank ? kSlowFactor * kStepUs : kStepUs);
  }

  double own = 0;
  double sum = 0;
  for (int i = 1; i <= kCells; ++i) own += cells[i];
  MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum after %d steps: %.6f\n", steps, sum);
  MPI_Finalize();
  return 0;
}
