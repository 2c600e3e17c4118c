// Uses of MPI that are rare, and easy to record wrongly. With 2 processes.   edge_cases CASE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

// Communicators made of two others in opposite orders, and one message in each.
static void Orders(void) {
  MPI_Comm parents[2];
  MPI_Comm made[2];
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  for (int turn = 0; turn < 2; ++turn) {
    const int i = rank == 0 ? turn : 1 - turn;
    MPI_Comm_idup(parents[i], &made[i], &requests[turn]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2; ++i) {
    int two[2] = {0};
    if (rank == 0) MPI_Send(two, 1 + i, MPI_INT, 1, 7, made[i]);
    if (rank == 1) MPI_Recv(two, 2, MPI_INT, 0, 7, made[i], MPI_STATUS_IGNORE);
  }
}

enum { kRounds = 40, kThreads = 2 };
static MPI_Comm own[kThreads];

// kRounds messages to the other rank, every second one large, by each thread.
static void* Exchange(void* communicator) {
  enum { kLarge = 100000 };
  char out[kLarge] = "";
  char in[kLarge];
  MPI_Request requests[2];
  for (int i = 0; i < kRounds; ++i) {
    const int bytes = i % 2 == 0 ? 4 : kLarge;
    MPI_Irecv(in, bytes, MPI_CHAR, 1 - rank, 0, *(MPI_Comm*)communicator, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, 1 - rank, 0, *(MPI_Comm*)communicator, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

static void TwoThreads(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, Exchange, &own[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

// Two that are too long, one each by Recv and Wait, and one that fits.
static void TooLong(void) {
  int four[4] = {0};
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) MPI_Send(four, i < 2 ? 4 : 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(four, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(four, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(four, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Two sends, one of them freed, the other waited for; and a child that ends by itself.
static void FreeAndFork(void) {
  int word = 0;
  MPI_Request requests[2];
  if (rank == 0) {
    for (int i = 0; i < 2; ++i) MPI_Isend(&word, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Request_free(&requests[0]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    const pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
  } else {
    for (int i = 0; i < 2; ++i)
      MPI_Recv(&word, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* name = argv[argc - 1];
  if (strcmp(name, "many-threads") == 0) ManyThreads();
  if (strcmp(name, "no-descriptors") == 0) NoDescriptors();
  if (strcmp(name, "orders") == 0) Orders();
  if (strcmp(name, "two-threads") == 0) TwoThreads();
  if (strcmp(name, "too-long") == 0) TooLong();
  if (strcmp(name, "free-and-fork") == 0) FreeAndFork();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
