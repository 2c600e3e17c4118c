// The stamps that the meters of a computation's shares tell each other, by way of their team.
//
// What is told is kept until Flush(), or until it is 64 KiB for one share. Memory: that, and a past
// for each source and share that it is told to or from (stamp_changes.h): a process whose messages
// leave, and a group with members in both.
// Tested by: shared_meter_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "logical/replay_team.h"
#include "measure/concurrency/concurrency_meter.h"
#include "measure/concurrency/meter_share.h"
#include "measure/concurrency/stamp_changes.h"

namespace syncline {

class StampPost {
 public:
  // `shares`: by process. Groups as the meter has them.
  StampPost(std::span<const uint32_t> shares, std::span<const std::vector<ProcessId>> groups,
            ReplayTeam& team);

  // To one share: once for each receiver that it has.
  void Tell(uint32_t share, const SendElsewhere& send, const PastStamp& stamp);
  // To all other shares with members.
  void Tell(const BeginsElsewhere& begins);
  void Flush();

  // The meter adopts what has arrived, or what arrives next. False once all shares wait and nothing
  // is under way. `is_done`: all events here have been added, and none waits.
  bool Learn(ConcurrencyMeter& meter, bool is_done);

 private:
  enum class Kind : uint8_t { kSend, kBegins };
  struct Way {
    StampChanges stamps;
    absl::flat_hash_map<uint64_t, int64_t> last_numbers;  // by source: of a message, an instance
    ReplayTeam::Bytes bytes;                              // told, not yet posted
  };

  // Groups are sources after the processes.
  uint64_t SourceOf(const BeginsElsewhere& begins) const;
  void PostIfMuch(size_t share);
  void LearnSend(Way& way, VarintReader& reader, ConcurrencyMeter& meter);
  void LearnBegins(Way& way, VarintReader& reader, ConcurrencyMeter& meter);

  ReplayTeam& team_;
  size_t processes_;
  std::vector<std::vector<uint32_t>> others_;  // by group: other shares with members
  std::vector<Way> to_;                        // by share
  std::vector<Way> from_;
};

}  // namespace syncline
