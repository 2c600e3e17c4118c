// Where other processes of an MPI run hold locations of an OTF2 archive: what the first process,
// which does all the rest, asks of them.
//
// Every process opens the archive; ProcessId is the archive's own, the same everywhere.
// Implemented by distributed/; without one, all is in this process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/id.h"
#include "syncline/result.h"

#include "estimate/hulls/pair_points.h"
#include "match/channel_ends.h"
#include "match/mpi_matcher.h"
#include "match/mpi_record.h"
#include "match/team_messages.h"
#include "read/otf2/archive.h"
#include "read/otf2/flush_end.h"
#include "trace/load.h"
#include "trace/set_backs.h"

namespace syncline {

struct LoadedArchive;

// Filled by one thread each, without a common cache line.
struct alignas(64) KeptLocation {
  std::vector<uint64_t> times;  // as recorded; of all events, or of those that have records
  std::vector<Otf2FlushEnd> flushes;
  std::vector<NumberedRecord> records;  // without events, of collectives only
  std::vector<uint64_t> collectives;    // which of these are begins and ends of some
  ChannelEnds ends;                     // until messages are matched
};

// What reading a location tells, besides what is kept of it.
struct LocationReading {
  ProcessId process;
  std::optional<Error> error;
  ClockSpan span;
  SeenSetBacks set_backs;
  Diagnostics diagnostics;
  MpiFindings findings;

  static auto Members(auto& self) {
    return std::tie(self.process, self.error, self.span, self.set_backs, self.diagnostics,
                    self.findings);
  }
};

// A begin or end of a collective.
struct CollectiveRecord {
  NumberedRecord record;
  LocalTime time;
};

// Those of such an archive. The hulls of its pairs, keyed as LoadedTraces::pairs, can be taken
// once.
class DealtMessages : public TeamMessages {
 public:
  virtual std::map<std::pair<ClockId, ClockId>, PairPoints> TakePairs() = 0;
};

// An archive whose locations were dealt out. In this order; what it needs not be asked, it need
// not.
class DealtArchive {
 public:
  virtual ~DealtArchive() = default;

  // The archive as it was opened here, of which all know then who holds what.
  virtual void Divide(const Otf2Archive& archive) = 0;
  // Whether another process does.
  virtual bool Holds(ProcessId process) const = 0;
  // Those of all locations: the ones here, and what others have read. Errors name the process.
  virtual Result<std::vector<LocationReading>> WithOthers(std::vector<LocationReading> here) = 0;
  // Has the records of others numbered, which goes on while this process numbers its own.
  virtual void NumberElsewhere(const MpiPairing& pairing) = 0;
  // Has the sends and receives of all locations matched. `clocks`: what the trace set calls the
  // clock of each of the archive's processes.
  virtual std::shared_ptr<DealtMessages> MatchMessages(const LoadedArchive& loaded,
                                                       const MpiPairing& pairing,
                                                       std::span<const ClockId> clocks) = 0;
  // The next of a location's collectives; empty at the end.
  virtual std::vector<CollectiveRecord> NextCollectives(ProcessId process) = 0;
  // May be called in several threads.
  virtual std::shared_ptr<const KeptLocation> Fetch(ProcessId process) = 0;
};

class ArchiveTeam {
 public:
  virtual ~ArchiveTeam() = default;
  // The others open it as this process is about to.
  virtual std::unique_ptr<DealtArchive> Deal(const std::string& path, const Otf2Options& options,
                                             bool keeps_events) = 0;
};

// That of this program's run, as MPI_COMM_WORLD is: none where it is not set.
ArchiveTeam* TeamOfThisRun();
void SetTeamOfThisRun(ArchiveTeam* team);

}  // namespace syncline
