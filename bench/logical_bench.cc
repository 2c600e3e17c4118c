// What the logical clock costs per event: 64 processes, half of the events messages, clocks skewed
// by up to 200 µs, one core. Building the trace is not measured.
//
// Arguments: how the events are fed (pulled as the filter asks, or pushed in order of time), the
// order of output, the controllers, and the clocks. Replays have the whole trace in memory, with
// its messages matched; linking events with them is measured. Crossing clocks are those that lead
// at first and run slowest, by up to 50 ppm, and the minimum delay is set above that of many
// messages: the logical clocks soon run ahead of all, and controllers A to D all act. Random clocks
// drift by up to 20 ppm, and one stays the fastest. The counters say at how many events each
// controller determined the rate.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "logical/logical_filter.h"
#include "logical/logical_replay.h"

namespace syncline {
namespace {

constexpr uint32_t kProcesses = 64;
constexpr size_t kEventsPerProcess = 20'000;

struct Trace {
  std::vector<std::vector<LogicalEvent>> processes{kProcesses};
  std::vector<LogicalEvent> by_time;
};

enum class Clocks { kCrossing, kRandom, kConsistent };

// Each process: internal, send to a neighbour, internal, receive from the other neighbour; 500 µs
// a round. The messages take 20 to 120 µs.
Trace MakeTrace(Clocks clocks) {
  constexpr int64_t kSkew = 200'000;
  constexpr int64_t kStart = 1'000'000'000;
  std::mt19937_64 random(1);
  const auto uniform = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  Trace trace;
  std::vector<int64_t> offset(kProcesses);
  std::vector<int64_t> ppm(kProcesses);
  for (uint32_t p = 0; p < kProcesses; ++p) {
    if (clocks == Clocks::kCrossing) {
      ppm[p] = uniform(-50, 50);
      offset[p] = -ppm[p] * (kSkew / 50);
    } else {
      offset[p] = clocks == Clocks::kRandom ? uniform(-kSkew, kSkew) : 0;
      ppm[p] = clocks == Clocks::kRandom ? uniform(-20, 20) : 0;
    }
  }
  std::vector<int64_t> now(kProcesses, kStart);
  std::vector<int64_t> sent(kProcesses);
  const auto add = [&](uint32_t p, LogicalEvent::Kind kind, uint32_t peer, uint64_t message) {
    LogicalEvent e;
    e.time = GlobalTime{now[p] + offset[p] + (now[p] - kStart) / 1'000'000 * ppm[p]};
    e.process = ProcessId{p};
    e.kind = kind;
    e.peer = ProcessId{peer};
    e.message = message;
    trace.processes[p].push_back(e);
  };
  for (uint64_t round = 0; round < kEventsPerProcess / 4; ++round) {
    const auto distance = static_cast<uint32_t>(1 + round % 5);
    for (uint32_t p = 0; p < kProcesses; ++p) {
      now[p] += uniform(50'000, 150'000);
      add(p, LogicalEvent::Kind::kInternal, 0, 0);
      now[p] += uniform(50'000, 150'000);
      add(p, LogicalEvent::Kind::kSend, (p + distance) % kProcesses, round);
      sent[p] = now[p];
      now[p] += uniform(50'000, 150'000);
      add(p, LogicalEvent::Kind::kInternal, 0, 0);
    }
    for (uint32_t p = 0; p < kProcesses; ++p) {
      const uint32_t from = (p + kProcesses - distance) % kProcesses;
      now[p] = std::max(now[p] + uniform(10'000, 50'000), sent[from] + uniform(20'000, 120'000));
      add(p, LogicalEvent::Kind::kReceive, from, round);
    }
  }
  for (const auto& events : trace.processes) {
    trace.by_time.insert(trace.by_time.end(), events.begin(), events.end());
  }
  std::stable_sort(trace.by_time.begin(), trace.by_time.end(),
                   [](const LogicalEvent& a, const LogicalEvent& b) { return a.time < b.time; });
  return trace;
}

struct CountingSink : LogicalSink {
  uint64_t events = 0;
  int64_t sum = 0;
  uint64_t messages = 0;
  void OnEvent(const RetimedEvent& event) override {
    ++events;
    sum ^= event.after.ns;
  }
  void OnMessage(const RetimedMessage& message) override {
    ++messages;
    sum ^= message.send_after.ns;
  }
};

enum class Feeding { kPull, kPush };

void FeedAll(LogicalFilter& filter, const Trace& trace, Feeding feeding) {
  if (feeding == Feeding::kPush) {
    for (const LogicalEvent& event : trace.by_time) filter.Push(event);
    return;
  }
  std::vector<size_t> next(kProcesses);
  while (const auto process = filter.Starving()) {
    const auto& events = trace.processes[process->index()];
    size_t& n = next[process->index()];
    if (n < events.size()) {
      __builtin_prefetch(&events[n] + 3);  // a reader would have them in the cache
      filter.Push(events[n++]);
    } else {
      filter.End(*process);
    }
  }
}

void AddCounters(benchmark::State& state, const Trace& trace, const LogicalReport& report) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(trace.by_time.size()));
  state.counters["jumps"] = static_cast<double>(report.jumps);
  state.counters["buffered"] = static_cast<double>(report.peak_buffered);
  const char* const names[] = {"A", "B", "C", "D"};
  for (size_t r = 0; r < kRegulators; ++r) {
    state.counters[names[r]] = static_cast<double>(report.gamma.events[r]);
  }
}

