// How it works: every send and receive that has no partner yet waits under its key. Receives of
// broadcasts wait there as well, until Finish() goes through all that wait; so a broadcast may be
// added before, between or after its receives.

#include "match/named_matcher.h"

#include <algorithm>
#include <random>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "base/check.h"
#include "base/int128.h"

namespace syncline {
namespace {

constexpr ProcessId kEveryone{UINT32_MAX};
constexpr size_t kTogether = 16;

uint64_t RandomWord(std::random_device& random) {
  return static_cast<uint64_t>(random()) << 32 | random();
}

}  // namespace

void NamedMatcher::Finding::Add(const EventRef& event) {
  const auto place = [](const EventRef& e) { return std::tuple(e.process, e.index); };
  if (count == 0 || place(event) < place(first)) first = event;
  ++count;
}

NamedMatcher::NamedMatcher(MessageSink& sink)
    : NamedMatcher(sink, [] {
        std::random_device random;
        return TransferKeyHash{RandomWord(random), RandomWord(random)};
      }()) {}

NamedMatcher::NamedMatcher(MessageSink& sink, TransferKeyHash hash)
    : sink_(&sink), waiting_(hash), broadcast_table_(0, hash) {}

NamedMatcher::Key NamedMatcher::MakeKey(ProcessId sender, ProcessId receiver, uint64_t message) {
  return {message, static_cast<uint64_t>(sender.value) << 32 | receiver.value};
}
NamedMatcher::Key NamedMatcher::BroadcastKey(const Key& key) {
  return MakeKey(Sender(key), kEveryone, key.message);
}
ProcessId NamedMatcher::Sender(const Key& key) {
  return ProcessId(static_cast<uint32_t>(key.ends >> 32));
}
ProcessId NamedMatcher::Receiver(const Key& key) {
  return ProcessId(static_cast<uint32_t>(key.ends));
}

void NamedMatcher::Add(const Event& event, uint64_t index) {
  SYNCLINE_CHECK(index < uint64_t{1} << 62);
  const EventRef ref = {event.process, index, event.time};
  switch (event.kind) {
    case EventKind::kSend:
      return AddTransfer(MakeKey(event.process, event.peer, event.message), ref, State::kSend);
    case EventKind::kReceive:
      return AddTransfer(MakeKey(event.peer, event.process, event.message), ref, State::kReceive);
    case EventKind::kBroadcast:
      return AddBroadcast(MakeKey(event.process, kEveryone, event.message), ref);
    case EventKind::kBlock:
    case EventKind::kEnter:
    case EventKind::kLeave:
    case EventKind::kMark:
    case EventKind::kCollectiveBegin:
    case EventKind::kCollectiveEnd: return;
  }
}

void NamedMatcher::AddTransfer(const Key& key, const EventRef& event, State side) {
  if (Sender(key) == Receiver(key)) return to_itself_.Add(event);
  waiting_.Prefetch(key);
  transfers_.push_back({key, event, side});
  if (transfers_.size() == kTogether) TakeTransfers();
}

void NamedMatcher::TakeTransfers() {
  for (const Transfer& t : transfers_) TakeTransfer(t.key, t.event, t.side);
  transfers_.clear();
}

void NamedMatcher::TakeTransfer(const Key& key, const EventRef& event, State side) {
  WaitingTransfer* const waiting =
      waiting_.FindOrAdd(key, WaitingTransfer(side, event.index, event.time));
  if (waiting == nullptr) return;
  if (waiting->state() == State::kAmbiguous) return ambiguous_.Add(event);
  const EventRef partner =
      waiting->At(waiting->state() == State::kSend ? Sender(key) : Receiver(key));
  const bool in_doubt = waiting->state() == side ||
                        (!broadcast_table_.empty() && broadcast_table_.contains(BroadcastKey(key)));
  if (in_doubt) {
    ambiguous_.Add(partner);
    ambiguous_.Add(event);
    waiting->Become(State::kAmbiguous);
    return;
  }
  waiting_.Erase(key);
  ++matched_;
  sink_->OnMessage(side == State::kReceive ? Message{partner, event} : Message{event, partner});
}

void NamedMatcher::AddBroadcast(const Key& key, const EventRef& event) {
  TakeTransfers();
  const auto [it, is_first] = broadcast_table_.try_emplace(key, broadcasts_.size());
  if (is_first) {
    broadcasts_.push_back({event});
    return;
  }
  Open& open = broadcasts_[it->second];
  if (!open.ambiguous) ambiguous_.Add(open.event);
  open.ambiguous = true;
  ambiguous_.Add(event);
}

NamedMatchCounts NamedMatcher::Finish(Diagnostics& diagnostics,
                                      const std::function<std::string(ProcessId)>& name_of) {
  TakeTransfers();
  DeliverBroadcasts(Sweep());
  const auto report = [&](std::string_view name, Severity severity, const Finding& finding) {
    if (finding.count == 0) return;
    const ProcessId process = finding.first.process;
    diagnostics.Count(
        name, severity, finding.count,
        fmt::format("event {} of {}", finding.first.index,
                    name_of ? name_of(process) : fmt::format("process number {}", process.value)));
  };
  report("unmatched-send", Severity::kInfo, unmatched_sends_);
  report("unmatched-receive", Severity::kInfo, unmatched_receives_);
  report("message-to-itself", Severity::kInfo, to_itself_);
  report("ambiguous-message", Severity::kWarning, ambiguous_);
  const NamedMatchCounts counts = {
      matched_,         delivered_broadcasts_, unmatched_sends_.count, unmatched_receives_.count,
      ambiguous_.count, to_itself_.count};
  *this = NamedMatcher(*sink_);
  return counts;
}

// Counts what waits in vain, and returns what waits for a broadcast.
std::vector<NamedMatcher::BroadcastReceive> NamedMatcher::Sweep() {
  std::vector<BroadcastReceive> received;
  waiting_.ForEach([&](const Key& key, const WaitingTransfer& waiting) {
    if (waiting.state() == State::kSend) unmatched_sends_.Add(waiting.At(Sender(key)));
    if (waiting.state() != State::kReceive) return;
    if (auto receive = SweepReceive(key, waiting.At(Receiver(key)))) received.push_back(*receive);
  });
  return received;
}

std::optional<NamedMatcher::BroadcastReceive> NamedMatcher::SweepReceive(const Key& key,
                                                                         const EventRef& receive) {
  const auto it = broadcast_table_.find(BroadcastKey(key));
  if (it == broadcast_table_.end()) {
    unmatched_receives_.Add(receive);
    return std::nullopt;
  }
  if (broadcasts_[it->second].ambiguous) {
    ambiguous_.Add(receive);
    return std::nullopt;
  }
  return BroadcastReceive{it->second, receive};
}

// The table's order is random, so the receives are put in order first.
void NamedMatcher::DeliverBroadcasts(std::vector<BroadcastReceive> received) {
  std::ranges::sort(received, {}, [](const BroadcastReceive& r) {
    return std::tuple(r.broadcast, r.receive.process);
  });
  auto begin = received.cbegin();
  for (uint64_t i = 0; i < broadcasts_.size(); ++i) {
    const auto end = std::find_if(begin, received.cend(),
                                  [&](const auto& receive) { return receive.broadcast != i; });
    if (!broadcasts_[i].ambiguous) DeliverBroadcast(broadcasts_[i].event, {begin, end});
    begin = end;
  }
}

void NamedMatcher::DeliverBroadcast(const EventRef& event,
                                    std::span<const BroadcastReceive> received) {
  Broadcast broadcast;
  for (const BroadcastReceive& one : received) {
    sink_->OnMessage({event, one.receive});
    broadcast.receives.push_back(one.receive);
  }
  matched_ += received.size();
  if (received.empty()) unmatched_sends_.Add(event);
  if (received.size() < 2) return;
  ++delivered_broadcasts_;
  sink_->OnBroadcast(broadcast);
}

}  // namespace syncline
