// The messages of an archive as the first process has them: its own share, and what it asks others.
//
// Memory, besides the share: 16 bytes for each two clocks and direction; of messages that travel
// some 10^6 at once. Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/parcel.h"
#include "distributed/archive_share.h"
#include "distributed/communicator.h"
#include "pipeline/correct/shared_stage.h"
#include "trace/archive_team.h"
#include "trace/message_pass.h"

namespace syncline {

// Commands about one archive; the others drop it with the last who has this.
class ArchiveWire {
 public:
  ArchiveWire(Communicator& communicator, uint32_t number)
      : communicator_(communicator), number_(number) {}
  ~ArchiveWire() { communicator_.SendToAll(CommandTo(Command::kDrop)); }
  ArchiveWire(const ArchiveWire&) = delete;
  ArchiveWire& operator=(const ArchiveWire&) = delete;

  Parcel CommandTo(Command command) const;
  // The answer of one; may be called in several threads.
  ParcelReader Ask(int process, const Parcel& command);
  std::vector<ParcelReader> AskAll(const Parcel& command, const std::function<void()>& meanwhile);
  Communicator& communicator() { return communicator_; }

 private:
  Communicator& communicator_;
  uint32_t number_;
  std::mutex mutex_;  // of questions and their answers
};

class TeamOfArchive : public DealtMessages {
 public:
  // A series: who holds it, and how many messages it has.
  struct Held {
    int process = 0;
    uint64_t messages = 0;
  };
  // `order`: of all series, as one process alone would have them. `loaded`, which must outlive this
  // object: where the events are that are here; `readers`: by ProcessId, who has them.
  TeamOfArchive(std::shared_ptr<ArchiveWire> wire, const LoadedArchive& loaded,
                std::vector<int> readers, MessageShare own, std::vector<Held> order,
                std::vector<std::optional<int64_t>> first_readings_ns);

  uint64_t messages() const override { return messages_; }
  std::vector<std::optional<int64_t>> FirstReadingsNs() const override {
    return first_readings_ns_;
  }
  Result<void> ForEach(const std::function<void(const Message&)>& visit) const override;
  using TeamMessages::Ask;
  Result<std::vector<ParcelReader>> Ask(const Parcel& task,
                                        const std::function<void()>& before) const override;
  std::map<std::pair<ClockId, ClockId>, PairPoints> TakePairs() override;

 private:
  class Travelling;
  Result<std::vector<Message>> Some(int process, uint64_t first, uint64_t most) const;

  std::shared_ptr<ArchiveWire> wire_;
  const LoadedArchive& loaded_;
  std::vector<int> readers_;
  MessageShare own_;
  std::vector<Held> order_;
  std::vector<std::optional<int64_t>> first_readings_ns_;
  uint64_t messages_ = 0;
  mutable KeptShifts kept_;  // of what was asked
};

// Gives all messages their numbers, once each process has matched its own. `clocks`: in the trace
// set, of each of the archive's processes.
std::shared_ptr<DealtMessages> GatherSeries(std::shared_ptr<ArchiveWire> wire,
                                            const LoadedArchive& loaded, std::vector<int> readers,
                                            MessageShare own, const MpiPairing& pairing,
                                            std::span<const ClockId> clocks,
                                            const Matchers& matchers);

}  // namespace syncline
