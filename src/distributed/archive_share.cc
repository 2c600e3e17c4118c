#include "distributed/archive_share.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/check.h"

namespace syncline {
namespace {

// The clock pairs that this process matches.
std::unique_ptr<ChannelMessages> OwnMessages(const TraceSet& traces, const MpiPairing& pairing,
                                             const Communicator& communicator) {
  return std::make_unique<ChannelMessages>(pairing, [&](ProcessId sender, ProcessId receiver) {
    return MatcherOf(traces.processes[sender.index()].clock,
                     traces.processes[receiver.index()].clock,
                     communicator.size()) == communicator.rank();
  });
}

// The sends and receives of the locations that are here, some at a time.
class Transfers {
 public:
  explicit Transfers(const LoadedArchive& loaded) : loaded_(loaded) {}

  template <typename Visit>
  void Some(size_t most, const Visit& visit) {
    while (most > 0 && location_ < loaded_.locations.size()) {
      const std::vector<NumberedRecord>& records = loaded_.locations[location_].records;
      const ProcessId process(static_cast<uint32_t>(location_));
      for (; most > 0 && next_ < records.size(); ++next_) {
        if (!records[next_].is_transfer()) continue;
        visit(process, records[next_].peer(), loaded_.TransferOf(process, records[next_]));
        --most;
      }
      if (next_ < records.size()) return;
      next_ = 0;
      ++location_;
    }
  }
  bool is_at_end() const { return location_ == loaded_.locations.size(); }

 private:
  const LoadedArchive& loaded_;
  size_t location_ = 0;
  size_t next_ = 0;
};

// One archive, as another process than the first has it.
class Share {
 public:
  Share(Communicator& communicator, ParcelReader& command) : communicator_(communicator) {
    const std::string path = command.TakeText();
    auto archive = Otf2Archive::Open(path, command.Take<Otf2Options>());
    if (!archive) {
      error_ = archive.error();
      return;
    }
    loaded_ = std::make_unique<LoadedArchive>(std::move(*archive));
    const std::vector<int> readers = DealLocations(loaded_->archive, communicator.size());
    for (uint32_t i = 0; i < readers.size(); ++i) {
      if (readers[i] == communicator.rank()) processes_.emplace_back(i);
    }
    survey_.emplace(loaded_->archive.traces());
    readings_ = ReadLocations(*loaded_, processes_, *survey_);
  }

  Parcel Readings() {
    Parcel parcel;
    parcel.Put(error_.has_value());
    parcel.Put(communicator_.Name());
    if (error_) {
      PutError(*error_, parcel);
      return parcel;
    }
    for (LocationReading& reading : readings_) {
      reading.findings = survey_->FindingsOf(reading.process);
      PutReading(reading, parcel);
    }
    readings_ = {};
    return parcel;
  }

  void Number(ParcelReader& command) {
    MpiPairing::Table table{command.TakeAll<MpiPairing::Table::Row>(), command.TakeAll<uint64_t>()};
    const auto pairing = survey_->FinishAs(std::move(table));
    KeepRecords(*loaded_, processes_, *survey_, *pairing);
    survey_.reset();
    const auto messages = ExchangeTransfers(*loaded_, *pairing, communicator_);
    ChannelMessages::Reader reader(*messages, loaded_->archive.traces());
    for (auto some = reader.Next(); !some.empty(); some = reader.Next()) {
      Parcel parcel;
      for (const std::vector<Message>& series : some) parcel.PutAll(series);
      communicator_.Send(0, parcel);
    }
  }

  Parcel Collectives(ParcelReader& command) {
    const auto process = command.Take<ProcessId>();
    Parcel parcel;
    parcel.PutAll(loaded_->CollectivesFrom(process, next_collective_[process]));
    return parcel;
  }

  Parcel Location(ParcelReader& command) const {
    const KeptLocation& kept = loaded_->locations[command.Take<ProcessId>().index()];
    Parcel parcel;
    parcel.PutAll(kept.times);
    parcel.PutAll(kept.flushes);
    parcel.PutAll(kept.records);
    return parcel;
  }

