#include "match/rules/rule_resolver.h"

#include <algorithm>
#include <map>
#include <vector>

namespace syncline {
namespace {

using Events = std::span<const RuleEvent>;

struct Sides {
  Events sends;
  Events receives;
};

Sides Split(Events events) {
  const auto first_receive = std::find_if(events.begin(), events.end(), [](const RuleEvent& e) {
    return e.side() == RuleSideKind::kReceive;
  });
  const auto sends = static_cast<size_t>(first_receive - events.begin());
  return {events.first(sends), events.subspan(sends)};
}

void Deliver(const RuleEvent& send, const RuleEvent& receive, MessageSink& sink,
             RuleMatchCounts& counts) {
  ++counts.messages;
  sink.OnMessage({send.ref(), receive.ref()});
}

void LeaveUnmatched(const Sides& sides, RuleMatchCounts& counts) {
  counts.unmatched_sends += sides.sends.size();
  counts.unmatched_receives += sides.receives.size();
}

void ResolveMessage(const Sides& sides, MessageSink& sink, RuleMatchCounts& counts) {
  if (sides.sends.size() > 1 || sides.receives.size() > 1) {
    counts.ambiguous += sides.sends.size() + sides.receives.size();
    return;
  }
  if (sides.sends.empty() || sides.receives.empty()) return LeaveUnmatched(sides, counts);
  if (sides.sends[0].process == sides.receives[0].process) {
    counts.to_itself += 2;
    return;
  }
  ++counts.matched_sends;
  ++counts.matched_receives;
  Deliver(sides.sends[0], sides.receives[0], sink, counts);
}

// The first receive of each clock in its own time.
std::map<uint32_t, const RuleEvent*> FirstByClock(Events receives) {
  std::map<uint32_t, const RuleEvent*> first;
  for (const RuleEvent& receive : receives) {
    const auto [it, is_new] = first.try_emplace(receive.clock, &receive);
    if (!is_new && receive.time < it->second->time) it->second = &receive;
  }
  return first;
}

bool DeliverBroadcast(const std::map<uint32_t, const RuleEvent*>& receives, MessageSink& sink,
                      RuleMatchCounts& counts) {
  if (receives.size() < 2) return false;
  Broadcast broadcast;
  for (const auto& [clock, receive] : receives) broadcast.receives.push_back(receive->ref());
  ++counts.broadcasts;
  sink.OnBroadcast(broadcast);
  return true;
}

void ResolveWithoutSend(Events receives, MessageSink& sink, RuleMatchCounts& counts) {
  const auto first = FirstByClock(receives);
  const bool one_per_clock = first.size() == receives.size();
  const bool delivered = one_per_clock && DeliverBroadcast(first, sink, counts);
  (delivered ? counts.matched_receives : counts.unmatched_receives) += receives.size();
}

void ResolveBroadcast(const Sides& sides, MessageSink& sink, RuleMatchCounts& counts) {
  if (sides.sends.size() > 1) {
    counts.ambiguous += sides.sends.size() + sides.receives.size();
    return;
  }
  if (sides.sends.empty()) return ResolveWithoutSend(sides.receives, sink, counts);
  const RuleEvent& send = sides.sends[0];
  uint64_t matched = 0;
  for (const RuleEvent& receive : sides.receives) {
    if (receive.process == send.process) continue;
    Deliver(send, receive, sink, counts);
    ++matched;
  }
  counts.matched_receives += matched;
  counts.to_itself += sides.receives.size() - matched;
  if (sides.receives.empty()) {
    ++counts.unmatched_sends;
  } else {
    ++(matched > 0 ? counts.matched_sends : counts.to_itself);
  }
  auto elsewhere = FirstByClock(sides.receives);
  elsewhere.erase(send.clock);
  DeliverBroadcast(elsewhere, sink, counts);
}

// By clock, one event of each side; empty where some clock has two, or there are three clocks.
struct Ends {
  const RuleEvent* send = nullptr;
  const RuleEvent* receive = nullptr;
};
std::map<uint32_t, Ends> EndsByClock(Events events) {
  std::map<uint32_t, Ends> ends;
  for (const RuleEvent& event : events) {
    Ends& of_clock = ends[event.clock];
    const bool is_send = event.side() == RuleSideKind::kSend;
    const RuleEvent*& place = is_send ? of_clock.send : of_clock.receive;
    if (place != nullptr || ends.size() > 2) return {};
    place = &event;
  }
  return ends;
}

void ResolveExchange(Events events, MessageSink& sink, RuleMatchCounts& counts) {
  const std::map<uint32_t, Ends> ends = EndsByClock(events);
  if (ends.empty()) {
    counts.ambiguous += events.size();
    return;
  }
  if (ends.size() == 1) return LeaveUnmatched(Split(events), counts);
  const auto one_way = [&](const Ends& from, const Ends& to) {
    if (from.send != nullptr && to.receive != nullptr) {
      ++counts.matched_sends;
      ++counts.matched_receives;
      return Deliver(*from.send, *to.receive, sink, counts);
    }
    counts.unmatched_sends += from.send != nullptr ? 1 : 0;
    counts.unmatched_receives += to.receive != nullptr ? 1 : 0;
  };
  one_way(ends.begin()->second, ends.rbegin()->second);
  one_way(ends.rbegin()->second, ends.begin()->second);
}

}  // namespace

void ResolveRuleEvents(RuleKind kind, std::span<const RuleEvent> events, MessageSink& sink,
                       RuleMatchCounts& counts) {
  switch (kind) {
    case RuleKind::kMessage:
      return ResolveMessage(Split(events), sink, counts);
    case RuleKind::kBroadcast:
      return ResolveBroadcast(Split(events), sink, counts);
    case RuleKind::kExchange:
      return ResolveExchange(events, sink, counts);
  }
}

}  // namespace syncline
