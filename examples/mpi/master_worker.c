// A master and its workers, with a planted serial bottleneck: the master prepares every task by
// itself, for 20 ms, while a worker needs only 10 ms for one. More workers do not help.
//
// Work is slept, not computed, so that the picture is the same with fewer processors than
// processes.
//   master_worker [TASKS]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kPrepareUs = 20000, kWorkUs = 10000, kTaskTag = 1, kResultTag = 2, kStopTag = 3 };

static void Work(int us) {
  const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};
  nanosleep(&time, NULL);
}

static long Master(int tasks, int workers) {
  long sum = 0;
  int next = 0;
  int pending = 0;
  for (int worker = 1; worker <= workers && next < tasks; ++worker, ++next, ++pending) {
    Work(kPrepareUs);
    MPI_Send(&next, 1, MPI_INT, worker, kTaskTag, MPI_COMM_WORLD);
  }
  while (pending > 0) {
    long result = 0;
    MPI_Status status;
    MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, kResultTag, MPI_COMM_WORLD, &status);
    sum += result;
    --pending;
    if (next == tasks) continue;
    Work(kPrepareUs);
    MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, kTaskTag, MPI_COMM_WORLD);
    ++next;
    ++pending;
  }
  for (int worker = 1; worker <= workers; ++worker)
    MPI_Send(&next, 1, MPI_INT, worker, kStopTag, MPI_COMM_WORLD);
  return sum;
}

static void Worker(void) {
  for (;;) {
    int task = 0;
    MPI_Status status;
    MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStopTag) return;
    Work(kWorkUs);
    const long result = (long)task * task;
    MPI_Send(&result, 1, MPI_LONG, 0, kResultTag, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int tasks = argc > 1 ? atoi(argv[1]) : 60;
  if (rank == 0) {
    printf("sum of %d squares: %ld\n", tasks, Master(tasks, size - 1));
  } else {
    Worker();
  }
  MPI_Finalize();
  return 0;
}
