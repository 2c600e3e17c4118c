// The share of an OTF2 archive that one process of an MPI run reads, keeps and matches.
//
// Locations are dealt out by the sizes of their files, clock pairs to those who read one of the two
// clocks: who matches a pair gets the sends and receives of all its channels. Every process
// computes the same shares. Memory: of its locations what trace/kept_archive.h says; of its pairs
// some 10 bytes per message while they are matched, then those of a message store; of all some 200
// bytes per channel, 100 more where its ends are matched elsewhere than they are read, and some 4
// MiB of each other process. Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parcel.h"
#include "distributed/communicator.h"
#include "match/mpi_matcher.h"
#include "read/otf2/archive.h"
#include "trace/archive_team.h"
#include "trace/kept_archive.h"
#include "trace/message_pass.h"

namespace syncline {

struct Deal {
  // By ProcessId: the process that reads the location. Neighbours are together, for most messages
  // are between neighbours.
  std::vector<int> readers;
  uint64_t seen = 0;  // a hash of what the archive has, and of the sizes of its files
};
Deal DealLocations(const Otf2Archive& archive, int processes);

// Which process matches messages between two clocks: one that reads locations of one of them.
class Matchers {
 public:
  // By ProcessId: who reads the location, and what the trace set calls its clock.
  Matchers(std::span<const int> readers, std::span<const ClockId> clocks);
  int Of(ClockId a, ClockId b) const;

 private:
  std::vector<int> of_clock_;  // the reader of its first location
};

// The messages to be matched here, once all processes have exchanged the sends and receives of the
// locations that they hold. All processes at once. `clocks`: in the trace set, of each process.
MessageShare ExchangeTransfers(const LoadedArchive& loaded, const MpiPairing& pairing,
                               std::span<const ClockId> clocks, const Matchers& matchers,
                               Communicator& communicator);

// What the first process asks of the others; each command names its archive first, kFiles a format.
enum class Command : uint8_t {
  kFiles,
  kOpen,
  kNumber,
  kMatch,
  kPairs,
  kMessages,
  kTask,
  kCollectives,
  kFetch,
  kDrop,
  kStop
};

// Does what the first process says until it says kStop. Returns when all is done.
void ServeFirstProcess(Communicator& communicator);

}  // namespace syncline
