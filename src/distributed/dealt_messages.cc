#include "distributed/dealt_messages.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/try.h"
#include "distributed/share_tasks.h"

namespace syncline {

Parcel ArchiveWire::CommandTo(Command command) const {
  Parcel parcel;
  parcel.Put(command, number_);
  return parcel;
}

ParcelReader ArchiveWire::Ask(int process, const Parcel& command) {
  const std::lock_guard lock(mutex_);
  communicator_.Send(process, command);
  return communicator_.Receive(process);
}

std::vector<ParcelReader> ArchiveWire::AskAll(const Parcel& command,
                                              const std::function<void()>& meanwhile) {
  const std::lock_guard lock(mutex_);
  communicator_.SendToAll(command);
  meanwhile();
  std::vector<ParcelReader> answers;
  for (int from = 1; from < communicator_.size(); ++from) {
    answers.push_back(communicator_.Receive(from));
  }
  return answers;
}

// The messages of one process, in their order.
class TeamOfArchive::Travelling {
 public:
  Travelling(const TeamOfArchive& team, int process, uint64_t most)
      : team_(team), process_(process), most_(most) {}

  Result<const Message*> Next() {
    if (place_ == some_.size()) {
      SYNCLINE_ASSIGN(some_, team_.Some(process_, first_, most_));
      SYNCLINE_CHECK(!some_.empty());
      first_ += some_.size();
      place_ = 0;
    }
    return &some_[place_++];
  }

 private:
  const TeamOfArchive& team_;
  int process_;
  uint64_t most_;
  uint64_t first_ = 0;
  std::vector<Message> some_;
  size_t place_ = 0;
};

TeamOfArchive::TeamOfArchive(std::shared_ptr<ArchiveWire> wire, const LoadedArchive& loaded,
                             std::vector<int> readers, MessageShare own, std::vector<Held> order,
                             std::vector<std::optional<int64_t>> first_readings_ns)
    : wire_(std::move(wire)),
      loaded_(loaded),
      readers_(std::move(readers)),
      own_(std::move(own)),
      order_(std::move(order)),
      first_readings_ns_(std::move(first_readings_ns)) {
  for (const Held& held : order_) messages_ += held.messages;
}

Result<void> TeamOfArchive::ForEach(const std::function<void(const Message&)>& visit) const {
  constexpr uint64_t kMost = uint64_t{1} << 20, kFewest = 1024;
  const int processes = wire_->communicator().size();
  const uint64_t most = std::max(kFewest, kMost / static_cast<uint64_t>(processes));
  std::vector<Travelling> from;
  for (int process = 0; process < processes; ++process) from.emplace_back(*this, process, most);
  for (const Held& held : order_) {
    for (uint64_t i = 0; i < held.messages; ++i) {
      SYNCLINE_ASSIGN(const Message* next, from[static_cast<size_t>(held.process)].Next());
      visit(*next);
    }
  }
  return {};
}

Result<std::vector<Message>> TeamOfArchive::Some(int process, uint64_t first, uint64_t most) const {
  if (process == 0) return own_.held().messages.Some(first, most);
  Parcel command = wire_->CommandTo(Command::kMessages);
  command.Put(first, most);
  SYNCLINE_ASSIGN(ParcelReader answer, OpenAnswer(wire_->Ask(process, command)));
  return answer.TakeAll<Message>();
}

Result<std::vector<ParcelReader>> TeamOfArchive::Ask(const Parcel& task,
                                                     const std::function<void()>& before) const {
  Parcel command = wire_->CommandTo(Command::kTask);
  command.Put(task.bytes());
  Parcel own;
  std::vector<ParcelReader> answers = wire_->AskAll(command, [&] {
    if (before) before();
    ParcelReader here(task.bytes());
    own = DoTask({loaded_, own_, readers_, kept_}, here, wire_->communicator());
  });
  answers.emplace(answers.begin(), own.bytes());
  std::vector<ParcelReader> outcomes;
  for (ParcelReader& answer : answers) {
    SYNCLINE_ASSIGN(ParcelReader outcome, OpenAnswer(std::move(answer)));
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

std::map<std::pair<ClockId, ClockId>, PairPoints> TeamOfArchive::TakePairs() {
  std::map<std::pair<ClockId, ClockId>, PairPoints> pairs;
  const auto own = [&] { pairs = own_.TakePairs(); };
  for (ParcelReader& parcel : wire_->AskAll(wire_->CommandTo(Command::kPairs), own)) {
    pairs.merge(parcel.Take<std::map<std::pair<ClockId, ClockId>, PairPoints>>());
  }
  return pairs;
}

std::shared_ptr<DealtMessages> GatherSeries(std::shared_ptr<ArchiveWire> wire,
                                            const LoadedArchive& loaded, std::vector<int> readers,
                                            MessageShare own, const MpiPairing& pairing,
                                            std::span<const ClockId> clocks,
                                            const Matchers& matchers) {
  using Series = MessageShare::Series;
  const TraceSet& archive = loaded.archive.traces();
  Communicator& communicator = wire->communicator();
  std::vector<std::vector<Series>> series = {{own.series().begin(), own.series().end()}};
  for (int from = 1; from < communicator.size(); ++from) {
    series.push_back(communicator.Receive(from).TakeAll<Series>());
  }
  // One of each direction between two of the archive's clocks; those of the trace set tell who
  // has it.
  std::map<std::pair<ClockId, ClockId>, std::pair<ClockId, ClockId>> directions;
  for (const MpiPairing::PairedChannel& channel : pairing.PairedChannels()) {
    directions.try_emplace({archive.processes[channel.sender.index()].clock,
                            archive.processes[channel.receiver.index()].clock},
                           clocks[channel.sender.index()], clocks[channel.receiver.index()]);
  }
  std::vector<TeamOfArchive::Held> order;
  std::vector<std::optional<int64_t>> first_readings_ns(own.held().traces.clocks.size());
  std::vector<std::vector<uint64_t>> numbers(series.size());
  uint64_t number = 0;
  for (const auto& [of_archive, between] : directions) {
    const auto& [from, to] = between;
    const int process = matchers.Of(from, to);
    auto& given = numbers[static_cast<size_t>(process)];
    const Series& next = series[static_cast<size_t>(process)][given.size()];
    given.push_back(number);
    number += next.messages;
    order.push_back({process, next.messages});
    if (from == to || next.messages == 0) continue;
    for (const auto& [clock, reading] : {std::pair(from, next.send_ns), {to, next.receive_ns}}) {
      auto& first = first_readings_ns[clock.index()];
      if (!first) first = reading;
    }
  }
  for (size_t i = 0; i < numbers[0].size(); ++i) own.Number(i, numbers[0][i]);
  for (int to = 1; to < communicator.size(); ++to) {
    Parcel parcel;
    parcel.Put(numbers[static_cast<size_t>(to)]);
    communicator.Send(to, parcel);
  }
  return std::make_shared<TeamOfArchive>(std::move(wire), loaded, std::move(readers),
                                         std::move(own), std::move(order),
                                         std::move(first_readings_ns));
}

}  // namespace syncline
