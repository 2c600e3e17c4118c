#include "distributed/first_process.h"

#include <deque>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "distributed/archive_share.h"
#include "trace/kept_archive.h"

namespace syncline {
namespace {

// Series in the order of their clock pairs, of those that one process matches.
class SeriesQueue {
 public:
  virtual ~SeriesQueue() = default;
  std::vector<Message> Next() {
    if (series_.empty()) Fill(series_);
    SYNCLINE_CHECK(!series_.empty());
    std::vector<Message> first = std::move(series_.front());
    series_.pop_front();
    return first;
  }

 protected:
  virtual void Fill(std::deque<std::vector<Message>>& series) = 0;

 private:
  std::deque<std::vector<Message>> series_;
};

class OwnSeries : public SeriesQueue {
 public:
  OwnSeries(const ChannelMessages& messages, const TraceSet& traces) : reader_(messages, traces) {}

 protected:
  void Fill(std::deque<std::vector<Message>>& series) override {
    for (std::vector<Message>& next : reader_.Next()) series.push_back(std::move(next));
  }

 private:
  ChannelMessages::Reader reader_;
};

class ReceivedSeries : public SeriesQueue {
 public:
  ReceivedSeries(Communicator& communicator, int from) : communicator_(communicator), from_(from) {}

 protected:
  void Fill(std::deque<std::vector<Message>>& series) override {
    ParcelReader parcel = communicator_.Receive(from_);
    while (!parcel.is_at_end()) series.push_back(parcel.TakeAll<Message>());
  }

 private:
  Communicator& communicator_;
  int from_;
};

class DealtToAll : public DealtArchive {
 public:
  DealtToAll(Communicator& communicator, uint32_t number, const std::string& path,
             const Otf2Options& options)
      : communicator_(communicator), number_(number) {
    Parcel open = CommandTo(Command::kOpen);
    open.Put(path);
    open.Put(options);
    SendToAll(open);
  }
  ~DealtToAll() override {
    if (!has_readings_) (void)ReceiveReadings();
    SendToAll(CommandTo(Command::kDrop));
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

  void MatchMessages(const LoadedArchive& loaded, const MpiPairing& pairing,
                     const std::function<void(std::vector<Message>)>& deliver) override {
    Parcel number = CommandTo(Command::kNumber);
    const MpiPairing::Table table = pairing.MakeTable();
    number.PutAll(table.channels);
    number.PutAll(table.complete_instances);
    SendToAll(number);
    const auto messages = ExchangeTransfers(loaded, pairing, communicator_);
    const TraceSet& traces = loaded.archive.traces();
    std::vector<std::unique_ptr<SeriesQueue>> queues;
    queues.push_back(std::make_unique<OwnSeries>(*messages, traces));
    for (int from = 1; from < communicator_.size(); ++from) {
      queues.push_back(std::make_unique<ReceivedSeries>(communicator_, from));
    }
    std::set<std::pair<ClockId, ClockId>> directions;
    for (const MpiPairing::PairedChannel& channel : pairing.PairedChannels()) {
      directions.emplace(traces.processes[channel.sender.index()].clock,
                         traces.processes[channel.receiver.index()].clock);
    }
    for (const auto& [from, to] : directions) {
      deliver(queues[static_cast<size_t>(MatcherOf(from, to, communicator_.size()))]->Next());
    }
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
  Parcel CommandTo(Command command) const {
    Parcel parcel;
    parcel.Put(command);
    parcel.Put(number_);
    return parcel;
  }
  void SendToAll(const Parcel& parcel) {
    for (int to = 1; to < communicator_.size(); ++to) communicator_.Send(to, parcel);
  }
  ParcelReader Ask(Command command, ProcessId process) {
    const std::lock_guard lock(mutex_);
    Parcel parcel = CommandTo(command);
    parcel.Put(process);
    communicator_.Send(readers_[process.index()], parcel);
    return communicator_.Receive(readers_[process.index()]);
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
  uint32_t number_;
  bool has_readings_ = false;
  std::vector<int> readers_;
  std::mutex mutex_;  // of questions and their answers
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
