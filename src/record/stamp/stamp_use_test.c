/* What stamp.h promises, from C: right use, and every wrong one. Prints what failed. */
#define _DEFAULT_SOURCE
#include "syncline/stamp.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures = 0;

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

static char trace[256];

static int trace_exists(void) { return access(trace, F_OK) == 0; }

static void nothing_works_before_start(void) {
  EXPECT(syncline_stamp_mark(0) == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(syncline_stamp_block() == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(syncline_stamp_stop() == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(syncline_stamp_discard() == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(syncline_stamp_thread("x") == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(syncline_stamp_name("x") == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(syncline_stamp_peer("x", "y") == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(syncline_stamp_answer(0, syncline_stamp_socket(-1)) == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(syncline_stamp_write(trace, SYNCLINE_STAMP_FAIL) == SYNCLINE_STAMP_NOT_STARTED);
  EXPECT(strcmp(syncline_stamp_error(), "there is no recording") == 0);
  EXPECT(syncline_stamp_calibration().hz == 0);
  EXPECT(syncline_stamp_count_events().not_running == 3);
  EXPECT(!trace_exists());
}

static void bad_options_are_refused(void) {
  struct syncline_stamp_options options = syncline_stamp_defaults();
  char long_name[SYNCLINE_STAMP_MAX_NAME + 2];
  memset(long_name, 'x', sizeof long_name);
  long_name[sizeof long_name - 1] = '\0';
  options.clock = long_name;
  EXPECT(syncline_stamp_start(&options) == SYNCLINE_STAMP_BAD_NAME);
  options.clock = "two words";
  EXPECT(syncline_stamp_start(&options) == SYNCLINE_STAMP_BAD_NAME);
  options.clock = NULL;
  options.events_per_thread = 0;
  EXPECT(syncline_stamp_start(&options) == SYNCLINE_STAMP_BAD_OPTION);
  options.events_per_thread = (size_t)1 << 40;
  EXPECT(syncline_stamp_start(&options) == SYNCLINE_STAMP_BAD_OPTION);
  options = syncline_stamp_defaults();
  options.when_full = 7;
  EXPECT(syncline_stamp_start(&options) == SYNCLINE_STAMP_BAD_OPTION);
  options = syncline_stamp_defaults();
  options.max_wait_ns = -1;
  EXPECT(syncline_stamp_start(&options) == SYNCLINE_STAMP_BAD_OPTION);
  EXPECT(syncline_stamp_mark(0) == SYNCLINE_STAMP_NOT_STARTED);
}

static void* stamp_in_another_thread(void* argument) {
  const int name = *(const int*)argument;
  EXPECT(syncline_stamp_enter(name) == SYNCLINE_STAMP_NOT_REGISTERED);
  EXPECT(syncline_stamp_thread(NULL) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_thread("again") == SYNCLINE_STAMP_NAME_TAKEN);
  EXPECT(syncline_stamp_enter(name) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_leave(name) == SYNCLINE_STAMP_OK);
  return NULL;
}

static void recording_holds_what_was_stamped(void) {
  struct syncline_stamp_options options = syncline_stamp_defaults();
  pthread_t thread;
  int name;
  int peer;
  options.clock = "clock";
  options.process = "main";
  options.events_per_thread = 4;
  options.wanted_bound_ppb = 100000;
  EXPECT(syncline_stamp_start(&options) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_start(NULL) == SYNCLINE_STAMP_ALREADY_STARTED);
  name = syncline_stamp_name("work");
  EXPECT(name >= 0 && syncline_stamp_name("work") == name);
  EXPECT(syncline_stamp_name(NULL) == SYNCLINE_STAMP_BAD_NAME);
  peer = syncline_stamp_peer("far", "far-clock");
  EXPECT(peer >= 0);
  EXPECT(pthread_create(&thread, NULL, stamp_in_another_thread, &name) == 0);
  EXPECT(pthread_join(thread, NULL) == 0);
  EXPECT(syncline_stamp_enter(name) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_send(peer, 1, 8) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_receive(peer, 2, 0) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_leave(name) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_leave(name) == SYNCLINE_STAMP_FULL);
  EXPECT(syncline_stamp_mark(name + 1) == SYNCLINE_STAMP_BAD_NAME);
  EXPECT(syncline_stamp_discard() == SYNCLINE_STAMP_ALREADY_STARTED);
  EXPECT(syncline_stamp_stop() == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_stop() == SYNCLINE_STAMP_STOPPED);
  EXPECT(syncline_stamp_mark(name) == SYNCLINE_STAMP_STOPPED);
}

static void counts_and_calibration_tell_the_truth(void) {
  const struct syncline_stamp_counts counts = syncline_stamp_count_events();
  const struct syncline_stamp_frequency f = syncline_stamp_calibration();
  EXPECT(counts.kept == 4 + 2);
  EXPECT(counts.refused == 1);
  EXPECT(counts.overwritten == 0);
  EXPECT(counts.unregistered == 1);
  EXPECT(counts.bad_handles == 1);
  EXPECT(f.low_hz > 0 && f.low_hz <= f.hz && f.hz <= f.high_hz);
}

static void full_disk_leaves_nothing_under_the_name(void) {
  struct rlimit before;
  struct rlimit small;
  EXPECT(syncline_stamp_write("/dev/full", SYNCLINE_STAMP_REPLACE) == SYNCLINE_STAMP_CANNOT_WRITE);
  EXPECT(strstr(syncline_stamp_error(), "/dev/full") != NULL);
  EXPECT(getrlimit(RLIMIT_FSIZE, &before) == 0);
  small = before;
  small.rlim_cur = 100;
  signal(SIGXFSZ, SIG_IGN);
  EXPECT(setrlimit(RLIMIT_FSIZE, &small) == 0);
  EXPECT(syncline_stamp_write(trace, SYNCLINE_STAMP_FAIL) == SYNCLINE_STAMP_CANNOT_WRITE);
  EXPECT(setrlimit(RLIMIT_FSIZE, &before) == 0);
  EXPECT(!trace_exists());
}

static void existing_file_stays_unless_it_may_be_replaced(void) {
  EXPECT(syncline_stamp_write(NULL, SYNCLINE_STAMP_FAIL) == SYNCLINE_STAMP_BAD_OPTION);
  EXPECT(syncline_stamp_write(trace, 7) == SYNCLINE_STAMP_BAD_OPTION);
  EXPECT(syncline_stamp_write(trace, SYNCLINE_STAMP_FAIL) == SYNCLINE_STAMP_OK);
  EXPECT(trace_exists());
  EXPECT(syncline_stamp_write(trace, SYNCLINE_STAMP_FAIL) == SYNCLINE_STAMP_CANNOT_WRITE);
  EXPECT(syncline_stamp_write(trace, SYNCLINE_STAMP_REPLACE) == SYNCLINE_STAMP_OK);
}

static void another_recording_starts_only_after_discarding(void) {
  EXPECT(syncline_stamp_start(NULL) == SYNCLINE_STAMP_ALREADY_STARTED);
  EXPECT(syncline_stamp_discard() == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_count_events().kept == 0);
  EXPECT(syncline_stamp_start(NULL) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_mark(0) == SYNCLINE_STAMP_BAD_NAME);
  EXPECT(syncline_stamp_mark(syncline_stamp_name("again")) == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_stop() == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_discard() == SYNCLINE_STAMP_OK);
}

/* From here on the kernel kills the process at any system call but exit. */
static int forbid_system_calls(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program;
  program.len = sizeof rules / sizeof rules[0];
  program.filter = rules;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* So no stamp can have fetched memory from the system or waited for a lock either. */
static int stamp_without_system_calls(int name, int peer) {
  uint64_t i;
  int bad = 0;
  if (!forbid_system_calls()) return 2;
  for (i = 0; i < 10000; ++i) {
    bad |= syncline_stamp_enter(name) | syncline_stamp_send(peer, i, 1);
    bad |= syncline_stamp_leave(name) | syncline_stamp_block();
  }
  return bad == 0 ? 0 : 1;
}

static void stamps_make_no_system_calls(void) {
  struct syncline_stamp_options options = syncline_stamp_defaults();
  int name;
  int peer;
  int status = 0;
  pid_t child;
  options.counter = SYNCLINE_STAMP_COUNTER_PROCESSOR;
  options.when_full = SYNCLINE_STAMP_KEEP_NEWEST;
  options.events_per_thread = 1024;
  options.max_wait_ns = 0;
  status = syncline_stamp_start(&options);
  if (status == SYNCLINE_STAMP_NO_COUNTER) return;
  EXPECT(status == SYNCLINE_STAMP_OK);
  name = syncline_stamp_name("work");
  peer = syncline_stamp_peer("far", "far-clock");
  child = fork();
  EXPECT(child >= 0);
  if (child == 0) syscall(SYS_exit, stamp_without_system_calls(name, peer));
  EXPECT(waitpid(child, &status, 0) == child);
  /* 2: the machine does not let a program forbid them. */
  EXPECT(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2));
  EXPECT(syncline_stamp_stop() == SYNCLINE_STAMP_OK);
  EXPECT(syncline_stamp_discard() == SYNCLINE_STAMP_OK);
}

static void every_status_has_words(void) {
  int status;
  for (status = SYNCLINE_STAMP_BAD_PACKET; status <= 0; ++status) {
    EXPECT(strcmp(syncline_stamp_status_text(status), "no such status") != 0);
  }
  EXPECT(strcmp(syncline_stamp_status_text(-1000), "no such status") == 0);
}

int main(void) {
  const char* folder = getenv("TMPDIR");
  snprintf(trace, sizeof trace, "%s/stamp-use-%ld.txt", folder != NULL ? folder : "/tmp",
           (long)getpid());
  nothing_works_before_start();
  bad_options_are_refused();
  recording_holds_what_was_stamped();
  counts_and_calibration_tell_the_truth();
  full_disk_leaves_nothing_under_the_name();
  existing_file_stays_unless_it_may_be_replaced();
  another_recording_starts_only_after_discarding();
  stamps_make_no_system_calls();
  every_status_has_words();
  remove(trace);
  if (failures == 0) puts("all as promised");
  return failures == 0 ? 0 : 1;
}
