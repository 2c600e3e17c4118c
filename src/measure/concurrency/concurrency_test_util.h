// Computations for tests: written event by event, or random with a printed seed.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "measure/concurrency/concurrency_meter.h"

namespace syncline {

// Events in an order in which they could have happened.
class Script {
 public:
  using Kind = ConcurrencyEvent::Kind;

  explicit Script(size_t processes) : processes_(processes), events_of_(processes) {
    std::vector<ProcessId> all;
    for (uint32_t i = 0; i < processes; ++i) all.emplace_back(i);
    groups_.push_back(std::move(all));
  }

  Script& Time(uint32_t p, int64_t t) { return Put({.kind = Kind::kInternal}, p, t); }
  Script& Block(uint32_t p, int64_t t) { return Put({.kind = Kind::kBlock}, p, t); }
  Script& Resume(uint32_t p, int64_t t) { return Put({.kind = Kind::kResume}, p, t); }
  // `to` is for those who read the script: a send's receiver does not matter to the meter.
  Script& Send(uint32_t p, int64_t t, uint64_t message, uint32_t copies = 1, uint32_t to = 0) {
    return Put({.kind = Kind::kSend, .message = message, .copies = copies, .group = to}, p, t);
  }
  Script& Deliver(uint32_t p, int64_t t, uint64_t message) {
    return Put({.kind = Kind::kDelivery, .message = message}, p, t);
  }
  Script& Begin(uint32_t p, int64_t t, uint64_t instance, CollectiveFlow flow, uint32_t root = 0) {
    return Put(Collective(Kind::kCollectiveBegin, p, instance, flow, root), p, t);
  }
  Script& End(uint32_t p, int64_t t, uint64_t instance, CollectiveFlow flow, uint32_t root = 0) {
    return Put(Collective(Kind::kCollectiveEnd, p, instance, flow, root), p, t);
  }

  size_t processes() const { return processes_; }
  const std::vector<std::vector<ProcessId>>& groups() const { return groups_; }
  const std::vector<ConcurrencyEvent>& events() const { return events_; }
  // The same computation with each process's events in a row.
  std::vector<ConcurrencyEvent> ProcessByProcess() const {
    std::vector<ConcurrencyEvent> events;
    for (uint32_t p = 0; p < processes_; ++p) {
      for (const ConcurrencyEvent& e : events_) {
        if (e.process.value == p) events.push_back(e);
      }
    }
    return events;
  }

 private:
  static ConcurrencyEvent Collective(Kind kind, uint32_t p, uint64_t instance, CollectiveFlow flow,
                                     uint32_t root) {
    return {.kind = kind, .message = instance, .flow = flow, .is_root = p == root};
  }
  Script& Put(ConcurrencyEvent event, uint32_t p, int64_t t) {
    event.process = ProcessId(p);
    event.time_ns = t;
    event.event = events_of_[p]++;
    events_.push_back(event);
    return *this;
  }

  size_t processes_;
  std::vector<std::vector<ProcessId>> groups_;
  std::vector<uint64_t> events_of_;
  std::vector<ConcurrencyEvent> events_;
};

struct Measured {
  MeasuredComputation computation;
  std::vector<std::vector<Region>> regions;  // by process
};

inline Measured Measure(const Script& script, const std::vector<ConcurrencyEvent>& events,
                        ConcurrencyOptions options = {.max_cuts = 1000}) {
  Measured measured;
  measured.regions.resize(script.processes());
  ConcurrencyMeter meter(
      script.processes(), script.groups(), std::move(options),
      [&](const Region& region) { measured.regions[region.process.index()].push_back(region); });
  for (const ConcurrencyEvent& event : events) meter.Add(event);
  auto finished = meter.Finish();
  EXPECT_TRUE(finished.has_value());
  if (finished) measured.computation = std::move(*finished);
  return measured;
}

inline Measured Measure(const Script& script) { return Measure(script, script.events()); }

// A computation of random sends, waits, deliveries in any order, and collectives of all processes.
class RandomScript {
 public:
  RandomScript(uint32_t seed, uint32_t processes, int steps)
      : random_(seed), script_(processes), now_(processes) {
    for (uint32_t p = 0; p < processes; ++p) {
      now_[p] = int64_t{1000} * Below(1000);
      script_.Time(p, now_[p]);
    }
    for (int i = 0; i < steps; ++i) Step();
    for (uint32_t p = 0; p < processes; ++p) script_.Time(p, Later(p));
  }

  const Script& script() const { return script_; }

 private:
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  int64_t Later(uint32_t p) { return now_[p] += Below(20); }
  uint32_t AnyProcess() { return Below(static_cast<uint32_t>(now_.size())); }

  void Step() {
    switch (Below(40)) {
      case 0: Collective(); return;
      case 1: return Broadcast();
      case 2: {
        const uint32_t p = AnyProcess();
        script_.Block(p, Later(p));
        script_.Resume(p, Later(p));
        return;
      }
      default:
        if (Below(2) == 0 || under_way_.empty()) return SendOne();
        DeliverOne();
    }
  }

  void SendOne() {
    const uint32_t p = AnyProcess();
    script_.Send(p, Later(p), next_message_);
    under_way_.emplace_back(AnyProcess(), next_message_++);
  }
  void Broadcast() {
    const uint32_t p = AnyProcess();
    script_.Send(p, Later(p), next_message_, static_cast<uint32_t>(now_.size()));
    for (uint32_t q = 0; q < now_.size(); ++q) under_way_.emplace_back(q, next_message_);
    ++next_message_;
  }
  void DeliverOne() {
    std::swap(under_way_[Below(static_cast<uint32_t>(under_way_.size()))], under_way_.back());
    const auto [p, message] = under_way_.back();
    under_way_.pop_back();
    if (Below(3) > 0) script_.Block(p, Later(p));
    script_.Deliver(p, Later(p), message);
  }
  void Collective() {
    constexpr CollectiveFlow kFlows[] = {
        CollectiveFlow::kAllToAll, CollectiveFlow::kOneToAll, CollectiveFlow::kAllToOne,
        CollectiveFlow::kPrefix,   CollectiveFlow::kNone,     CollectiveFlow::kExclusivePrefix,
        CollectiveFlow::kFork,     CollectiveFlow::kJoin};
    const CollectiveFlow flow = kFlows[Below(8)];
    const uint32_t root = AnyProcess();
    for (uint32_t p = 0; p < now_.size(); ++p) {
      if (flow == CollectiveFlow::kFork && p != root) continue;
      script_.Begin(p, Later(p), Instance(flow), flow, root);
      script_.Block(p, now_[p]);
    }
    for (uint32_t p = 0; p < now_.size(); ++p) {
      if (flow == CollectiveFlow::kJoin && p != root) continue;
      script_.End(p, Later(p), Instance(flow), flow, root);
    }
    ++instances_;
  }
  // Forks and joins have numbers of their own: not all members have both ends.
  uint64_t Instance(CollectiveFlow flow) const {
    const bool is_of_team = flow == CollectiveFlow::kFork || flow == CollectiveFlow::kJoin;
    return is_of_team ? 3 + instances_ : instances_ % 3;
  }

  std::mt19937 random_;
  Script script_;
  std::vector<int64_t> now_;
  std::vector<std::pair<uint32_t, uint64_t>> under_way_;  // receiver, message
  uint64_t next_message_ = 0;
  uint64_t instances_ = 0;
};

}  // namespace syncline
