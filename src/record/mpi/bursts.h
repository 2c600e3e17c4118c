// A burst of exchanges of all processes, on a communicator of their own: sends and receives that
// are recorded like the program's, and an offset to rank 0's clock from the fastest of them.
//
// Method: Cristian's exchange: sent at t1, received at t2, answered at t3, the answer received at
// t4; offset ((t2 − t1) + (t3 − t4)) / 2, wrong by at most half of (t4 − t1) − (t3 − t2). The
// recorded messages say more: sync finds guaranteed bounds from all bursts together.
// Shapes: kRoot, rank 0 with one after the other, n − 1 turns. kTree, a binomial tree, log2 n turns
// at the same time in many places; offsets and their errors add up along the tree. kBroadcast,
// rank 0 sends to all, then takes the answers of all: as many rounds as exchanges, whatever n.
// MPI cannot transmit once to all, so receive times of a round are not compared with one another.
#pragma once

#include <cstdint>
#include <optional>

#include <mpi.h>

#include "record/mpi/definitions.h"
#include "record/mpi/options.h"
#include "record/mpi/recorder.h"

namespace syncline::mpi {

class Bursts {
 public:
  // `communicator`: of all processes, used by nothing else; `number`: as recorded.
  Bursts(MPI_Comm communicator, uint32_t number) : communicator_(communicator), number_(number) {
    PMPI_Comm_rank(communicator, &rank_);
    PMPI_Comm_size(communicator, &size_);
  }
  // Together in all processes. Nothing at rank 0, or without exchanges.
  std::optional<OffsetPoint> Run(Recorder& recorder);

 private:
  MPI_Comm communicator_;
  uint32_t number_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace syncline::mpi
