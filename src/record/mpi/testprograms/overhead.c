// What recording adds to a call, beside a bare wrapper that only reads the clock before and after
// and keeps both times. Run with libsyncline_mpi.so preloaded, one process:
//   mpi_overhead
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { kRounds = 40, kCalls = 5000, kEventsOfBarrier = 4, kEventsOfPair = 6 };

typedef void (*Loop)(void);

static struct timespec kept[4 * kCalls];
static int value;

static void PlainBarrier(void) {
  for (int i = 0; i < kCalls; ++i) PMPI_Barrier(MPI_COMM_SELF);
}
static void BareBarrier(void) {
  for (int i = 0; i < kCalls; ++i) {
    clock_gettime(CLOCK_MONOTONIC, &kept[2 * i]);
    PMPI_Barrier(MPI_COMM_SELF);
    clock_gettime(CLOCK_MONOTONIC, &kept[2 * i + 1]);
  }
}
static void RecordedBarrier(void) {
  for (int i = 0; i < kCalls; ++i) MPI_Barrier(MPI_COMM_SELF);
}
static void PlainPair(void) {
  for (int i = 0; i < kCalls; ++i) {
    PMPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    PMPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
}
static void BarePair(void) {
  for (int i = 0; i < kCalls; ++i) {
    clock_gettime(CLOCK_MONOTONIC, &kept[4 * i]);
    PMPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    clock_gettime(CLOCK_MONOTONIC, &kept[4 * i + 1]);
    clock_gettime(CLOCK_MONOTONIC, &kept[4 * i + 2]);
    PMPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    clock_gettime(CLOCK_MONOTONIC, &kept[4 * i + 3]);
  }
}
static void RecordedPair(void) {
  for (int i = 0; i < kCalls; ++i) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
}

static double NsOf(Loop loop) {
  struct timespec begin;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC_RAW, &begin);
  loop();
  clock_gettime(CLOCK_MONOTONIC_RAW, &end);
  return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
         kCalls;
}

static void Compare(const char* name, int events, Loop plain, Loop bare, Loop recorded) {
  const Loop loops[3] = {plain, bare, recorded};
  double least[3] = {1e12, 1e12, 1e12};
  // In turn, so that all see the same machine.
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 3; ++i) {
      const double ns = NsOf(loops[i]);
      if (ns < least[i]) least[i] = ns;
    }
  }
  printf("%-14s %6.0f ns plain, +%.0f ns bare wrapper, +%.0f ns recorded: %.0f ns per event\n",
         name, least[0], least[1] - least[0], least[2] - least[0], (least[2] - least[0]) / events);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Compare("MPI_Barrier", kEventsOfBarrier, PlainBarrier, BareBarrier, RecordedBarrier);
  Compare("MPI_Send+Recv", kEventsOfPair, PlainPair, BarePair, RecordedPair);
  MPI_Finalize();
  return 0;
}
