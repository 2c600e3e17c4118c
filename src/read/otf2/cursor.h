// Reads the events of one location in program order.
//
// What becomes of OTF2's records: Enter and Leave → kEnter, kLeave with the region's name; MpiSend,
// MpiIsend → kSend; MpiRecv, MpiIrecv → kReceive (the latter at the request's completion);
// MpiCollectiveBegin, -End → kCollectiveBegin, kCollectiveEnd with kind and communicator (begins
// take both from the end that follows); where threads of a team have several clocks, ThreadFork,
// ThreadTeamBegin, -End, ThreadJoin and OpenMP's barriers → the same (thread_teams.h); everything
// else → kMark, named by its type. Event::message
// is 0: operation() has what matching makes a message's or an instance's number of
// (match/mpi_matcher.h). Event::bytes of collectives: what the process sent.
// Event::peer, and operation().own and .peer, are members of the communicator; where several
// locations are one rank, the event at the other end may be another one's.
// Units: Event::time and recorded_time(): see archive.h. Times that int64 cannot hold are
// saturated. Errors: what libotf2 cannot read, with the number of good events before it. Counted in
// diagnostics(), complete when Next() has returned nullptr: see docs/formats/otf2.md. Cost: about
// 15 ns per event on top of libotf2; memory: one event chunk of the library (1 MiB usually), and
// the events between a collective's begin and its end, at most kMaxLookAhead. Tested by:
// archive_test.cc, bad_input_test.cc, halo_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/mpi.h"
#include "syncline/result.h"

#include "read/otf2/event_stream.h"
#include "read/otf2/layout.h"
#include "read/otf2/thread_teams.h"

namespace syncline {

enum class Otf2Times {
  kRecorded,  // as they stand in the event files
  kArchive,   // as OTF2 readers show them: the archive's own ClockOffset records applied
};

class Otf2Cursor {
 public:
  static constexpr size_t kMaxLookAhead = size_t{1} << 16;

  static Result<Otf2Cursor> Open(std::shared_ptr<const Otf2Layout> layout, ProcessId process,
                                 Otf2Times times);

  // The next event, valid until the next call; nullptr at the end or at an error.
  const Event* Next();
  // Takes the next events as long as they have no MPI part, as Next() would, and appends their
  // times as recorded.
  void TakePlain(std::vector<uint64_t>& recorded);
  // The latest event's MPI part; kNone where it has none.
  const MpiOperation& operation() const { return operation_; }
  // Its number within the location: every record counts, from 0.
  uint64_t index() const { return read_ - 1; }
  LocalTime recorded_time() const { return recorded_; }
  // The same as it stands in the file, and the second time of a BufferFlush.
  uint64_t recorded_ticks() const { return last_recorded_; }
  std::optional<uint64_t> flush_end() const { return flush_end_; }

  const std::optional<Error>& error() const { return stream_.error(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  uint64_t events_read() const { return read_; }

 private:
  // What a communicator is to this location.
  struct Membership {
    Otf2CommunicatorUse::Kind kind = Otf2CommunicatorUse::Kind::kUnusable;
    uint32_t group = 0;
    ProcessId own;
    uint32_t first_peer = 0;  // in the group's members: of rank 0
    uint32_t peers = 0;       // how many ranks there are
  };
  struct KnownRegion {
    uint32_t region = UINT32_MAX;
    uint32_t name = 0;
  };
  // How often something was found; reported at the end.
  struct Findings {
    uint64_t steps_back = 0;
    uint64_t first_step_back = 0;
    uint64_t out_of_range = 0;
    uint64_t undefined_regions = 0;
    uint64_t unknown_ranks = 0;
    uint64_t unknown_operations = 0;
    uint64_t inter_collectives = 0;
    uint64_t begins_without_end = 0;
    uint64_t ends_without_begin = 0;
    uint64_t rma = 0;
  };

  Otf2Cursor(std::shared_ptr<const Otf2Layout> layout, ProcessId process, Otf2Times times);

  void NoteTime(const Otf2Record& record);
  void SetTime(const Otf2Record& record);
  void Convert(const Otf2Record& record);
  void ConvertMark(const Otf2Record& record);
  void ConvertRegion(const Otf2Record& record, EventKind kind);
  void ConvertMessage(const Otf2Record& record, EventKind event_kind, MpiKind mpi_kind);
  void ConvertRequest(const Otf2Record& record, MpiKind kind);
  void ConvertBegin();
  void ConvertEnd(const Otf2Record& record, MpiKind kind);
  // Kind, communicator and root of a collective; false where they cannot be used.
  bool DescribeCollective(const Otf2Record& end);
  const Otf2Record* FindEnd();
  // Threads with clocks of their own: records that are part of what a team does together.
  bool MayBeOfTeam(const Otf2Record& record) const;
  void ConvertOfTeam(const Otf2Record& record);
  std::optional<uint32_t> NextTeam();
  const Membership& MembershipOf(uint32_t communicator);
  Membership FindMembership(uint32_t communicator) const;
  uint32_t NameOfRegion(uint32_t region);
  void Finish();

  std::shared_ptr<const Otf2Layout> layout_;
  ProcessId process_;
  Otf2Times times_ = Otf2Times::kRecorded;
  Otf2EventStream stream_;
  Event event_;
  MpiOperation operation_;
  LocalTime recorded_;
  uint64_t last_recorded_ = 0;
  std::optional<uint64_t> flush_end_;
  uint64_t read_ = 0;
  Otf2ThreadTeams teams_;
  bool in_collective_ = false;  // between a begin and its end
  bool is_finished_ = false;
  absl::flat_hash_map<uint32_t, Membership> memberships_;
  // The latest one asked for; a number that no communicator has to begin with.
  uint32_t known_communicator_ = OTF2_UNDEFINED_COMM;
  Membership known_membership_;
  std::array<KnownRegion, 64> known_regions_{};  // the latest region of each number modulo 64
  Findings findings_;
  Diagnostics diagnostics_;
};

}  // namespace syncline
