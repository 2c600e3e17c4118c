#include "distributed/first_process.h"

#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "base/check.h"
#include "distributed/archive_share.h"
#include "distributed/dealt_messages.h"
#include "distributed/share_tasks.h"
#include "trace/found_parcel.h"
#include "trace/kept_archive.h"

namespace syncline {
namespace {

class DealtToAll : public DealtArchive {
 public:
  DealtToAll(Communicator& communicator, uint32_t number, const std::string& path,
             const Otf2Options& options, bool keeps_events)
      : communicator_(communicator),
        wire_(std::make_shared<ArchiveWire>(communicator, number)),
        path_(path) {
    Parcel open = wire_->CommandTo(Command::kOpen);
    open.Put(path, options, keeps_events);
    communicator_.SendToAll(open);
  }
  ~DealtToAll() override {
    // Where an exception ends the run, it ends the others, too.
    if (!has_readings_ && std::uncaught_exceptions() == 0) (void)ReceiveReadings();
  }
  DealtToAll(const DealtToAll&) = delete;
  DealtToAll& operator=(const DealtToAll&) = delete;

  void Divide(const Otf2Archive& archive) override {
    deal_ = DealLocations(archive, communicator_.size());
  }
  bool Holds(ProcessId process) const override {
    return deal_.readers[process.index()] != communicator_.rank();
  }

  Result<std::vector<LocationReading>> WithOthers(std::vector<LocationReading> here) override {
    auto readings = ReceiveReadings();
    if (!readings) return readings;
    for (LocationReading& reading : here) {
      if (reading.error) reading.error = InProcess(*reading.error, communicator_.Name());
      readings->push_back(std::move(reading));
    }
    return readings;
  }

  void NumberElsewhere(const MpiPairing& pairing) override {
    Parcel number = wire_->CommandTo(Command::kNumber);
    const MpiPairing::Table table = pairing.MakeTable();
    number.Put(table.channels, table.complete_instances);
    communicator_.SendToAll(number);
  }

  std::shared_ptr<DealtMessages> MatchMessages(const LoadedArchive& loaded,
                                               const MpiPairing& pairing,
                                               std::span<const ClockId> clocks) override {
    Parcel match = wire_->CommandTo(Command::kMatch);
    match.Put(clocks);
    communicator_.SendToAll(match);
    const Matchers matchers(deal_.readers, clocks);
    return GatherSeries(wire_, loaded, deal_.readers,
                        ExchangeTransfers(loaded, pairing, clocks, matchers, communicator_),
                        pairing, clocks, matchers);
  }

  std::vector<CollectiveRecord> NextCollectives(ProcessId process) override {
    if (collectives_[process].empty()) {
      ParcelReader parcel = AskForCollectives(deal_.readers[process.index()]);
      while (!parcel.is_at_end()) {
        const auto of = parcel.Take<ProcessId>();
        collectives_[of].push_back(parcel.TakeAll<CollectiveRecord>());
      }
    }
    std::vector<CollectiveRecord> next = std::move(collectives_[process].front());
    collectives_[process].pop_front();
    return next;
  }

  std::shared_ptr<const KeptLocation> Fetch(ProcessId process) override {
    ParcelReader parcel = Ask(Command::kFetch, process);
    auto kept = std::make_shared<KeptLocation>();
    parcel.Take(kept->times, kept->flushes, kept->records);
    return kept;
  }

 private:
  // Those of all locations of a process of which none are here: locations take part in collectives
  // together.
  ParcelReader AskForCollectives(int from) {
    std::vector<ProcessId> without;
    for (uint32_t i = 0; i < deal_.readers.size(); ++i) {
      const ProcessId process(i);
      if (deal_.readers[i] == from && collectives_[process].empty()) without.push_back(process);
    }
    Parcel parcel = wire_->CommandTo(Command::kCollectives);
    parcel.Put(without);
    return wire_->Ask(from, parcel);
  }
  ParcelReader Ask(Command command, ProcessId process) {
    Parcel parcel = wire_->CommandTo(command);
    parcel.Put(process);
    return wire_->Ask(deal_.readers[process.index()], parcel);
  }
  // Of all, or why one of them has none.
  Result<std::vector<LocationReading>> ReceiveReadings() {
    has_readings_ = true;
    std::vector<LocationReading> readings;
    std::optional<Error> failed;
    for (int from = 1; from < communicator_.size(); ++from) {
      ParcelReader parcel = communicator_.Receive(from);
      const auto name = parcel.Take<std::string>();
      auto error = parcel.Take<std::optional<Error>>();
      if (!error && parcel.Take<uint64_t>() != deal_.seen) {
        error = {ErrorCode::kUnreadable, "its files are others than the first process sees", path_};
      }
      if (error) {
        if (!failed) failed = InProcess(*error, name);
        continue;
      }
      while (!parcel.is_at_end()) {
        LocationReading& reading = readings.emplace_back(parcel.Take<LocationReading>());
        if (reading.error) reading.error = InProcess(*reading.error, name);
      }
    }
    if (failed) return tl::unexpected(*std::move(failed));
    return readings;
  }

  Communicator& communicator_;
  std::shared_ptr<ArchiveWire> wire_;
  bool has_readings_ = false;
  std::string path_;
  Deal deal_;
  // Of others, that came with what was asked for.
  std::map<ProcessId, std::deque<std::vector<CollectiveRecord>>> collectives_;
};

}  // namespace

FirstProcess::~FirstProcess() {
  DropAnswers();
  Parcel stop;
  stop.Put(Command::kStop);
  communicator_.SendToAll(stop);
}

std::unique_ptr<DealtArchive> FirstProcess::Deal(const std::string& path,
                                                 const Otf2Options& options, bool keeps_events) {
  if (communicator_.size() == 1) return nullptr;
  return std::make_unique<DealtToAll>(communicator_, archives_++, path, options, keeps_events);
}

FileTeam::Asked FirstProcess::Ask(size_t process, Format format, const Parcel& question) {
  // A larger one may have to be waited for until the process takes it, which it does not while it
  // waits for an answer of its own to be taken.
  constexpr size_t kTakenAtOnce = 1024;
  Questions& questions = questions_[process];
  if (question.bytes().size() > kTakenAtOnce) Receive(process, questions.asked);
  Parcel parcel;
  parcel.Put(Command::kFiles, format, question.bytes());
  communicator_.Send(static_cast<int>(process), parcel);
  return {process, questions.asked++};
}

// The answers to the first questions of a process, so many.
void FirstProcess::Receive(size_t process, uint64_t count) {
  Questions& questions = questions_[process];
  while (questions.received < count) {
    questions.answers.emplace(questions.received++,
                              communicator_.Receive(static_cast<int>(process)));
  }
}

ParcelReader FirstProcess::Answer(Asked asked) {
  Receive(asked.process, asked.number + 1);
  auto answer = questions_[asked.process].answers.extract(asked.number);
  SYNCLINE_CHECK(!answer.empty());
  return std::move(answer.mapped());
}

void FirstProcess::DropAnswers() {
  // Where an exception ends the run, it ends the others, too.
  if (std::uncaught_exceptions() > 0) return;
  for (auto& [process, questions] : questions_) {
    Receive(process, questions.asked);
    questions.answers.clear();
  }
}

}  // namespace syncline
