// What the members of a collective learn of each other's region clocks, by another one after it.
//
// It is of the same kind and on the same communicator, so it waits for nobody whom the program's
// own may not wait for. Who learns of whom: as `syncline concurrency` says (collective_pasts.h).
// Requires: all members call it, in the order of the program's collectives. Tested by:
// recording_test.cc.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <mpi.h>

#include "record/mpi/call_list.h"
#include "record/mpi/communicators.h"
#include "record/mpi/regions.h"

namespace syncline::mpi {

// How many bytes a member moves.
struct CollectiveBytes {
  uint64_t sent = 0;
  uint64_t received = 0;
};

struct SharedCall {
  Call call = Call::kBarrier;
  MPI_Comm communicator = MPI_COMM_NULL;
  CommunicatorInfo info;
  int root = -1;
  CollectiveBytes bytes;  // members that move none take no part in the kinds with V or W
};

class SharedStamps {
 public:
  explicit SharedStamps(Regions& regions) : regions_(&regions) {}

  // Blocking: what is learned counts at `time`. Takes the slot.
  void Share(const SharedCall& call, uint32_t given, uint64_t time);
  // Posts it; returns its number, 0 where it teaches nothing. Takes the slot.
  uint32_t Post(const SharedCall& call, uint32_t given);
  // The program's own is complete.
  void Complete(uint32_t number, uint64_t time);
  // Of those that are posted and teach nothing here, all are complete.
  void Finish();

 private:
  struct Posted {
    uint32_t given = 0;
    uint32_t learned = 0;
    bool learns = false;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  Posted Prepare(const SharedCall& call, uint32_t given);
  void GiveBack(const Posted& posted);
  bool IsOver(Posted& posted);

  Regions* regions_;
  uint32_t next_ = 1;
  std::unordered_map<uint32_t, Posted> posted_;
  std::vector<Posted> left_;  // the program's own are complete, these may not be
};

}  // namespace syncline::mpi
