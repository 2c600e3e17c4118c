// Two processes that send each other datagrams over the loopback device, traced by LTTng-UST.
//
//   peer a          answers requests; prints the port it waits on
//   peer b PORT N   sends N requests, one every few milliseconds, and waits for each answer
//
// Both end by themselves: b after N answers, a when b says so, either after 5 s of silence.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "msg_events.h"

namespace {

constexpr uint8_t kA = 1;
constexpr uint8_t kB = 2;
constexpr uint64_t kLast = 0;  // the id that ends a
constexpr useconds_t kPause = 3000;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// A socket that gives up after 5 s.
int OpenSocket() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  const timeval limit{5, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return fd;
}

bool Send(int fd, uint64_t id, const sockaddr_in& to) {
  return ::sendto(fd, &id, sizeof id, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) ==
         sizeof id;
}

int RunA() {
  const int fd = OpenSocket();
  sockaddr_in own = Loopback(0);
  socklen_t size = sizeof own;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0) return 1;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size);
  std::printf("%d\n", ntohs(own.sin_port));
  std::fflush(stdout);
  for (;;) {
    uint64_t id = 0;
    sockaddr_in from{};
    socklen_t from_size = sizeof from;
    if (::recvfrom(fd, &id, sizeof id, 0, reinterpret_cast<sockaddr*>(&from), &from_size) !=
        sizeof id) {
      return 1;
    }
    if (id == kLast) return 0;
    lttng_ust_tracepoint(msg, recv, id, kB, kA);
    lttng_ust_tracepoint(msg, send, id, kA, kB);
    if (!Send(fd, id, from)) return 1;
  }
}

int RunB(uint16_t port, uint64_t requests) {
  const int fd = OpenSocket();
  const sockaddr_in peer = Loopback(port);
  for (uint64_t id = 1; id <= requests; ++id) {
    lttng_ust_tracepoint(msg, send, id, kB, kA);
    uint64_t answer = 0;
    if (!Send(fd, id, peer) || ::recv(fd, &answer, sizeof answer, 0) != sizeof answer) return 1;
    lttng_ust_tracepoint(msg, recv, answer, kA, kB);
    ::usleep(kPause);
  }
  return Send(fd, kLast, peer) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view role = argc > 1 ? argv[1] : "";
  if (role == "a" && argc == 2) return RunA();
  if (role == "b" && argc == 4) {
    return RunB(static_cast<uint16_t>(std::atoi(argv[2])), std::strtoull(argv[3], nullptr, 10));
  }
  std::fprintf(stderr, "usage: peer a | peer b PORT REQUESTS\n");
  return 1;
}
