// The communicators of a process: by their handles, numbered in the order in which they appear.
//
// Every creation must be told, by all members alike, or keys would differ (definitions.h).
// Not for two threads at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <mpi.h>

#include "mpi/definitions.h"

namespace syncline::mpi {

struct CommunicatorInfo {
  static constexpr uint32_t kUnknown = UINT32_MAX;
  uint32_t number = kUnknown;
  int rank = 0;
  int size = 0;
  bool is_inter = false;
  bool is_of_world = false;  // all members are in MPI_COMM_WORLD
  bool is_known() const { return number != kUnknown; }
};

class Communicators {
 public:
  // MPI_COMM_WORLD is added first.
  CommunicatorDefinition Add(MPI_Comm handle, const char* name);
  CommunicatorDefinition AddLike(MPI_Comm handle, MPI_Comm model);
  void Forget(MPI_Comm handle);
  CommunicatorInfo Find(MPI_Comm handle) const;
  // Changes when a handle may mean something else.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  struct Known {
    CommunicatorInfo info;
    std::vector<uint32_t> members;
    std::vector<uint32_t> remote;
  };
  std::vector<uint32_t> WorldRanks(MPI_Group group) const;
  CommunicatorDefinition Define(MPI_Comm handle, Known known, const char* name);

  std::unordered_map<uintptr_t, Known> known_;
  CommunicatorKeys keys_;
  uint32_t own_world_rank_ = 0;
  uint32_t world_size_ = 0;
  uint32_t next_ = 0;
  std::atomic<uint64_t> generation_ = 0;
};

}  // namespace syncline::mpi
