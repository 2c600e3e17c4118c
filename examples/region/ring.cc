// Three processes pass a token around, and each says how concurrent it was: computed and waited
// time by the region clock that it keeps while it runs. Build it as README.md says.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <syncline/region_clock.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr uint32_t kProcesses = 3;
constexpr int kRounds = 20;
constexpr int kMostBytes = 1024;

int64_t Now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// Half a millisecond, more or less.
void Compute() {
  const int64_t end = Now() + 500'000;
  while (Now() < end) {
  }
}

void Check(bool ok, const char* what) {
  if (ok) return;
  std::perror(what);
  std::exit(1);
}

// The token is nothing but the stamp: a program attaches it to a message of its own.
void Pass(syncline::RegionClock& clock, int socket, uint32_t to) {
  const std::vector<std::byte> stamp = syncline::EncodeStamp(clock.SendChanges(to, Now()));
  Check(write(socket, stamp.data(), stamp.size()) >= 0, "write");
}

void Take(syncline::RegionClock& clock, int socket) {
  clock.Block(Now());
  std::array<std::byte, kMostBytes> bytes;
  const ssize_t size = read(socket, bytes.data(), bytes.size());
  Check(size > 0, "read");
  const auto stamp =
      syncline::DecodeStamp(std::span(bytes).first(static_cast<size_t>(size)), kProcesses);
  if (!stamp || !clock.Deliver(Now(), *stamp)) {
    std::fprintf(stderr, "not a stamp of this computation\n");
    std::exit(1);
  }
}

// The first one sends first, and ends the last round.
int Run(uint32_t own, int from_left, int to_right) {
  syncline::RegionClock clock(own, kProcesses, Now());
  const uint32_t right = (own + 1) % kProcesses;
  for (int round = 0; round < kRounds; ++round) {
    if (own != 0) Take(clock, from_left);
    Compute();
    Pass(clock, to_right, right);
    if (own == 0) Take(clock, from_left);
  }
  clock.End(Now());
  std::printf("process %u: computed %.3f ms, waited %.3f ms, longest causal path %.3f ms\n", own,
              static_cast<double>(clock.computed_ns()[own]) / 1e6,
              static_cast<double>(clock.delayed_ns()[own]) / 1e6,
              static_cast<double>(clock.height_ns()) / 1e6);
  return 0;
}

}  // namespace

int main() {
  // Link i leads from process i to its right neighbour; a message of it stays one message.
  std::array<std::array<int, 2>, kProcesses> links;
  for (auto& link : links)
    Check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, link.data()) == 0, "socketpair");
  for (uint32_t own = 0; own < kProcesses; ++own) {
    const pid_t child = fork();
    Check(child >= 0, "fork");
    if (child != 0) continue;
    const int status = Run(own, links[(own + kProcesses - 1) % kProcesses][1], links[own][0]);
    std::fflush(stdout);
    _exit(status);
  }
  int failed = 0;
  for (uint32_t i = 0; i < kProcesses; ++i) {
    int status = 0;
    wait(&status);
    failed |= status;
  }
  return failed == 0 ? 0 : 1;
}
