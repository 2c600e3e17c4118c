// The communicators of a process: by their handles, numbered in the order in which they appear.
//
// Every creation must be told, by all members alike, or keys would differ (definitions.h). Those
// with members outside MPI_COMM_WORLD, and what is made of them, stay unknown. Not for two threads
// at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <mpi.h>

#include "record/mpi/definitions.h"

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
  CommunicatorDefinition Add(MPI_Comm handle, const char* name,
                             uint64_t origin = CommunicatorKeys::kNoOrigin);
  // One that cannot be asked yet for its members: they are those of `parent`.
  CommunicatorDefinition AddLike(MPI_Comm handle, MPI_Comm parent);
  // Counts one more that all members of `parent` make. Nothing where that is unknown.
  std::optional<uint64_t> NextOrigin(MPI_Comm parent);
  std::optional<uint64_t> OriginOfGroupIn(MPI_Comm parent, int tag) const;
  void Forget(MPI_Comm handle);
  CommunicatorInfo Find(MPI_Comm handle) const;
  // Changes when a handle may mean something else.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  struct Known {
    CommunicatorInfo info;
    std::vector<uint32_t> members;
    std::vector<uint32_t> remote;
    uint64_t origin = CommunicatorKeys::kNoOrigin;
    uint64_t key = 0;
    uint64_t children = 0;  // made of it by all members
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
