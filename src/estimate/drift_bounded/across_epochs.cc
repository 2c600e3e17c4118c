#include "estimate/drift_bounded/across_epochs.h"

#include <optional>

#include "match/team_messages.h"

namespace syncline::drift_bounded {
namespace {

bool IsReceivedBefore(const RecordedMessage& a, const RecordedMessage& b) {
  return std::pair(a.to_epoch, a.receive_ns) < std::pair(b.to_epoch, b.receive_ns);
}
bool IsSentBefore(const RecordedMessage& a, const RecordedMessage& b) {
  return std::pair(a.from_epoch, a.send_ns) < std::pair(b.from_epoch, b.send_ns);
}

}  // namespace

void AcrossEpochs::Add(const RecordedMessage& m) {
  if (was_set_back_[m.from.index()]) {
    const auto [first, is_new] = sent_[{m.from, m.to}].try_emplace(m.from_epoch, m);
    if (!is_new && IsReceivedBefore(m, first->second)) first->second = m;
  }
  if (was_set_back_[m.to.index()]) {
    const auto [last, is_new] = received_[{m.to, m.from}].try_emplace(m.to_epoch, m);
    if (!is_new && IsSentBefore(last->second, m)) last->second = m;
  }
}

void AcrossEpochs::PutTask(Parcel& task) const { task.Put(TeamTask::kAcrossEpochs, was_set_back_); }

void AcrossEpochs::PutOutcome(Parcel& outcome) const {
  std::vector<RecordedMessage> kept;
  for (const auto* of : {&sent_, &received_}) {
    for (const auto& [between, by_epoch] : *of) {
      for (const auto& [epoch, message] : by_epoch) kept.push_back(message);
    }
  }
  outcome.Put(kept);
}

void AcrossEpochs::TakeOutcome(ParcelReader& outcome) {
  for (const RecordedMessage& m : outcome.TakeAll<RecordedMessage>()) Add(m);
}

std::vector<RecordedMessage> AcrossEpochs::Messages(std::span<const ClockInput> clocks) const {
  std::vector<RecordedMessage> messages;
  for (const auto& [between, by_epoch] : sent_) {
    const ClockInput& input = clocks[between.clock.index()];
    std::optional<RecordedMessage> first;  // of all later epochs
    for (auto epoch = static_cast<uint32_t>(input.epochs.size()) - 1; epoch > 0; --epoch) {
      const auto sent = by_epoch.find(epoch);
      const bool is_known = sent != by_epoch.end();
      if (is_known && (!first || IsReceivedBefore(sent->second, *first))) first = sent->second;
      if (!first) continue;
      RecordedMessage& m = messages.emplace_back(*first);
      m.from_epoch = epoch - 1;
      m.sent = input.epochs[m.from_epoch].last;
      m.send_ns = input.clock.NominalNs(m.sent);
    }
  }
  for (const auto& [between, by_epoch] : received_) {
    const ClockInput& input = clocks[between.clock.index()];
    std::optional<RecordedMessage> last;  // of all earlier epochs
    for (uint32_t epoch = 1; epoch < input.epochs.size(); ++epoch) {
      const auto received = by_epoch.find(epoch - 1);
      const bool is_known = received != by_epoch.end();
      if (is_known && (!last || IsSentBefore(*last, received->second))) last = received->second;
      if (!last) continue;
      RecordedMessage& m = messages.emplace_back(*last);
      m.to_epoch = epoch;
      m.received = input.epochs[epoch].first;
      m.receive_ns = input.clock.NominalNs(m.received);
    }
  }
  return messages;
}

}  // namespace syncline::drift_bounded
