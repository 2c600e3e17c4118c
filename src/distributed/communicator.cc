#include "distributed/communicator.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace syncline {
namespace {

constexpr int kTag = 1;
constexpr int kPostTag = 2;
constexpr int kTreeTag = 3;
// Of a size that is told to all: the bytes come through the tree, as those of so many do.
constexpr uint64_t kIsPassedOn = uint64_t{1} << 63;
constexpr uint64_t kFewestPassedOn = 16384;
// What MPI counts in an int.
constexpr uint64_t kMostAtOnce = uint64_t{1} << 30;

// MPI would wait at full speed, while the other process may need the processor: for minutes, or all
// the time where there are more processes than cores. Who sleeps shortly, rather than yields, is
// back soon where other programs run, too.
template <typename IsDone>
void WaitUntil(bool are_cores_shared, const IsDone& is_done) {
  const int tries_at_speed = are_cores_shared ? 10 : 1000;
  constexpr std::chrono::microseconds kLongest(500);
  std::chrono::microseconds pause(0);
  for (int tries = 0; !is_done(); ++tries) {
    if (tries < tries_at_speed) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause + std::chrono::microseconds(10), kLongest);
  }
}

int ProcessesOfThisMachine() {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int processes = 0;
  MPI_Comm_size(machine, &processes);
  MPI_Comm_free(&machine);
  return processes;
}

// Processes of one machine need no networks, and to look for these takes Open MPI a quarter of
// a second. What was asked for otherwise stays.
void LookForNoNetworkOnOneMachine() {
  const char* here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const char* all = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (here == nullptr || all == nullptr || std::strcmp(here, all) != 0) return;
  ::setenv("OMPI_MCA_pml", "ob1", 0);
  ::setenv("OMPI_MCA_btl", "self,vader", 0);
}

// The end of what a process tells mpirun comes in pieces, of which TCP would hold back each until
// the one before is acknowledged: 40 ms.
void SendPiecesAtOnce() {
  constexpr int kMostSockets = 64;
  for (int descriptor = STDERR_FILENO + 1; descriptor < kMostSockets; ++descriptor) {
    const int is_wanted = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &is_wanted, sizeof is_wanted);
  }
}

}  // namespace

// What was posted, and whether all processes wait for more. That is found in waves: each process,
// once it has waited for a while, adds how many posts it has sent and received so far. When two
// waves in a row find the same sums, as many received as sent, nothing is on the way, and nobody
// has done anything between the two (F. Mattern, Algorithms for distributed termination detection,
// 1987: the four-counter method).
struct Communicator::Posts {
  struct Sent {
    MPI_Request request;
    Bytes bytes;
  };
  struct Sums {
    uint64_t sent = 0;
    uint64_t received = 0;
    friend bool operator==(const Sums&, const Sums&) = default;
  };

