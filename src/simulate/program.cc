#include "simulate/program.h"

namespace syncline {

const std::vector<std::string>& SimulationNames() {
  static const std::vector<std::string> kNames = {
      "",           "border",        "interior",    "compute",
      "think",      "service",       "world",       "barrier",
      "bcast",      "reduce",        "allreduce",   "scan",
      "scatter",    "gather",        "allgather",   "alltoall",
      "MPI_Send",   "MPI_Recv",      "MPI_Barrier", "MPI_Bcast",
      "MPI_Reduce", "MPI_Allreduce", "MPI_Scan",    "MPI_Scatter",
      "MPI_Gather", "MPI_Allgather", "MPI_Alltoall"};
  return kNames;
}

}  // namespace syncline
