// What the logical clock costs per event: 64 processes, half of the events messages, clocks skewed
// by up to 200 µs, one core. Building the trace is not measured.
//
// Arguments: how the events are fed (pulled as the filter asks, or pushed in order of time), the
// order of output, and the controllers.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "logical/logical_filter.h"

namespace syncline {
namespace {

constexpr uint32_t kProcesses = 64;
constexpr size_t kEventsPerProcess = 20'000;

struct Trace {
  std::vector<std::vector<LogicalEvent>> processes{kProcesses};
  std::vector<LogicalEvent> by_time;
};

// Each process: internal, send to a neighbour, internal, receive from the other neighbour; 500 µs
// a round. The messages take 20 to 120 µs.
Trace MakeTrace(int64_t skew_ns) {
  std::mt19937_64 random(1);
  const auto uniform = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  Trace trace;
  std::vector<int64_t> offset(kProcesses);
  std::vector<int64_t> ppm(kProcesses);
  for (uint32_t p = 0; p < kProcesses; ++p) {
    offset[p] = uniform(-skew_ns, skew_ns);
    ppm[p] = uniform(-20, 20);
  }
  std::vector<int64_t> now(kProcesses, 1'000'000'000);
  std::vector<int64_t> sent(kProcesses);
  const auto add = [&](uint32_t p, LogicalEvent::Kind kind, uint32_t peer, uint64_t message) {
    LogicalEvent e;
    e.time = GlobalTime{now[p] + offset[p] + now[p] / 1'000'000 * ppm[p]};
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

void FilterTrace(benchmark::State& state, Feeding feeding, LogicalOptions options,
                 int64_t skew_ns) {
  const Trace trace = MakeTrace(skew_ns);
  const DelayModel delays({20'000, 0});
  LogicalReport report;
  for (auto _ : state) {
    CountingSink sink;
    LogicalFilter filter(options, delays, sink);
    for (uint32_t p = 0; p < kProcesses; ++p) filter.AddProcess(ClockId{p});
    FeedAll(filter, trace, feeding);
    benchmark::DoNotOptimize(filter.Finish().has_value());
    benchmark::DoNotOptimize(sink.sum);
    report = filter.report();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(trace.by_time.size()));
  state.counters["jumps"] = static_cast<double>(report.jumps);
  state.counters["buffered"] = static_cast<double>(report.peak_buffered);
  state.counters["gamma_below_A"] =
      static_cast<double>(report.gamma.events[1] + report.gamma.events[2] + report.gamma.events[3]);
}

LogicalOptions With(AmortizationKind amortization, OutputOrder order,
                    ControllerKind controller = ControllerKind::kRevised) {
  LogicalOptions options;
  options.amortization = amortization;
  options.order = order;
  options.controller = controller;
  return options;
}

constexpr int64_t kSkew = 200'000;
BENCHMARK_CAPTURE(FilterTrace, pull_per_process, Feeding::kPull,
                  With(AmortizationKind::kBackward, OutputOrder::kPerProcess), kSkew)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FilterTrace, push_per_process, Feeding::kPush,
                  With(AmortizationKind::kBackward, OutputOrder::kPerProcess), kSkew)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FilterTrace, pull_global, Feeding::kPull,
                  With(AmortizationKind::kBackward, OutputOrder::kGlobal), kSkew)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FilterTrace, pull_without_amortization, Feeding::kPull,
                  With(AmortizationKind::kNone, OutputOrder::kPerProcess), kSkew)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FilterTrace, pull_original, Feeding::kPull,
                  With(AmortizationKind::kBackward, OutputOrder::kPerProcess,
                       ControllerKind::kOriginal),
                  kSkew)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FilterTrace, pull_consistent_clocks, Feeding::kPull,
                  With(AmortizationKind::kBackward, OutputOrder::kPerProcess), 0)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace syncline
