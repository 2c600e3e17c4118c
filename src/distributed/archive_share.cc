#include "distributed/archive_share.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/varint.h"
#include "distributed/share_tasks.h"
#include "match/channel_messages.h"
#include "match/key_hash.h"
#include "trace/formats.h"
#include "trace/found_parcel.h"

namespace syncline {
namespace {

// The clocks that messages have, by their numbers in the trace set.
TraceSet TracesOf(const TraceSet& archive, std::span<const ClockId> clocks) {
  TraceSet traces;
  for (size_t i = 0; i < clocks.size(); ++i) {
    if (traces.clocks.size() <= clocks[i].index()) traces.clocks.resize(clocks[i].index() + 1);
    traces.clocks[clocks[i].index()] = archive.clocks[archive.processes[i].clock.index()];
    traces.processes.push_back({.name = "", .label = "", .clock = clocks[i]});
  }
  return traces;
}

// Sends or receives of a channel that are here and are matched elsewhere.
struct OutgoingRun {
  int to = 0;
  uint64_t key = 0;  // the channel, and which of both
  std::span<const std::byte> ends;
};

// `matchers`: by channel.
std::vector<OutgoingRun> OutgoingRuns(const LoadedArchive& loaded, std::span<const int> matchers,
                                      int here) {
  std::vector<OutgoingRun> outgoing;
  for (const KeptLocation& location : loaded.locations) {
    for (const ChannelEnds::Run& run : location.ends.runs()) {
      const int to = run.channel < matchers.size() ? matchers[run.channel] : here;
      if (to == here) continue;
      const uint64_t key = run.channel << 1 | (run.is_send ? 1 : 0);
      outgoing.push_back({to, key, location.ends.BytesOf(run)});
    }
  }
  return outgoing;
}

// The ends of others' locations that are matched here, by process. All processes at once.
std::vector<ChannelEnds> ExchangeRuns(std::span<OutgoingRun> outgoing, Communicator& communicator) {
  constexpr size_t kRound = size_t{1} << 22;  // bytes
  std::vector<ChannelEnds> received(communicator.shares());
  std::vector<std::vector<std::byte>> to_each(communicator.shares());
  uint32_t is_more = 0;
  do {
    for (std::vector<std::byte>& bytes : to_each) bytes.clear();
    for (size_t sent = 0; sent < kRound && !outgoing.empty();) {
      OutgoingRun& run = outgoing.front();
      const auto piece = run.ends.first(std::min(run.ends.size(), kRound - sent));
      std::vector<std::byte>& bytes = to_each[static_cast<size_t>(run.to)];
      const size_t before = bytes.size();
      PutVarint(run.key, bytes);
      PutVarint(piece.size(), bytes);
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      sent += bytes.size() - before;
      run.ends = run.ends.subspan(piece.size());
      if (run.ends.empty()) outgoing = outgoing.subspan(1);
    }
    is_more = outgoing.empty() ? 0 : 1;
    const auto pieces = communicator.Exchange(to_each, is_more);
    for (size_t from = 0; from < pieces.size(); ++from) {
      for (VarintReader reader(pieces[from]); !reader.is_at_end();) {
        const uint64_t key = reader.Take();
        received[from].Add(key >> 1, (key & 1) != 0, reader.TakeBytes(reader.Take()));
      }
    }
  } while (is_more != 0);
  return received;
}

// One archive, as another process than the first has it.
class Share {
 public:
  Share(Communicator& communicator, ParcelReader& command) : communicator_(communicator) {
    const std::string path = command.Take<std::string>();
    auto archive = Otf2Archive::Open(path, command.Take<Otf2Options>());
    const auto keeps_events = command.Take<bool>();
    if (!archive) {
      error_ = archive.error();
      return;
    }
    loaded_ = std::make_unique<LoadedArchive>(std::move(*archive), keeps_events);
    deal_ = DealLocations(loaded_->archive, communicator.size());
    for (uint32_t i = 0; i < deal_.readers.size(); ++i) {
      if (deal_.readers[i] == communicator.rank()) processes_.emplace_back(i);
    }
    survey_.emplace(loaded_->archive.traces());
    readings_ = ReadLocations(*loaded_, processes_, *survey_);
  }

