// Pairs MPI messages and collectives in two passes over the events of every process: a survey, and
// a numbering by which sends and receives, and the parts of a collective, find each other.
//
// Method: messages of one communicator, tag, sender and receiver form a channel and do not overtake
// each other (MPI 4.0, 3.5): the n-th send belongs to the n-th *posted* receive. Collectives of a
// communicator are posted in the same order everywhere: the n-th of each member form an instance.
// After numbering, Event::message of a send and a receive is (channel << kSequenceBits | n), unique
// with Event::peer, which is then the process that recorded the other end; of a collective it is n.
// What has no other end becomes a kMark, so whoever reads numbered events waits for nothing in
// vain. In doubt, and never paired: a channel whose counts differ while its receiver has requests
// that were never completed, or with a cancelled send, or whose sends or receives several processes
// recorded; collectives of a communicator whose members took part in different ones, or in
// different numbers while one of them has begun one that never ended. Otherwise, where counts
// differ (a trace that ends early), the surplus at the end is unmatched.
// Not noticed: communicators that the recorder confused, as eztrace does with duplicates.
// Requires: the events of one process in its order, in both passes the same; processes in any
// order. Cost: about 30 ns per MPI event and pass. Memory: 100 bytes per channel, 16 per receive
// whose posting and completion are in different order, 64 per non-blocking collective, 32 per send
// request whose completion is not recorded, and what posting_order.h says.
// Tested by: mpi_matcher_test.cc (against a simulated MPI).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/mpi.h"

#include "match/channel_ends.h"
#include "match/mpi_record.h"
#include "match/posting_order.h"

namespace syncline {

struct MpiMatchCounts {
  uint64_t messages = 0;               // paired
  uint64_t unmatched_sends = 0;        // events
  uint64_t unmatched_receives = 0;     // events
  uint64_t ambiguous = 0;              // events: sends and receives in doubt
  uint64_t to_itself = 0;              // events: sends and receives within a process
  uint64_t never_completed = 0;        // requests of receives
  uint64_t collectives = 0;            // instances with all members
  uint64_t unmatched_collectives = 0;  // ends that not all members have
  uint64_t ambiguous_collectives = 0;  // ends in doubt
  friend bool operator==(const MpiMatchCounts&, const MpiMatchCounts&) = default;
};

// What the survey found; shared by all that number events by it.
class MpiPairing {
 public:
  static constexpr unsigned kSequenceBits = 36;
  static constexpr uint64_t kMaxSequence = uint64_t{1} << kSequenceBits;
  static constexpr uint64_t kMaxChannels = uint64_t{1} << (64 - kSequenceBits);

  struct ChannelKey {
    uint32_t communicator = 0;
    uint32_t tag = 0;
    ProcessId sender;  // as members of the communicator
    ProcessId receiver;
    friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const ChannelKey& key) {
      return H::combine(std::move(h), uint64_t{key.communicator} << 32 | key.tag,
                        uint64_t{key.sender.value} << 32 | key.receiver.value);
    }
  };
  struct Channel {
    uint64_t sends = 0;
    uint64_t receives = 0;
    uint64_t number = 0;
    ProcessId sender;  // the processes that recorded them
    ProcessId receiver;
    bool in_doubt = false;
  };
  // What whoever numbers the events of some processes has to know of all.
  struct Table {
    struct Row {
      ChannelKey key;
      Channel channel;
    };
    std::vector<Row> channels;
    std::vector<uint64_t> complete_instances;  // by communicator
  };

  const MpiMatchCounts& counts() const { return counts_; }
  Table MakeTable() const;

  // A channel with messages: those of the numbers (number << kSequenceBits | n), n < messages.
  struct PairedChannel {
    uint64_t number = 0;
    uint64_t messages = 0;
    ProcessId sender;  // the processes that recorded them
    ProcessId receiver;
  };
  std::vector<PairedChannel> PairedChannels() const;  // in order of their numbers

 private:
  friend class MpiProcessSurvey;
  friend class MpiSurvey;
  friend class MpiNumbering;  // testing/mpi_numbering.h

  struct PostedCollective {
    uint32_t name = 0;
    uint32_t group = 0;
    bool is_root = false;
    uint64_t bytes = 0;
    // Without time, process and number.
    Event Begin() const {
      return {.kind = EventKind::kCollectiveBegin,
              .is_root = is_root,
              .bytes = bytes,
              .name = name,
              .group = group};
    }
  };
  struct Process {
    PostingOrder receives;
    PostingOrder collectives;
    absl::flat_hash_map<uint64_t, PostedCollective> posted;  // by event index
  };

  absl::flat_hash_map<ChannelKey, Channel> channels_;
  std::vector<Process> processes_;            // by ProcessId
  std::vector<uint64_t> complete_instances_;  // by communicator
  MpiMatchCounts counts_;
};

// What the survey of one process tells of it.
struct MpiFindings {
  using ChannelKey = MpiPairing::ChannelKey;
  struct Channel {
    ChannelKey key;
    uint64_t sends = 0;
    uint64_t receives = 0;
    bool in_doubt = false;
  };
  // One member's part in the collectives of a communicator.
  struct Participation {
    uint64_t ends = 0;
    uint64_t kinds = 0;  // a sum over the kinds it took part in
    bool in_doubt = false;
  };
  struct ParticipationKey {
    uint32_t communicator = 0;
    ProcessId member;
    friend bool operator==(const ParticipationKey&, const ParticipationKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const ParticipationKey& key) {
      return H::combine(std::move(h), key.communicator, key.member);
    }
  };
  struct Counts {
    uint64_t never_completed = 0;              // requests of receives
    uint64_t collectives_never_completed = 0;  // requests
    uint64_t begins_without_end = 0;           // of collectives
    uint64_t to_itself = 0;
    uint64_t receives_without_request = 0;
  };

