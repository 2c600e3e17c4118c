// The concurrency measures of messages between random processes: time per message, and memory.
//
// Arguments: processes, messages. "random": anyone to anyone, up to 2 messages per process under
// way; "neighbours": to the next process, and a barrier of all after every round.
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/memory.h"
#include "measure/concurrency/concurrency_meter.h"

namespace {

using namespace syncline;  // NOLINT(google-build-using-namespace)
using Kind = ConcurrencyEvent::Kind;

struct Run {
  explicit Run(uint32_t processes) : now(processes) {
    groups.emplace_back();
    for (uint32_t p = 0; p < processes; ++p) groups[0].emplace_back(p);
  }
  int64_t Later(uint32_t p) { return now[p] += static_cast<int64_t>(random() % 1000); }

  std::mt19937 random{1};
  std::vector<int64_t> now;
  std::vector<std::vector<ProcessId>> groups;
};

void AddRandom(ConcurrencyMeter& meter, Run& run, uint64_t messages) {
  const auto processes = static_cast<uint32_t>(run.now.size());
  std::deque<std::pair<uint32_t, uint64_t>> under_way;
  const auto deliver = [&] {
    const auto [q, m] = under_way.front();
    under_way.pop_front();
    meter.Add({.process = ProcessId(q), .kind = Kind::kBlock, .time_ns = run.Later(q)});
    meter.Add(
        {.process = ProcessId(q), .kind = Kind::kDelivery, .time_ns = run.Later(q), .message = m});
  };
  for (uint64_t m = 0; m < messages; ++m) {
    const auto p = static_cast<uint32_t>(run.random() % processes);
    meter.Add(
        {.process = ProcessId(p), .kind = Kind::kSend, .time_ns = run.Later(p), .message = m});
    under_way.emplace_back(static_cast<uint32_t>(run.random() % processes), m);
    if (under_way.size() > size_t{2} * processes) deliver();
  }
  while (!under_way.empty()) deliver();
}

void AddNeighbours(ConcurrencyMeter& meter, Run& run, uint64_t messages) {
  const auto processes = static_cast<uint32_t>(run.now.size());
  for (uint64_t m = 0; m < messages; m += processes) {
    const auto all = [&](Kind kind, uint64_t first, uint64_t shift) {
      for (uint32_t p = 0; p < processes; ++p) {
        meter.Add({.process = ProcessId(p),
                   .kind = kind,
                   .time_ns = run.Later(p),
                   .message = first + (p + shift) % processes,
                   .flow = CollectiveFlow::kAllToAll});
      }
    };
    all(Kind::kSend, m, 0);
    all(Kind::kBlock, m, 0);
    all(Kind::kDelivery, m, processes - 1);
    for (const Kind kind : {Kind::kCollectiveBegin, Kind::kCollectiveEnd}) {
      for (uint32_t p = 0; p < processes; ++p) {
        meter.Add({.process = ProcessId(p),
                   .kind = kind,
                   .time_ns = run.Later(p),
                   .message = m,
                   .flow = CollectiveFlow::kAllToAll});
      }
    }
  }
}

template <typename AddAll>
void Measure(benchmark::State& state, const AddAll& add_all) {
  const auto processes = static_cast<uint32_t>(state.range(0));
  const auto messages = static_cast<uint64_t>(state.range(1));
  for (auto _ : state) {
    Run run(processes);
    uint64_t regions = 0;
    ConcurrencyMeter meter(processes, run.groups, {.max_cuts = 100'000},
                           [&](const Region&) { ++regions; });
    add_all(meter, run, messages);
    auto finished = meter.Finish();
    if (!finished) state.SkipWithError("stuck");
    benchmark::DoNotOptimize(regions);
  }
  state.SetItemsProcessed(static_cast<int64_t>(messages) * state.iterations());
  state.counters["peak_MiB"] =
      static_cast<double>(PeakResidentBytes().value_or(0)) / (1024.0 * 1024.0);
}

void BM_Random(benchmark::State& state) { Measure(state, AddRandom); }
void BM_Neighbours(benchmark::State& state) { Measure(state, AddNeighbours); }

BENCHMARK(BM_Random)
    ->Args({64, 1'000'000})
    ->Args({4096, 1'000'000})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Neighbours)
    ->Args({64, 1'000'000})
    ->Args({4096, 1'000'000})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