  Parcel Readings() {
    Parcel parcel;
    parcel.Put(communicator_.Name(), error_);
    if (error_) return parcel;
    parcel.Put(deal_.seen);
    for (LocationReading& reading : readings_) {
      reading.findings = survey_->FindingsOf(reading.process);
      parcel.Put(reading);
    }
    readings_ = {};
    return parcel;
  }

  void Number(ParcelReader& command) {
    MpiPairing::Table table{command.TakeAll<MpiPairing::Table::Row>(), command.TakeAll<uint64_t>()};
    pairing_ = survey_->FinishAs(std::move(table));
    for (uint32_t i = 0; i < deal_.readers.size(); ++i) loaded_->processes.emplace_back(i);
    KeepRecords(*loaded_, processes_, *survey_, *pairing_);
    survey_.reset();
  }

  // Tells the first process what it has matched, and learns the numbers of it.
  void Match(ParcelReader& command) {
    const auto clocks = command.TakeAll<ClockId>();
    messages_.emplace(ExchangeTransfers(*loaded_, *pairing_, clocks,
                                        Matchers(deal_.readers, clocks), communicator_));
    pairing_.reset();
    loaded_->ForgetEnds();
    Parcel series;
    series.Put(messages_->series());
    communicator_.Send(0, series);
    const auto numbers = communicator_.Receive(0).TakeAll<uint64_t>();
    for (size_t i = 0; i < numbers.size(); ++i) messages_->Number(i, numbers[i]);
  }

  Parcel Pairs() {
    Parcel parcel;
    parcel.Put(messages_->TakePairs());
    return parcel;
  }

  Parcel Messages(ParcelReader& command) const {
    const auto first = command.Take<uint64_t>();
    return AnswerOf(messages_->held().messages.Some(first, command.Take<uint64_t>()),
                    communicator_);
  }

  Parcel Task(ParcelReader& command) {
    ParcelReader task(command.TakeAll<std::byte>());
    return DoTask({*loaded_, *messages_, deal_.readers, kept_}, task, communicator_);
  }

  // Of each location that is asked for, the next ones, or once that there are no more.
  Parcel Collectives(ParcelReader& command) {
    Parcel parcel;
    for (const ProcessId process : command.TakeAll<ProcessId>()) {
      auto& [collectives, end] = told_[process];
      if (end) continue;
      const std::vector<CollectiveRecord> some = loaded_->CollectivesFrom(process, collectives);
      end = some.empty();
      parcel.Put(process, some);
    }
    return parcel;
  }

  Parcel Location(ParcelReader& command) const {
    const KeptLocation& kept = loaded_->locations[command.Take<ProcessId>().index()];
    Parcel parcel;
    parcel.Put(kept.times, kept.flushes, kept.records);
    return parcel;
  }