DelayModel DelaysOf(Clocks clocks) {
  return DelayModel({clocks == Clocks::kCrossing ? 60'000 : 20'000, 0});
}

void FilterTrace(benchmark::State& state, Feeding feeding, LogicalOptions options, Clocks clocks) {
  const Trace trace = MakeTrace(clocks);
  const DelayModel delays = DelaysOf(clocks);
  LogicalReport report;
  for (auto _ : state) {
    CountingSink sink;
    LogicalFilter filter(options, delays, sink);
    for (uint32_t p = 0; p < kProcesses; ++p) filter.AddProcess(ClockId{p});
    FeedAll(filter, trace, feeding);
    filter.Finish();
    benchmark::DoNotOptimize(sink.sum);
    report = filter.report();
  }
  AddCounters(state, trace, report);
}

// The same trace as arrays. Each process sends and receives once a round.
ReplayTrace MakeReplayTrace(const Trace& trace) {
  constexpr uint64_t kRound = 4;
  constexpr uint64_t kSend = 1;
  constexpr uint64_t kReceive = 3;
  ReplayTrace replay;
  for (uint32_t p = 0; p < kProcesses; ++p) {
    ReplayTrace::Process& process = replay.processes.emplace_back();
    process.clock = ClockId{p};
    for (const LogicalEvent& event : trace.processes[p]) process.before.push_back(event.time.ns);
    process.after.resize(process.before.size());
    for (uint64_t e = 0; e < process.before.size(); e += kRound) {
      const ProcessId from = trace.processes[p][e + kReceive].peer;
      replay.messages.push_back({from, ProcessId{p}, e + kSend, e + kReceive, 0});
    }
  }
  return replay;
}

struct MessageCounter : RetimedMessageSink {
  uint64_t messages = 0;
  int64_t sum = 0;
  void OnMessage(const RetimedMessage& message) override {
    ++messages;
    sum ^= message.send_after.ns;
  }
};

void ReplayInMemory(benchmark::State& state, LogicalOptions options, Clocks clocks) {
  const Trace trace = MakeTrace(clocks);
  const DelayModel delays = DelaysOf(clocks);
  options.max_horizon_ns = -1;
  ReplayTrace replay = MakeReplayTrace(trace);
  LogicalReport report;
  for (auto _ : state) {
    MessageCounter sink;
    LogicalReplay clock(options, delays, sink);
    clock.Run(replay);
    benchmark::DoNotOptimize(sink.sum);
    report = clock.report();
  }
  AddCounters(state, trace, report);
}

LogicalOptions With(AmortizationKind amortization, OutputOrder order,
                    ControllerKind controller = ControllerKind::kRevised) {
  LogicalOptions options;
  options.amortization = amortization;
  options.order = order;
  options.controller = controller;
  return options;
}

#define FILTER_TRACE(name, ...) \
  BENCHMARK_CAPTURE(FilterTrace, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)

constexpr auto kBackward = AmortizationKind::kBackward;
constexpr auto kPerProcess = OutputOrder::kPerProcess;
FILTER_TRACE(pull_per_process, Feeding::kPull, With(kBackward, kPerProcess), Clocks::kCrossing);
FILTER_TRACE(push_per_process, Feeding::kPush, With(kBackward, kPerProcess), Clocks::kCrossing);
FILTER_TRACE(pull_global, Feeding::kPull, With(kBackward, OutputOrder::kGlobal), Clocks::kCrossing);
FILTER_TRACE(pull_without_amortization, Feeding::kPull, With(AmortizationKind::kNone, kPerProcess),
             Clocks::kCrossing);
FILTER_TRACE(pull_original, Feeding::kPull, With(kBackward, kPerProcess, ControllerKind::kOriginal),
             Clocks::kCrossing);
FILTER_TRACE(pull_random_clocks, Feeding::kPull, With(kBackward, kPerProcess), Clocks::kRandom);
FILTER_TRACE(pull_consistent_clocks, Feeding::kPull, With(kBackward, kPerProcess),
             Clocks::kConsistent);
#undef FILTER_TRACE

#define REPLAY(name, ...) \
  BENCHMARK_CAPTURE(ReplayInMemory, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)
REPLAY(crossing, With(kBackward, kPerProcess), Clocks::kCrossing);
REPLAY(without_amortization, With(AmortizationKind::kNone, kPerProcess), Clocks::kCrossing);
REPLAY(original, With(kBackward, kPerProcess, ControllerKind::kOriginal), Clocks::kCrossing);
REPLAY(random_clocks, With(kBackward, kPerProcess), Clocks::kRandom);
REPLAY(consistent_clocks, With(kBackward, kPerProcess), Clocks::kConsistent);
#undef REPLAY

}  // namespace
}  // namespace syncline
