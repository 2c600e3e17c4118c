/* Two processes that stamp what they do: one asks, the other works and answers.
 *
 *     stamp_ping DIR        writes DIR/asker.txt and DIR/answerer.txt
 *
 * Each has a clock of its own, as if they ran on two machines. A burst of exchanges before and
 * after the work lets `syncline sync` bound the offset and drift between them. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syncline/stamp.h>

enum { REQUESTS = 200, BURST = 100 };

static int fail(const char* what) {
  fprintf(stderr, "stamp_ping: %s: %s\n", what, syncline_stamp_error());
  return 1;
}

static int start(const char* name) {
  struct syncline_stamp_options options = syncline_stamp_defaults();
  options.clock = name;
  options.process = name;
  return syncline_stamp_start(&options);
}

static int finish(const char* folder, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.txt", folder, name);
  if (syncline_stamp_stop() != 0) return fail("stop");
  if (syncline_stamp_write(path, SYNCLINE_STAMP_REPLACE) != 0) return fail("write");
  return 0;
}

static void work(int steps) {
  volatile double x = 1;
  int i;
  for (i = 0; i < steps; ++i) x = x * 1.0000001;
}

static int ask(const char* folder, int connection) {
  const struct syncline_stamp_channel channel = syncline_stamp_socket(connection);
  struct syncline_stamp_burst before;
  struct syncline_stamp_burst after;
  int answerer;
  int waiting;
  int i;
  if (start("asker") != 0) return fail("start");
  answerer = syncline_stamp_peer("answerer", "answerer");
  waiting = syncline_stamp_name("waiting");
  before = syncline_stamp_ask(answerer, channel, BURST);
  if (before.status != 0) return fail("first burst");
  for (i = 0; i < REQUESTS; ++i) {
    syncline_stamp_send(answerer, (uint64_t)i, sizeof i);
    if (channel.send(channel.context, &i, sizeof i) != 0) return 1;
    syncline_stamp_enter(waiting);
    syncline_stamp_block();
    if (channel.receive(channel.context, &i, sizeof i) != 0) return 1;
    syncline_stamp_receive(answerer, (uint64_t)i, sizeof i);
    syncline_stamp_leave(waiting);
    work(10000);
  }
  after = syncline_stamp_ask(answerer, channel, BURST);
  if (after.status != 0) return fail("last burst");
  printf("offset of the system clocks: %lld ns +- %lld ns before, %lld ns +- %lld ns after\n",
         (long long)before.offset_ns, (long long)before.bound_ns, (long long)after.offset_ns,
         (long long)after.bound_ns);
  return finish(folder, "asker");
}

static int answer(const char* folder, int connection) {
  const struct syncline_stamp_channel channel = syncline_stamp_socket(connection);
  int asker;
  int working;
  int i;
  if (start("answerer") != 0) return fail("start");
  asker = syncline_stamp_peer("asker", "asker");
  working = syncline_stamp_name("working");
  if (syncline_stamp_answer(asker, channel) != 0) return fail("first burst");
  do {
    syncline_stamp_block();
    if (channel.receive(channel.context, &i, sizeof i) != 0) return 1;
    syncline_stamp_receive(asker, (uint64_t)i, sizeof i);
    syncline_stamp_enter(working);
    work(50000);
    syncline_stamp_leave(working);
    syncline_stamp_send(asker, (uint64_t)i, sizeof i);
    if (channel.send(channel.context, &i, sizeof i) != 0) return 1;
  } while (i < REQUESTS - 1);
  if (syncline_stamp_answer(asker, channel) != 0) return fail("last burst");
  return finish(folder, "answerer");
}

int main(int argc, char** argv) {
  int sockets[2];
  int status = 1;
  pid_t child;
  if (argc != 2) {
    fprintf(stderr, "usage: stamp_ping DIR\n");
    return 1;
  }
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    close(sockets[0]);
    return answer(argv[1], sockets[1]);
  }
  close(sockets[1]);
  status = ask(argv[1], sockets[0]);
  close(sockets[0]);
  if (waitpid(child, &child, 0) < 0 || child != 0) return 1;
  return status;
}
