// The share of an OTF2 archive that one process of an MPI run reads, keeps and matches.
//
// Locations are dealt out by the sizes of their files, clock pairs by their numbers: who matches a
// pair gets the sends and receives of all its channels. Every process computes the same shares.
// Memory: of its locations 8 bytes per event and 32 per MPI event; of its pairs 32 bytes per
// message; of all 64 bytes per channel, and 32 · 2^17 bytes of each other process at most.
// Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "distributed/communicator.h"
#include "distributed/parcel.h"
#include "match/mpi_matcher.h"
#include "read/otf2/archive.h"
#include "trace/archive_team.h"
#include "trace/kept_archive.h"

namespace syncline {

// By ProcessId: the process that reads the location.
std::vector<int> DealLocations(const Otf2Archive& archive, int processes);
// The process that matches messages from one clock to another.
int MatcherOf(ClockId from, ClockId to, int processes);

// Sends and receives of some locations to those who match them, and back come those that are to be
// matched here. All processes at once.
std::unique_ptr<ChannelMessages> ExchangeTransfers(const LoadedArchive& loaded,
                                                   const MpiPairing& pairing,
                                                   Communicator& communicator);

// What the first process asks of the others; each command names its archive first.
enum class Command : uint8_t { kOpen, kNumber, kCollectives, kFetch, kDrop, kStop };

// Does what the first process says until it says kStop. Returns when all is done.
void ServeFirstProcess(Communicator& communicator);

// How readings and locations travel.
void PutReading(const LocationReading& reading, Parcel& parcel);
LocationReading TakeReading(ParcelReader& parcel);
void PutError(const Error& error, Parcel& parcel);
Error TakeError(ParcelReader& parcel);

}  // namespace syncline