  std::vector<Channel> channels;  // in order of their first use
  std::vector<std::pair<ParticipationKey, Participation>> participations;
  Counts counts;

  static auto Members(auto& self) {
    return std::tie(self.channels, self.participations, self.counts);
  }
};

// First pass, over one process. Different ones may be used in different threads, and share no cache
// line.
class alignas(64) MpiProcessSurvey {
 public:
  explicit MpiProcessSurvey(ProcessId process) : process_(process) {}

  // Every event of the process in its order; `index` is its number within the process. Events
  // without an operation may be left out.
  void Add(const Event& event, const MpiOperation& operation, uint64_t index);
  // The same; a record of it, if it may be part of something.
  std::optional<NumberedRecord> Record(const Event& event, const MpiOperation& operation,
                                       uint64_t index);
  // What Record() gave, in its order, becomes numbered, and those go whose events then are
  // marks; of `beside`, which has a value for each record, those that remain. Which of these are of
  // collectives. `pairing`: of the whole survey.
  std::vector<uint64_t> Number(const MpiPairing& pairing, std::vector<NumberedRecord>& records,
                               std::vector<uint64_t>* beside = nullptr) const;
  // All sends and receives that Record() gave, by the places that their numbers began with:
  // channels take the place of places, and ends are put in order of their numbers. Memory: 24 bytes
  // per receive of one channel, where some were completed in another order than posted.
  void Number(const MpiPairing& pairing, ChannelEnds& ends) const;

 private:
  friend class MpiSurvey;
  static constexpr uint64_t kNoNumber = UINT64_MAX;
  using ChannelKey = MpiPairing::ChannelKey;
  using Participation = MpiFindings::Participation;
  using ParticipationKey = MpiFindings::ParticipationKey;

  void AddSend(const MpiOperation& operation);
  void AddReceive(const MpiOperation& operation, uint64_t index);
  void AddCollective(const Event& event, const MpiOperation& operation, uint64_t index);
  void Cancel(uint64_t request);
  // The channel's place in channels_.
  uint32_t ChannelOf(const ChannelKey& key);
  std::optional<NumberedRecord> Transfer(const NumberedRecord& kept, const MpiPairing& pairing,
                                         const MpiPairing::Channel& channel) const;
  std::optional<NumberedRecord> Collective(const NumberedRecord& kept,
                                           const MpiPairing& pairing) const;

  ProcessId process_;
  MpiPairing::Process surveyed_;
  std::vector<MpiFindings::Channel> channels_;  // in order of their first use
  absl::flat_hash_map<ChannelKey, uint32_t> places_;
  // The latest place of each direction and peer modulo half of them.
  static constexpr size_t kKnownPlaces = 64;
  std::array<uint32_t, kKnownPlaces> known_places_{};
  absl::flat_hash_map<ParticipationKey, Participation> participations_;
  absl::flat_hash_map<uint64_t, uint32_t> immediate_sends_;  // by request: place of the channel
  uint64_t collective_begin_ = PostingOrder::kNoIndex;
  MpiFindings::Counts counts_;
  // Of the latest event, as far as it is known now: a transfer's place of the channel and number in
  // it, a collective's number.
  uint64_t number_ = kNoNumber;
};

// A send or a receive that Record() gave, and when it was.
inline void AddTransfer(const NumberedRecord& record, LocalTime time, FoundEnds& ends) {
  ends.Add(record.message() >> MpiPairing::kSequenceBits, record.kind() == EventKind::kSend,
           {record.index(), time});
}

// First pass, over all processes; of some of them another survey may know.
class MpiSurvey {
 public:
  explicit MpiSurvey(const TraceSet& traces);

  MpiProcessSurvey& OfProcess(ProcessId process) { return processes_[process.index()]; }
  void Add(const Event& event, const MpiOperation& operation, uint64_t index) {
    OfProcess(event.process).Add(event, operation, index);
  }
  // What there is to know of a process once all its events were added. Once.
  MpiFindings FindingsOf(ProcessId process);
  // In place of the events of a process.
  void Adopt(ProcessId process, MpiFindings findings);
  // Counts "unmatched-send", "unmatched-receive", "message-to-itself", "request-never-completed",
  // "receive-without-request", "unmatched-collective" (info), "ambiguous-message",
  // "ambiguous-collective" (warning). The survey is then used up.
  std::shared_ptr<const MpiPairing> Finish(Diagnostics& diagnostics);
  // The same as another survey found that adopted these findings; without counts.
  std::shared_ptr<const MpiPairing> FinishAs(MpiPairing::Table table);

 private:
  void Merge(ProcessId process, const MpiFindings& findings);
  void FinishChannels();
  void FinishCollectives();
  void FinishCommunicator(uint32_t communicator);
  void Report(Diagnostics& diagnostics) const;

  const TraceSet& traces_;
  std::shared_ptr<MpiPairing> pairing_;
  std::vector<MpiProcessSurvey> processes_;          // by ProcessId
  std::vector<std::optional<MpiFindings>> adopted_;  // by ProcessId
  std::vector<MpiFindings::Counts> counts_;          // by ProcessId
  absl::flat_hash_map<MpiFindings::ParticipationKey, MpiFindings::Participation> participations_;
};

}  // namespace syncline
