#include "distributed/communicator.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

namespace syncline {
namespace {

constexpr int kTag = 1;
// What MPI counts in an int.
constexpr uint64_t kMostAtOnce = uint64_t{1} << 30;

// MPI would wait at full speed, while the other process may need the processor for minutes.
void WaitForMessage(int from) {
  constexpr std::chrono::microseconds kLongest(500);
  std::chrono::microseconds pause(0);
  for (int tries = 0;; ++tries) {
    int is_here = 0;
    MPI_Iprobe(from, kTag, MPI_COMM_WORLD, &is_here, MPI_STATUS_IGNORE);
    if (is_here != 0) return;
    if (tries < 1000) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause + std::chrono::microseconds(10), kLongest);
  }
}

}  // namespace

Communicator::Communicator(int& argc, char**& argv) {
  int provided = 0;
  // MPI's own threads take no signals: this program's do (base/temporaries.h).
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
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
  const std::span<const std::byte> bytes = parcel.bytes();
  const uint64_t size = bytes.size();
  MPI_Send(&size, 1, MPI_UINT64_T, to, kTag, MPI_COMM_WORLD);
  for (uint64_t at = 0; at < size; at += kMostAtOnce) {
    MPI_Send(bytes.data() + at, static_cast<int>(std::min(kMostAtOnce, size - at)), MPI_BYTE, to,
             kTag, MPI_COMM_WORLD);
  }
  ++sent_.messages;
  sent_.bytes += size;
}

ParcelReader Communicator::Receive(int from) {
  WaitForMessage(from);
  uint64_t size = 0;
  MPI_Recv(&size, 1, MPI_UINT64_T, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::vector<std::byte> bytes(size);
  for (uint64_t at = 0; at < size; at += kMostAtOnce) {
    MPI_Recv(bytes.data() + at, static_cast<int>(std::min(kMostAtOnce, size - at)), MPI_BYTE, from,
             kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return ParcelReader(std::move(bytes));
}

std::vector<TransferEnd> Communicator::Exchange(std::span<const std::vector<TransferEnd>> to_each) {
  const auto places = [&](const std::vector<int>& counts) {
    std::vector<int> first(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), first.begin(), 0);
    return first;
  };
  std::vector<int> sends, receives(to_each.size());
  std::vector<TransferEnd> all;
  for (size_t to = 0; to < to_each.size(); ++to) {
    sends.push_back(static_cast<int>(to_each[to].size()));
    all.insert(all.end(), to_each[to].begin(), to_each[to].end());
    if (to_each[to].empty() || static_cast<int>(to) == rank_) continue;
    ++sent_.messages;
    sent_.bytes += to_each[to].size() * sizeof(TransferEnd);
  }
  MPI_Alltoall(sends.data(), 1, MPI_INT, receives.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const std::vector<int> first_send = places(sends);
  const std::vector<int> first_receive = places(receives);
  std::vector<TransferEnd> received(
      static_cast<size_t>(std::accumulate(receives.begin(), receives.end(), 0)));
  MPI_Datatype type;
  MPI_Type_contiguous(sizeof(TransferEnd), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Alltoallv(all.data(), sends.data(), first_send.data(), type, received.data(), receives.data(),
                first_receive.data(), type, MPI_COMM_WORLD);
  MPI_Type_free(&type);
  return received;
}

bool Communicator::Any(bool here) {
  int any = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return any != 0;
}

void Communicator::Abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace syncline