 private:
  Communicator& communicator_;
  std::optional<Error> error_;
  std::unique_ptr<LoadedArchive> loaded_;
  std::vector<ProcessId> processes_;  // whose locations are here
  std::optional<MpiSurvey> survey_;
  std::vector<LocationReading> readings_;
  std::map<ProcessId, size_t> next_collective_;
};

}  // namespace

std::vector<int> DealLocations(const Otf2Archive& archive, int processes) {
  const size_t count = archive.traces().processes.size();
  std::vector<uint64_t> sizes(count);
  for (uint32_t i = 0; i < count; ++i) {
    std::error_code missing;
    sizes[i] = std::filesystem::file_size(archive.events_file(ProcessId(i)), missing);
    if (missing) sizes[i] = 0;
  }
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
  std::vector<int> reader(count);
  std::vector<uint64_t> load(static_cast<size_t>(processes));
  for (const uint32_t location : order) {
    const auto least = std::min_element(load.begin(), load.end());
    // A file takes time to be opened, too.
    *least += sizes[location] + 4096;
    reader[location] = static_cast<int>(least - load.begin());
  }
  return reader;
}

int MatcherOf(ClockId from, ClockId to, int processes) {
  // Both directions, and neighbours, at different ones (a Fibonacci hash).
  const uint64_t hash = (uint64_t{from.value} * 0x9e3779b97f4a7c15 + to.value) * 0x9e3779b97f4a7c15;
  return static_cast<int>((hash >> 32) % static_cast<uint64_t>(processes));
}

std::unique_ptr<ChannelMessages> ExchangeTransfers(const LoadedArchive& loaded,
                                                   const MpiPairing& pairing,
                                                   Communicator& communicator) {
  constexpr size_t kRound = size_t{1} << 17;
  const TraceSet& traces = loaded.archive.traces();
  auto messages = OwnMessages(traces, pairing, communicator);
  Transfers transfers(loaded);
  const auto clock_of = [&](ProcessId process) { return traces.processes[process.index()].clock; };
  do {
    std::vector<std::vector<TransferEnd>> to_each(static_cast<size_t>(communicator.size()));
    transfers.Some(kRound, [&](ProcessId process, ProcessId peer, const TransferEnd& end) {
      const ClockId from = clock_of(end.is_send ? process : peer);
      const ClockId to = clock_of(end.is_send ? peer : process);
      to_each[static_cast<size_t>(MatcherOf(from, to, communicator.size()))].push_back(end);
    });
    for (const TransferEnd& end : communicator.Exchange(to_each)) messages->Add(end);
  } while (communicator.Any(!transfers.is_at_end()));
  return messages;
}

void ServeFirstProcess(Communicator& communicator) {
  std::map<uint32_t, Share> shares;
  for (;;) {
    ParcelReader command = communicator.Receive(0);
    const auto what = command.Take<Command>();
    if (what == Command::kStop) return;
    const auto number = command.Take<uint32_t>();
    if (what == Command::kOpen) {
      Share& share = shares.try_emplace(number, communicator, command).first->second;
      communicator.Send(0, share.Readings());
      continue;
    }
    const auto share = shares.find(number);
    SYNCLINE_CHECK(share != shares.end());
    if (what == Command::kNumber) share->second.Number(command);
    if (what == Command::kCollectives) communicator.Send(0, share->second.Collectives(command));
    if (what == Command::kFetch) communicator.Send(0, share->second.Location(command));
    if (what == Command::kDrop) shares.erase(share);
  }
}

void PutError(const Error& error, Parcel& parcel) {
  parcel.Put(error.code);
  parcel.Put(error.message);
  parcel.Put(error.file);
  parcel.Put(error.position);
}

Error TakeError(ParcelReader& parcel) {
  Error error;
  error.code = parcel.Take<ErrorCode>();
  error.message = parcel.TakeText();
  error.file = parcel.TakeText();
  error.position = parcel.Take<Position>();
  return error;
}

void PutReading(const LocationReading& reading, Parcel& parcel) {
  parcel.Put(reading.process);
  parcel.Put(reading.error.has_value());
  if (reading.error) PutError(*reading.error, parcel);
  parcel.Put(reading.span);
  parcel.PutAll(reading.set_backs.found);
  parcel.Put(reading.set_backs.first);
  parcel.Put(reading.set_backs.highest);
  parcel.Put(reading.set_backs.has_events);
  parcel.Put(reading.set_backs.are_too_many);
  parcel.Put(uint64_t{reading.diagnostics.all().size()});
  for (const auto& [name, diagnostic] : reading.diagnostics.all()) {
    parcel.Put(name);
    parcel.Put(diagnostic.severity);
    parcel.Put(diagnostic.count);
    parcel.Put(diagnostic.example);
  }
  parcel.PutAll(reading.findings.channels);
  parcel.Put(uint64_t{reading.findings.participations.size()});
  for (const auto& [key, part] : reading.findings.participations) {
    parcel.Put(key);
    parcel.Put(part);
  }
  parcel.Put(reading.findings.counts);
}

LocationReading TakeReading(ParcelReader& parcel) {
  LocationReading reading;
  reading.process = parcel.Take<ProcessId>();
  if (parcel.Take<bool>()) reading.error = TakeError(parcel);
  reading.span = parcel.Take<ClockSpan>();
  reading.set_backs.found = parcel.TakeAll<SetBack>();
  reading.set_backs.first = parcel.Take<LocalTime>();
  reading.set_backs.highest = parcel.Take<LocalTime>();
  reading.set_backs.has_events = parcel.Take<bool>();
  reading.set_backs.are_too_many = parcel.Take<bool>();
  const auto diagnostics = parcel.Take<uint64_t>();
  for (uint64_t i = 0; i < diagnostics; ++i) {
    const std::string name = parcel.TakeText();
    const auto severity = parcel.Take<Severity>();
    const auto count = parcel.Take<uint64_t>();
    reading.diagnostics.Count(name, severity, count, parcel.TakeText());
  }
  reading.findings.channels = parcel.TakeAll<MpiFindings::Channel>();
  const auto participations = parcel.Take<uint64_t>();
  for (uint64_t i = 0; i < participations; ++i) {
    const auto key = parcel.Take<MpiFindings::ParticipationKey>();
    reading.findings.participations.emplace_back(key, parcel.Take<MpiFindings::Participation>());
  }
  reading.findings.counts = parcel.Take<MpiFindings::Counts>();
  return reading;
}

}  // namespace syncline
