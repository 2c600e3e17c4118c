#include "match/rules/rule_matcher.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/try.h"

namespace syncline {
namespace {

constexpr size_t kSampledKeys = 512;

// The field of the key, or with the other host's name, that an event lacks; none: it has all.
std::optional<std::string_view> LackedField(const RuleSide& side, const BoundSide& bound,
                                            std::span<const RuleValue> values) {
  for (size_t k = 0; k < bound.keys.size(); ++k) {
    if (!IsPresent(values[bound.keys[k]])) return side.keys[k];
  }
  if (bound.peer && !IsPresent(values[*bound.peer])) return *side.peer;
  return std::nullopt;
}

std::string WithoutKey(const std::pair<std::string_view, std::string_view>& event_and_field) {
  return fmt::format("{} without {}", event_and_field.first, event_and_field.second);
}

// msg:send(id=7, proto="udp")
std::string ShowKey(const RuleSide& side, const BoundSide& bound,
                    std::span<const RuleValue> values) {
  std::string keys;
  for (size_t k = 0; k < side.keys.size(); ++k) {
    keys +=
        fmt::format("{}{}={}", k == 0 ? "" : ", ", side.keys[k], ShowValue(values[bound.keys[k]]));
  }
  return fmt::format("{}({})", side.event, keys);
}

using Events = std::span<const RuleEvent>;

struct Sides {
  Events sends;
  Events receives;
};

Sides Split(Events events) {
  const auto first_receive = std::ranges::find_if(
      events, [](const RuleEvent& e) { return e.side() == RuleSideKind::kReceive; });
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

// The events of one key → messages and broadcasts, or why there are none. Enters each of them into
// `counts`, except into sends and receives.
void ResolveRuleEvents(RuleKind kind, std::span<const RuleEvent> events, MessageSink& sink,
                       RuleMatchCounts& counts) {
  switch (kind) {
    case RuleKind::kMessage: return ResolveMessage(Split(events), sink, counts);
    case RuleKind::kBroadcast: return ResolveBroadcast(Split(events), sink, counts);
    case RuleKind::kExchange: return ResolveExchange(events, sink, counts);
  }
}

}  // namespace

RuleMatcher::RuleMatcher(std::span<const Rule> rules, RuleMatchOptions options)
    : rules_(rules), progress_(rules.size()), store_(options.memory_bytes) {
  SYNCLINE_CHECK(rules.size() <= kMaxRules);
}

void RuleMatcher::NameHost(ClockId clock, std::string_view name) {
  if (hosts_.size() <= clock.index()) hosts_.resize(clock.index() + 1);
  hosts_[clock.index()] = name;
}

void RuleMatcher::Note(const RuleBinding& binding) {
  const auto presence = [&](uint32_t rule, RuleSideKind side) -> Presence& {
    return side == RuleSideKind::kSend ? progress_[rule].send : progress_[rule].receive;
  };
  for (const BoundSide& side : binding.sides()) presence(side.rule, side.side).is_there = true;
  for (const MissingField& missing : binding.missing()) {
    std::string& text = presence(missing.rule, missing.side).missing;
    if (text.empty() || missing.text < text) text = missing.text;
  }
}

Result<void> RuleMatcher::Add(const RuleBinding& binding, std::span<const RuleValue> values,
                              const EventRef& event, ClockId clock,
                              const std::optional<EventRef>& earliest) {
  SYNCLINE_CHECK(event.index < uint64_t{1} << 48);
  SYNCLINE_CHECK(values.size() == binding.fields().size());
  for (const BoundSide& side : binding.sides()) {
    if (!RuleBinding::Fulfils(side, values)) continue;
    const EventRef& place = side.late_ns > 0 && earliest ? *earliest : event;
    SYNCLINE_TRY(side.group_keys.empty()
                     ? AddSide(side, values, place, clock)
                     : AddSide(side, RuleBinding::WithGroups(side, values), place, clock));
  }
  return {};
}

// The name of the sender's and of the receiver's host, where the rule asks for them, then the keys.
KeyHash RuleMatcher::HashKey(const BoundSide& side, std::span<const RuleValue> values,
                             ClockId clock) const {
  const Rule& rule = rules_[side.rule];
  const RuleValue own =
      clock.index() < hosts_.size() ? std::string_view(hosts_[clock.index()]) : std::string_view();
  const bool is_send = side.side == RuleSideKind::kSend;
  const auto peer = [&] { return values[*side.peer]; };
  KeyHash hash;
  hash.Add(side.rule, side.keys.size());
  if (rule.send.peer) AddValue(hash, is_send ? peer() : own);
  if (rule.receive.peer) AddValue(hash, is_send ? own : peer());
  for (const size_t key : side.keys) AddValue(hash, values[key]);
  return hash;
}

Result<void> RuleMatcher::AddSide(const BoundSide& side, std::span<const RuleValue> values,
                                  const EventRef& event, ClockId clock) {
  Progress& progress = progress_[side.rule];
  (side.side == RuleSideKind::kSend ? progress.send : progress.receive).is_there = true;
  const RuleSide& of_rule = rules_[side.rule].side(side.side);
  if (const auto missing = LackedField(of_rule, side, values)) {
    ++progress.counts.without_key;
    const std::pair<std::string_view, std::string_view> lacks(of_rule.event, *missing);
    if (progress.counts.without_key == 1 || lacks < progress.without_key) {
      progress.without_key = lacks;
    }
    return {};
  }
  ++(side.side == RuleSideKind::kSend ? progress.counts.sends : progress.counts.receives);
  const KeyHash hash = HashKey(side, values, clock);
  RuleEvent stored;
  stored.key_high = hash.First();
  stored.key_low = hash.Second();
  stored.rule = side.rule & 0x7fff;
  stored.side_bit = static_cast<uint64_t>(side.side) & 1;
  stored.index = event.index & ((uint64_t{1} << 48) - 1);
  stored.time = event.time.ticks;
  stored.process = event.process.value;
  stored.clock = clock.value;
  TakeSample(side, values, stored.key_high);
  return store_.Add(stored);
}

void RuleMatcher::TakeSample(const BoundSide& side, std::span<const RuleValue> values,
                             uint64_t key) {
  auto& sample = progress_[side.rule].sample;
  const std::pair place(key, side.side);
  const bool is_full = sample.size() == kSampledKeys;
  if (is_full && place > sample.rbegin()->first) return;
  if (sample.contains(place)) return;
  if (is_full) sample.erase(std::prev(sample.end()));
  sample.emplace(place, ShowKey(rules_[side.rule].side(side.side), side, values));
}

Result<std::vector<RuleMatchCounts>> RuleMatcher::Finish(MessageSink& sink,
                                                         Diagnostics& diagnostics) {
  SYNCLINE_TRY(ResolveAll(sink));
  CountDiagnostics(diagnostics);
  std::vector<RuleMatchCounts> counts;
  for (const Progress& progress : progress_) counts.push_back(progress.counts);
  return counts;
}

Result<void> RuleMatcher::ResolveAll(MessageSink& sink) {
  for (;;) {
    SYNCLINE_ASSIGN(const auto batch, store_.NextBatch());
    for (size_t r = 0; r < store_.left_out().size(); ++r) {
      progress_[r].counts.ambiguous += store_.left_out()[r];
    }
    if (batch.empty()) return {};
    for (auto begin = batch.begin(); begin != batch.end();) {
      const auto end = std::find_if_not(begin, batch.end(),
                                        [&](const RuleEvent& e) { return e.HasKeyOf(*begin); });
      Resolve({begin, end}, sink);
      begin = end;
    }
  }
}

void RuleMatcher::Resolve(std::span<const RuleEvent> events, MessageSink& sink) {
  Progress& progress = progress_[events[0].rule];
  const uint64_t ambiguous_before = progress.counts.ambiguous;
  ResolveRuleEvents(rules_[events[0].rule].kind, events, sink, progress.counts);
  if (progress.counts.ambiguous == ambiguous_before || !progress.ambiguous.empty()) return;
  // Keys come in ascending order, so the first one is in the sample if any is.
  const RuleEvent& event = events[0].IsAlike(events[1]) ? events[0] : events.back();
  const auto sampled = progress.sample.find({event.key_high, event.side()});
  progress.ambiguous =
      sampled != progress.sample.end()
          ? sampled->second
          : fmt::format("event {} of process number {}", uint64_t{event.index}, event.process);
}

std::string RuleMatcher::WhyNoMessages(const Rule& rule, const Progress& progress) {
  const RuleMatchCounts& counts = progress.counts;
  std::string why = fmt::format("{} sends, {} receives", counts.sends, counts.receives);
  for (const RuleSideKind kind : {RuleSideKind::kSend, RuleSideKind::kReceive}) {
    const Presence& presence = kind == RuleSideKind::kSend ? progress.send : progress.receive;
    if (presence.is_there) continue;
    why += "; ";
    why += presence.missing.empty() ? fmt::format("no event is called {}", rule.side(kind).event)
                                    : presence.missing;
  }
  if (counts.without_key > 0) {
    why += fmt::format("; {} events of these names lack a field of the key, such as {}",
                       counts.without_key, WithoutKey(progress.without_key));
  }
  if (counts.ambiguous > 0) {
    why += fmt::format("; {} have keys that are not unique, such as {}", counts.ambiguous,
                       progress.ambiguous);
  }
  // Of each side the least one in the sample. Where a host counts, too, keys can be equal.
  const bool is_by_keys = rule.kind != RuleKind::kExchange && !rule.send.peer && !rule.receive.peer;
  const auto example = [&](RuleSideKind kind) {
    const auto is_of_side = [&](const auto& sampled) { return sampled.first.second == kind; };
    const auto found = std::ranges::find_if(progress.sample, is_of_side);
    return found == progress.sample.end() ? std::string_view() : std::string_view(found->second);
  };
  const auto send = example(RuleSideKind::kSend), receive = example(RuleSideKind::kReceive);
  if (is_by_keys && counts.ambiguous + counts.to_itself == 0 && !send.empty() && !receive.empty()) {
    why += fmt::format("; no keys are equal, such as {} and {}", send, receive);
  }
  return why;
}

void RuleMatcher::CountDiagnostics(Diagnostics& diagnostics) const {
  for (size_t r = 0; r < rules_.size(); ++r) {
    const Rule& rule = rules_[r];
    const Progress& progress = progress_[r];
    const RuleMatchCounts& counts = progress.counts;
    const std::string name = fmt::format("{}: {}", rule.place, rule.text);
    if (counts.messages + counts.broadcasts == 0) {
      diagnostics.Count("rule-without-messages", Severity::kWarning, 1,
                        fmt::format("{}: {}", name, WhyNoMessages(rule, progress)));
    }
    diagnostics.Count("rule-keys-not-unique", Severity::kWarning, counts.ambiguous,
                      fmt::format("{}: {} is not the only one", name, progress.ambiguous));
    diagnostics.Count("unmatched-send", Severity::kInfo, counts.unmatched_sends, name);
    diagnostics.Count("unmatched-receive", Severity::kInfo, counts.unmatched_receives, name);
    diagnostics.Count("message-to-itself", Severity::kInfo, counts.to_itself, name);
    diagnostics.Count("event-without-key", Severity::kInfo, counts.without_key,
                      fmt::format("{}: {}", name, WithoutKey(progress.without_key)));
  }
}

}  // namespace syncline
