// Test only: random traces of programs that ran, seen through clocks that jump, tick, drift and run
// backwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "logical/logical_test_util.h"

namespace syncline {

struct RandomTraceOptions {
  size_t processes = 4;
  size_t steps = 200;
  int64_t pace_ns = 20;  // mean time between events of a process
  int64_t clock_error_ns = 300;
  int lost_percent = 0;  // of sends and receives, missing in the trace
  bool has_collectives = false;
  bool has_broadcasts = false;
};

// Runs the program in true time; C is a distorted reading of it.
class RandomProgram {
 public:
  RandomProgram(const RandomTraceOptions& options, uint32_t seed)
      : options_(options), random_(seed), trace_(options.processes), now_(options.processes, 0) {
    for (size_t p = 0; p < options.processes; ++p) {
      offset_.push_back(Uniform(-options.clock_error_ns, options.clock_error_ns));
      tick_.push_back(Uniform(0, 3) == 0 ? Uniform(1, 4 * options.pace_ns) : 1);
      speed_.push_back(Uniform(900, 1100));
    }
    if (options.has_collectives) MakeGroups();
  }

  TestTrace Run() {
    for (size_t i = 0; i < options_.steps; ++i) Step();
    return std::move(trace_);
  }
  // By tag: when the events of what Run() gave happened. Messages and collectives take 1 ns at
  // least.
  const std::vector<int64_t>& true_times() const { return true_times_; }

 private:
  using Kind = LogicalEvent::Kind;
  struct UnderWay {
    uint32_t from = 0;
    uint32_t to = 0;
    uint64_t message = 0;
    int64_t arrival = 0;
  };

  int64_t Uniform(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  uint32_t Process() {
    return static_cast<uint32_t>(Uniform(0, static_cast<int64_t>(options_.processes) - 1));
  }
  // The process's reading after some more time.
  int64_t Read(uint32_t p) {
    now_[p] += Uniform(0, 2 * options_.pace_ns);
    if (Uniform(0, 60) == 0)
      offset_[p] += Uniform(-options_.clock_error_ns, options_.clock_error_ns);
    const int64_t reading = now_[p] * speed_[p] / 1000 + offset_[p];
    return reading - reading % tick_[p];
  }
  // The latest event of the trace is the process's present one.
  void NoteTime(uint32_t p) { true_times_.push_back(now_[p]); }
  bool IsLost() { return Uniform(0, 99) < options_.lost_percent; }

  void MakeGroups() {
    std::vector<ProcessId> all;
    for (uint32_t p = 0; p < options_.processes; ++p) all.push_back(ProcessId{p});
    trace_.groups.push_back(all);
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(std::max<size_t>(1, all.size() / 2));
    trace_.groups.push_back(all);
  }

  void Step() {
    const int64_t choice = Uniform(0, 99);
    const uint32_t p = Process();
    if (choice < 40 && options_.processes > 1) {
      Send(p);
    } else if (choice < 80 && !under_way_.empty()) {
      Receive();
    } else if (choice < 84 && options_.has_collectives) {
      Collective();
    } else if (choice < 88 && options_.has_broadcasts) {
      Broadcast(p);
    } else {
      trace_.Internal(p, Read(p));
      NoteTime(p);
    }
  }
  void Send(uint32_t p) {
    uint32_t to = Process();
    if (to == p) to = (p + 1) % static_cast<uint32_t>(options_.processes);
    const uint64_t message = next_message_++;
    const int64_t time = Read(p);
    if (!IsLost()) {
      trace_.Send(p, time, to, message);
      NoteTime(p);
    }
    under_way_.push_back({p, to, message, now_[p] + Uniform(1, 3 * options_.pace_ns)});
  }
  void Receive() {
    const auto i = static_cast<size_t>(Uniform(0, static_cast<int64_t>(under_way_.size()) - 1));
    const UnderWay m = under_way_[i];
    under_way_.erase(under_way_.begin() + static_cast<ptrdiff_t>(i));
    now_[m.to] = std::max(now_[m.to], m.arrival);
    const int64_t time = Read(m.to);
    if (IsLost()) return;
    trace_.Receive(m.to, time, m.from, m.message);
    NoteTime(m.to);
  }
  void Broadcast(uint32_t p) {
    const uint64_t message = next_message_++;
    trace_.Broadcast(p, Read(p), message);
    NoteTime(p);
    for (uint32_t to = 0; to < options_.processes; ++to) {
      if (to != p) under_way_.push_back({p, to, message, now_[p] + Uniform(1, options_.pace_ns)});
    }
  }
  void Collective() {
    const auto group = static_cast<uint32_t>(Uniform(0, 1));
    const auto flow = static_cast<CollectiveFlow>(Uniform(0, 7));
    const auto& members = trace_.groups[group];
    const auto root = static_cast<size_t>(Uniform(0, static_cast<int64_t>(members.size()) - 1));
    const uint64_t instance = next_message_++;
    const bool some_take_no_part = Uniform(0, 3) == 0;
    std::vector<bool> takes_part;
    int64_t latest = 0;
    for (size_t rank = 0; rank < members.size(); ++rank) {
      takes_part.push_back(!some_take_no_part || Uniform(0, 2) > 0);
      if (flow == CollectiveFlow::kFork && rank > 0) continue;
      AddPart(members[rank].value, Kind::kEnterCollective, flow, group, instance, rank == root,
              takes_part.back());
      latest = std::max(latest, now_[members[rank].index()]);
    }
    for (size_t rank = 0; rank < members.size(); ++rank) {
      if (flow == CollectiveFlow::kJoin && rank > 0) continue;
      int64_t& now = now_[members[rank].index()];
      now = std::max(now, latest + 1);
      AddPart(members[rank].value, Kind::kLeaveCollective, flow, group, instance, rank == root,
              takes_part[rank]);
    }
  }
  void AddPart(uint32_t p, Kind kind, CollectiveFlow flow, uint32_t group, uint64_t instance,
               bool is_root, bool takes_part) {
    LogicalEvent& event = trace_.Collective(p, Read(p), kind, flow, group, instance);
    event.is_root = is_root;
    event.takes_part = takes_part;
    NoteTime(p);
  }

  RandomTraceOptions options_;
  std::mt19937 random_;
  TestTrace trace_;
  std::vector<int64_t> now_;  // true time
  std::vector<int64_t> true_times_;
  std::vector<int64_t> offset_;
  std::vector<int64_t> tick_;
  std::vector<int64_t> speed_;
  std::vector<UnderWay> under_way_;
  uint64_t next_message_ = 1;
};

inline TestTrace MakeRandomTrace(const RandomTraceOptions& options, uint32_t seed) {
  return RandomProgram(options, seed).Run();
}

}  // namespace syncline
