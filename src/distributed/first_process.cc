#include "distributed/first_process.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "distributed/archive_share.h"
#include "distributed/dealt_messages.h"
#include "distributed/share_tasks.h"
#include "trace/kept_archive.h"

namespace syncline {
namespace {

class DealtToAll : public DealtArchive {
 public:
  DealtToAll(Communicator& communicator, uint32_t number, const std::string& path,
             const Otf2Options& options)
      : communicator_(communicator), wire_(std::make_shared<ArchiveWire>(communicator, number)) {
    Parcel open = wire_->CommandTo(Command::kOpen);
    open.Put(path);
    open.Put(options);
    wire_->SendToAll(open);
  }
  ~DealtToAll() override {
    if (!has_readings_) (void)ReceiveReadings();
  }
  DealtToAll(const DealtToAll&) = delete;
  DealtToAll& operator=(const DealtToAll&) = delete;

  void Divide(const Otf2Archive& archive) override {
    readers_ = DealLocations(archive, communicator_.size());
  }
  bool Holds(ProcessId process) const override {
    return readers_[process.index()] != communicator_.rank();
  }

  Result<std::vector<LocationReading>> TakeReadings() override {
    auto readings = ReceiveReadings();
    if (!readings) return readings;
    std::vector<bool> is_read(readers_.size());
    for (const LocationReading& reading : *readings) is_read[reading.process.index()] = true;
    for (uint32_t i = 0; i < readers_.size(); ++i) {
      if (is_read[i] || !Holds(ProcessId(i))) continue;
      return Fail(ErrorCode::kUnreadable,
                  fmt::format("process {} of {} does not see the same files of the archive",
                              readers_[i], communicator_.size()));
    }
    return readings;
  }

  std::shared_ptr<DealtMessages> MatchMessages(const LoadedArchive& loaded,
                                               const MpiPairing& pairing,
                                               std::span<const ClockId> clocks) override {
    Parcel number = wire_->CommandTo(Command::kNumber);
    const MpiPairing::Table table = pairing.MakeTable();
    number.PutAll(table.channels);
    number.PutAll(table.complete_instances);
    number.PutAll(clocks);
    wire_->SendToAll(number);
    const Matchers matchers(readers_, clocks);
    return GatherSeries(wire_, ExchangeTransfers(loaded, pairing, clocks, matchers, communicator_),
                        loaded.archive.traces(), pairing, clocks, matchers);
  }

  std::vector<CollectiveRecord> NextCollectives(ProcessId process) override {
    return Ask(Command::kCollectives, process).TakeAll<CollectiveRecord>();
  }

  std::shared_ptr<const KeptLocation> Fetch(ProcessId process) override {
    ParcelReader parcel = Ask(Command::kFetch, process);
    auto kept = std::make_shared<KeptLocation>();
    kept->times = parcel.TakeAll<uint64_t>();
    kept->flushes = parcel.TakeAll<Otf2FlushEnd>();
    kept->records = parcel.TakeAll<NumberedRecord>();
    return kept;
  }

 private:
  ParcelReader Ask(Command command, ProcessId process) {
    Parcel parcel = wire_->CommandTo(command);
    parcel.Put(process);
    return wire_->Ask(readers_[process.index()], parcel);
  }
  // Of all, or why one of them has none.
  Result<std::vector<LocationReading>> ReceiveReadings() {
    has_readings_ = true;
    std::vector<LocationReading> readings;
    std::optional<Error> failed;
    for (int from = 1; from < communicator_.size(); ++from) {
      ParcelReader parcel = communicator_.Receive(from);
      const bool has_failed = parcel.Take<bool>();
      const std::string name = parcel.TakeText();
      const auto by = [&](Error error) {
        error.message += fmt::format(" ({})", name);
        return error;
      };
      if (has_failed) {
        Error error = by(TakeError(parcel));
        if (!failed) failed = std::move(error);
        continue;
      }
      while (!parcel.is_at_end()) {
        LocationReading& reading = readings.emplace_back(TakeReading(parcel));
        if (reading.error) reading.error = by(*reading.error);
      }
    }
    if (failed) return tl::unexpected(*std::move(failed));
    return readings;
  }

  Communicator& communicator_;
  std::shared_ptr<ArchiveWire> wire_;
  bool has_readings_ = false;
  std::vector<int> readers_;
};

}  // namespace

FirstProcess::~FirstProcess() {
  Parcel stop;
  stop.Put(Command::kStop);
  for (int to = 1; to < communicator_.size(); ++to) communicator_.Send(to, stop);
}

std::unique_ptr<DealtArchive> FirstProcess::Deal(const std::string& path,
                                                 const Otf2Options& options) {
  if (communicator_.size() == 1) return nullptr;
  return std::make_unique<DealtToAll>(communicator_, archives_++, path, options);
}

}  // namespace syncline
