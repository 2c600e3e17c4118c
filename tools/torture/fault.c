/* Preloaded into the program: the n-th call of a system function fails, or ends the process.

   TORTURE_FAULT=NAME:N:WHAT, WHAT a number of errno or "kill". Calls count in all threads of a process; a
   child counts on from where its parent was. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char* name) {
  static int calls = 0;
  const char* plan = getenv("TORTURE_FAULT");
  const size_t length = strlen(name);
  if (plan == NULL || strncmp(plan, name, length) != 0 || plan[length] != ':') return 0;
  char* what = NULL;
  const long at = strtol(plan + length + 1, &what, 10);
  if (__atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) != at) return 0;
  if (strcmp(what, ":kill") == 0) kill(getpid(), SIGKILL);
  errno = atoi(what + 1);
  return 1;
}

#define FAULTY(result, name, parameters, arguments)                       \
  result name parameters {                                                \
    if (fails(#name)) return (result)-1;                                  \
    result(*real) parameters = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
    return real arguments;                                                \
  }

FAULTY(int, rename, (const char* from, const char* to), (from, to))
FAULTY(int, renameat2, (int from_folder, const char* from, int to_folder, const char* to, unsigned flags),
       (from_folder, from, to_folder, to, flags))
FAULTY(int, link, (const char* from, const char* to), (from, to))
FAULTY(int, unlink, (const char* path), (path))
FAULTY(int, mkdir, (const char* path, mode_t mode), (path, mode))
FAULTY(int, fsync, (int fd), (fd))
FAULTY(int, close, (int fd), (fd))
FAULTY(ssize_t, write, (int fd, const void* bytes, size_t n), (fd, bytes, n))
FAULTY(ssize_t, read, (int fd, void* bytes, size_t n), (fd, bytes, n))
FAULTY(ssize_t, pread, (int fd, void* bytes, size_t n, off_t at), (fd, bytes, n, at))
