// How many bytes a member of a collective moves.
#pragma once

#include <cstdint>

namespace syncline::mpi {

struct CollectiveBytes {
  uint64_t sent = 0;
  uint64_t received = 0;
};

}  // namespace syncline::mpi
