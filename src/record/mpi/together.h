// What processes do together when the archive is written, by MPI without being recorded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <mpi.h>
#include <otf2/otf2.h>

namespace syncline::mpi {

// Rank 0's text, in all of them.
std::string TextOfFirst(const std::string& own, MPI_Comm communicator);
// Every process's text, by rank, in all of them; none where one has no memory for them.
std::vector<std::string> ShareTexts(const std::string& text, MPI_Comm communicator);

// For libotf2: this process is one of the communicator's.
std::function<OTF2_ErrorCode(OTF2_Archive*)> CollectivesOf(MPI_Comm communicator);

}  // namespace syncline::mpi
