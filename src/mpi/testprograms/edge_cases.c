// Uses of MPI that are rare, and easy to record wrongly. With 2 processes.   edge_cases CASE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void* TalkToSelf(void* unused) {
  int in = 0;
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return unused;
}

static void* WaitForAll(void* unused) {
  MPI_Barrier(MPI_COMM_WORLD);
  return unused;
}

static void RunThread(void* (*function)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  pthread_join(thread, NULL);
}

// 40 threads, one after the other; then a file of the program's own, with few descriptors left.
static void ManyThreads(void) {
  for (int i = 0; i < 40; ++i) RunThread(TalkToSelf);
  int descriptors = 0;
  while (descriptors < 1024 && open("/dev/null", O_RDONLY) >= 0) ++descriptors;
  printf("%d descriptors\n", descriptors);
  for (int i = 3; i < 1024; ++i) {
    char name[64];
    char path[64] = "";
    snprintf(name, sizeof(name), "/proc/self/fd/%d", i);
    if (readlink(name, path, sizeof(path) - 1) > 0 && strcmp(path, "/dev/null") == 0) close(i);
  }
}

// A thread of rank 1 finds no descriptor left.
static void NoDescriptors(void) {
  while (rank == 1 && open("/dev/null", O_RDONLY) >= 0) {
  }
  RunThread(WaitForAll);
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* name = argv[argc - 1];
  if (strcmp(name, "many-threads") == 0) ManyThreads();
  if (strcmp(name, "no-descriptors") == 0) NoDescriptors();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
