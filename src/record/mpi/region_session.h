// Region clocks over a recording: whether they are kept, and what they say at the end.
//
// Tested by: recording_test.cc.
#pragma once

#include <string>

#include <mpi.h>

#include "record/mpi/recorder.h"

namespace syncline::mpi {

// Together in all processes of `communicator`, which are those of the run. Returns why this process
// cannot keep them although it is asked to; all keep them or none does.
std::string BeginRegions(Recorder& recorder, bool is_wanted, int thread_level,
                         MPI_Comm communicator);

// Ends the clocks; nothing is received any more.
void EndRegions(Recorder& recorder);

// Together, after EndRegions. Rank 0 writes concurrency.json and concurrency.txt into `folder`.
// Returns what is to be said.
std::string WriteRegions(const Recorder& recorder, const std::string& folder,
                         MPI_Comm communicator);

}  // namespace syncline::mpi