  // Those that have gone need no memory any more.
  void ForgetGone() {
    for (int is_gone = 1; !on_the_way.empty(); on_the_way.pop_front()) {
      MPI_Test(&on_the_way.front().request, &is_gone, MPI_STATUS_IGNORE);
      if (is_gone == 0) return;
    }
  }
  std::vector<Arrival> Arrived() {
    std::vector<Arrival> arrivals;
    for (;;) {
      int is_here = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, kPostTag, MPI_COMM_WORLD, &is_here, &status);
      if (is_here == 0) break;
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      Arrival& arrival = arrivals.emplace_back();
      arrival.from = static_cast<size_t>(status.MPI_SOURCE);
      arrival.bytes.resize(static_cast<size_t>(size));
      MPI_Recv(arrival.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, kPostTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    counts.received += arrivals.size();
    return arrivals;
  }
  void BeginWave() {
    own = counts;
    is_wave = true;
    MPI_Iallreduce(&own, &all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &wave);
  }
  // Whether a wave has ended that shows that nobody has anything to do.
  bool IsAllQuiet() {
    if (!is_wave) return false;
    int is_done = 0;
    MPI_Test(&wave, &is_done, MPI_STATUS_IGNORE);
    if (is_done == 0) return false;
    is_wave = false;
    const bool is_quiet = all.sent == all.received && before == all;
    before = is_quiet ? std::nullopt : std::optional(all);
    return is_quiet;
  }

  std::deque<Sent> on_the_way;
  Sums counts;
  bool is_wave = false;
  MPI_Request wave = MPI_REQUEST_NULL;
  Sums own, all;               // of the wave
  std::optional<Sums> before;  // of the one before
};

Communicator::Communicator(int& argc, char**& argv) {
  LookForNoNetworkOnOneMachine();
  int provided = 0;
  // MPI's own threads take no signals: this program's do (base/temporaries.h).
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  SendPiecesAtOnce();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  posts_ = std::make_unique<Posts>();
  are_cores_shared_ =
      static_cast<unsigned>(ProcessesOfThisMachine()) > std::thread::hardware_concurrency();
}

Communicator::~Communicator() { MPI_Finalize(); }

size_t Communicator::Cores() const {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int processes = 0;
  MPI_Comm_size(machine, &processes);
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  cpu_set_t all = own;
  MPI_Allreduce(MPI_IN_PLACE, &all, sizeof all, MPI_BYTE, MPI_BOR, machine);
  MPI_Comm_free(&machine);
  const int part = CPU_COUNT(&all) / processes;
  return static_cast<size_t>(std::max(1, std::min(CPU_COUNT(&own), part)));
}

std::string Communicator::Name() const {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> host = {};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  return fmt::format("process {} of {} on {}", rank_, size_, host.data());
}

void Communicator::Send(int to, const Parcel& parcel) {
  const uint64_t size = parcel.bytes().size();
  MPI_Send(&size, 1, MPI_UINT64_T, to, kTag, MPI_COMM_WORLD);
  SendBytes(parcel.bytes(), to, kTag);
}

// Sizes come from the first process itself, so that nothing overtakes what it sent before.
void Communicator::SendToAll(const Parcel& parcel) {
  const uint64_t size = parcel.bytes().size();
  if (size < kFewestPassedOn) {
    for (int to = 1; to < size_; ++to) Send(to, parcel);
    return;
  }
  const uint64_t head = size | kIsPassedOn;
  for (int to = 1; to < size_; ++to) MPI_Send(&head, 1, MPI_UINT64_T, to, kTag, MPI_COMM_WORLD);
  sent_.messages += static_cast<uint64_t>(size_ - 1);
  PassOn(parcel.bytes());
}

ParcelReader Communicator::Receive(int from) {
  WaitFor(from, kTag);
  uint64_t size = 0;
  MPI_Recv(&size, 1, MPI_UINT64_T, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if ((size & kIsPassedOn) == 0) return ParcelReader(ReceiveBytes(size, from, kTag));
  const int above = rank_ ^ static_cast<int>(std::bit_floor(static_cast<unsigned>(rank_)));
  WaitFor(above, kTreeTag);
  std::vector<std::byte> bytes = ReceiveBytes(size ^ kIsPassedOn, above, kTreeTag);
  PassOn(bytes);
  return ParcelReader(std::move(bytes));
}

// To those below: whose numbers differ from its own by one higher bit.
void Communicator::PassOn(std::span<const std::byte> bytes) {
  for (int bit = static_cast<int>(std::bit_ceil(static_cast<unsigned>(rank_) + 1));
       rank_ + bit < size_; bit *= 2) {
    SendBytes(bytes, rank_ + bit, kTreeTag);
  }
}

template <typename Request>
void Communicator::Wait(Request& request) const {
  WaitUntil(are_cores_shared_, [&] {
    int is_done = 0;
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    return is_done != 0;
  });
}

void Communicator::SendBytes(std::span<const std::byte> bytes, int to, int tag) {
  for (uint64_t at = 0; at < bytes.size(); at += kMostAtOnce) {
    const auto some = bytes.subspan(at, std::min<uint64_t>(kMostAtOnce, bytes.size() - at));
    // MPI_Send would wait at full speed where the other process is not ready for it.
    MPI_Request request;
    MPI_Isend(some.data(), static_cast<int>(some.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD,
              &request);
    Wait(request);
  }
  ++sent_.messages;
  sent_.bytes += bytes.size();
}

std::vector<std::byte> Communicator::ReceiveBytes(uint64_t size, int from, int tag) const {
  std::vector<std::byte> bytes(size);
  for (uint64_t at = 0; at < size; at += kMostAtOnce) {
    MPI_Recv(bytes.data() + at, static_cast<int>(std::min(kMostAtOnce, size - at)), MPI_BYTE, from,
             tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return bytes;
}

void Communicator::WaitFor(int from, int tag) const {
  WaitUntil(are_cores_shared_, [&] {
    int is_here = 0;
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &is_here, MPI_STATUS_IGNORE);
    return is_here != 0;
  });
}

// Sizes and flags travel first, in one number. What an int cannot count travels in parts.
std::vector<ReplayTeam::Bytes> Communicator::Exchange(const std::vector<Bytes>& to_each,
                                                      uint32_t& flags) {
  constexpr int kSizeBits = 40;
  constexpr uint64_t kIsLarge = uint64_t{1} << 63;
  const uint64_t most = kMostAtOnce / to_each.size();
  SYNCLINE_CHECK(flags < uint32_t{1} << (63 - kSizeBits));
  uint64_t flags_here = uint64_t{flags} << kSizeBits;
  for (size_t to = 0; to < to_each.size(); ++to) {
    const uint64_t size = to_each[to].size();
    SYNCLINE_CHECK(size < uint64_t{1} << kSizeBits);
    if (size > most) flags_here |= kIsLarge;
    if (size == 0 || static_cast<int>(to) == rank_) continue;
    ++sent_.messages;
    sent_.bytes += size;
  }
  std::vector<uint64_t> heads(to_each.size());
  std::vector<uint64_t> heads_of_others(to_each.size());
  for (size_t to = 0; to < to_each.size(); ++to) heads[to] = flags_here | to_each[to].size();
  MPI_Request request;
  MPI_Ialltoall(heads.data(), 1, MPI_UINT64_T, heads_of_others.data(), 1, MPI_UINT64_T,
                MPI_COMM_WORLD, &request);
  Wait(request);
  uint64_t all_flags = 0;
  std::vector<Bytes> received(to_each.size());
  for (size_t from = 0; from < received.size(); ++from) {
    const uint64_t size = heads_of_others[from] & ((uint64_t{1} << kSizeBits) - 1);
    all_flags |= heads_of_others[from] - size;
    received[from].resize(size);
  }
  flags = static_cast<uint32_t>((all_flags & ~kIsLarge) >> kSizeBits);
  uint64_t rounds = 1;
  if ((all_flags & kIsLarge) != 0) {
    for (const Bytes& to : to_each) rounds = std::max(rounds, (to.size() + most - 1) / most);
    MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  }
  for (uint64_t round = 0; round < rounds; ++round) {
    ExchangePart(to_each, round * most, (round + 1) * most, received);
  }
  return received;
}

void Communicator::Post(size_t to, Bytes bytes) {
  SYNCLINE_CHECK(bytes.size() <= kMostAtOnce);
  posts_->ForgetGone();
  Posts::Sent& sent = posts_->on_the_way.emplace_back();
  sent.bytes = std::move(bytes);
  ++posts_->counts.sent;
  ++sent_.messages;
  ++sent_.posts;
  sent_.bytes += sent.bytes.size();
  MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, static_cast<int>(to),
            kPostTag, MPI_COMM_WORLD, &sent.request);
}

std::vector<ReplayTeam::Arrival> Communicator::Receive(bool is_done) {
  // Others mostly answer sooner than that.
  constexpr auto kWhile = std::chrono::microseconds(300);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Arrival> arrivals;
  WaitUntil(are_cores_shared_, [&] {
    arrivals = posts_->Arrived();
    if (!arrivals.empty()) return true;
    posts_->ForgetGone();
    if (posts_->IsAllQuiet()) return true;
    const bool has_waited = is_done || std::chrono::steady_clock::now() - begin > kWhile;
    if (!posts_->is_wave && has_waited) posts_->BeginWave();
    return false;
  });
  return arrivals;
}

// What lies between these places in each.
void Communicator::ExchangePart(const std::vector<Bytes>& to_each, uint64_t begin, uint64_t end,
                                std::vector<Bytes>& received) {
  struct Parts {
    std::vector<int> sizes;
    std::vector<int> places;
    uint64_t all = 0;
    void Add(uint64_t size) {
      places.push_back(static_cast<int>(all));
      sizes.push_back(static_cast<int>(size));
      all += size;
    }
  };
  const auto part_of = [&](const Bytes& bytes) {
    const uint64_t from = std::min<uint64_t>(begin, bytes.size());
    return std::pair(from, std::min<uint64_t>(end, bytes.size()) - from);
  };
  Parts sends;
  Parts receives;
  Bytes sent;
  for (const Bytes& bytes : to_each) {
    const auto [from, size] = part_of(bytes);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(from);
    sent.insert(sent.end(), first, first + static_cast<std::ptrdiff_t>(size));
    sends.Add(size);
  }
  for (const Bytes& bytes : received) receives.Add(part_of(bytes).second);
  Bytes taken(receives.all);
  MPI_Request request;
  MPI_Ialltoallv(sent.data(), sends.sizes.data(), sends.places.data(), MPI_BYTE, taken.data(),
                 receives.sizes.data(), receives.places.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
  Wait(request);
  for (size_t from = 0; from < received.size(); ++from) {
    const auto [place, size] = part_of(received[from]);
    const auto first = taken.begin() + receives.places[from];
    std::copy_n(first, size, received[from].begin() + static_cast<std::ptrdiff_t>(place));
  }
}

void Communicator::Abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace syncline