 private:
  Communicator& communicator_;
  std::optional<Error> error_;
  std::unique_ptr<LoadedArchive> loaded_;
  Deal deal_;
  std::vector<ProcessId> processes_;  // whose locations are here
  std::optional<MpiSurvey> survey_;
  std::shared_ptr<const MpiPairing> pairing_;  // until messages are matched
  std::vector<LocationReading> readings_;
  std::optional<MessageShare> messages_;
  // Of each location, what the first process was told.
  struct Told {
    size_t collectives = 0;
    bool end = false;
  };
  std::map<ProcessId, Told> told_;
  KeptShifts kept_;
};

}  // namespace

Deal DealLocations(const Otf2Archive& archive, int processes) {
  const size_t count = archive.traces().processes.size();
  std::vector<uint64_t> sizes(count);
  for (uint32_t i = 0; i < count; ++i) {
    std::error_code missing;
    sizes[i] = std::filesystem::file_size(archive.events_file(ProcessId(i)), missing);
    if (missing) sizes[i] = 0;
  }
  // Opening a file takes time, too.
  for (uint64_t& size : sizes) size += 4096;
  const uint64_t all = std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
  Deal deal;
  uint64_t before = 0;
  for (const uint64_t size : sizes) {
    // Where the middle of the file lies.
    const auto share = static_cast<double>(before + size / 2) / static_cast<double>(all);
    deal.readers.push_back(static_cast<int>(share * processes));
    before += size;
  }
  KeyHash seen;
  seen.Add(archive.names().size(), archive.traces().groups.size());
  seen.AddBytes(std::as_bytes(std::span(sizes)));
  deal.seen = seen.First();
  return deal;
}

Matchers::Matchers(std::span<const int> readers, std::span<const ClockId> clocks) {
  for (size_t i = clocks.size(); i-- > 0;) {
    if (of_clock_.size() <= clocks[i].index()) of_clock_.resize(clocks[i].index() + 1);
    of_clock_[clocks[i].index()] = readers[i];
  }
}

int Matchers::Of(ClockId a, ClockId b) const {
  // One of both, as a Fibonacci hash has it.
  const auto& [low, high] = std::minmax(a.value, b.value);
  const uint64_t hash = (uint64_t{low} * 0x9e3779b97f4a7c15 + high) * 0x9e3779b97f4a7c15;
  return of_clock_[hash >> 63 == 0 ? low : high];
}

MessageShare ExchangeTransfers(const LoadedArchive& loaded, const MpiPairing& pairing,
                               std::span<const ClockId> clocks, const Matchers& matchers,
                               Communicator& communicator) {
  const TraceSet& traces = loaded.archive.traces();
  const auto matcher_of = [&](ProcessId a, ProcessId b) {
    return matchers.Of(clocks[a.index()], clocks[b.index()]);
  };
  std::vector<int> of_channels;
  for (const MpiPairing::PairedChannel& channel : pairing.PairedChannels()) {
    of_channels.resize(channel.number + 1, communicator.rank());
    of_channels[channel.number] = matcher_of(channel.sender, channel.receiver);
  }
  std::vector<OutgoingRun> outgoing = OutgoingRuns(loaded, of_channels, communicator.rank());
  const std::vector<ChannelEnds> received = ExchangeRuns(outgoing, communicator);
  ChannelMessages channels(pairing, [&](ProcessId sender, ProcessId receiver) {
    return matcher_of(sender, receiver) == communicator.rank();
  });
  for (const KeptLocation& location : loaded.locations) channels.Add(location.ends);
  for (const ChannelEnds& from : received) channels.Add(from);
  MessageShare share(TracesOf(traces, clocks));
  ChannelMessages::Reader reader(channels, traces);
  for (auto some = reader.Next(); !some.empty(); some = reader.Next()) share.Add(some);
  return share;
}

void ServeFirstProcess(Communicator& communicator) {
  std::map<uint32_t, Share> shares;
  std::map<Format, std::unique_ptr<FileServer>> files;
  for (;;) {
    ParcelReader command = communicator.Receive(0);
    const auto what = command.Take<Command>();
    if (what == Command::kStop) return;
    if (what == Command::kFiles) {
      const auto format = command.Take<Format>();
      std::unique_ptr<FileServer>& server = files[format];
      if (!server) server = FormatOf(format).serve(communicator.Name());
      ParcelReader question(command.TakeAll<std::byte>());
      communicator.Send(0, server->Answer(question));
      continue;
    }
    const auto number = command.Take<uint32_t>();
    if (what == Command::kOpen) {
      Share& share = shares.try_emplace(number, communicator, command).first->second;
      communicator.Send(0, share.Readings());
      continue;
    }
    const auto share = shares.find(number);
    SYNCLINE_CHECK(share != shares.end());
    if (what == Command::kNumber) share->second.Number(command);
    if (what == Command::kMatch) share->second.Match(command);
    if (what == Command::kPairs) communicator.Send(0, share->second.Pairs());
    if (what == Command::kMessages) communicator.Send(0, share->second.Messages(command));
    if (what == Command::kTask) communicator.Send(0, share->second.Task(command));
    if (what == Command::kCollectives) communicator.Send(0, share->second.Collectives(command));
    if (what == Command::kFetch) communicator.Send(0, share->second.Location(command));
    if (what == Command::kDrop) shares.erase(share);
  }
}

}  // namespace syncline
