// What amortization and ordered output cost per event.
//
// Events of one process, a quarter of them sends, a quarter receives; each send's limit is known
// eight events later. The interval is 200 ms. Making the events is not measured.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "logical/amortizer.h"
#include "logical/ordered_output.h"

namespace syncline {
namespace {

constexpr size_t kEvents = 1'000'000;
constexpr size_t kDelay = 8;

struct Shape {
  int64_t gap_ns;    // mean distance of events: 300 µs are 670 in the interval
  int64_t jump_ns;   // mean jump of a receive
  int64_t slack_ns;  // what sends allow, mean
  int one_tight_in;  // of this many sends one allows nothing; 0: none
};

struct TimedEvent {
  int64_t clock_ns = 0;
  int64_t jump_ns = 0;
  int64_t latest_ns = INT64_MAX;
};

std::vector<TimedEvent> MakeEvents(const Shape& shape) {
  std::mt19937_64 random(1);
  const auto around = [&](int64_t mean) {
    return static_cast<int64_t>(random() % (2 * static_cast<uint64_t>(mean) + 1));
  };
  std::vector<TimedEvent> events(kEvents);
  int64_t clock = 1'700'000'000'000'000'000;
  for (size_t i = 0; i < kEvents; ++i) {
    TimedEvent& event = events[i];
    if (i % 4 == 3) event.jump_ns = around(shape.jump_ns);
    clock += around(shape.gap_ns) + event.jump_ns;
    event.clock_ns = clock;
    if (i % 4 != 1) continue;
    const bool is_tight = shape.one_tight_in > 0 && around(shape.one_tight_in) < 2;
    event.latest_ns = clock + (is_tight ? 0 : around(shape.slack_ns));
  }
  return events;
}

void Amortize(benchmark::State& state, const Shape& shape) {
  const std::vector<TimedEvent> events = MakeEvents(shape);
  for (auto _ : state) {
    Amortizer amortizer({});
    int64_t moved = 0;
    const auto take = [&] {
      while (const auto final = amortizer.Pop()) moved += final->after_ns & 1;
    };
    for (size_t i = 0; i < kEvents; ++i) {
      const bool is_send = events[i].latest_ns != INT64_MAX;
      amortizer.Add(events[i].clock_ns, events[i].jump_ns,
                    is_send ? Amortizer::Hold::kWaits : Amortizer::Hold::kNone);
      if (i >= kDelay && events[i - kDelay].latest_ns != INT64_MAX) {
        amortizer.Limit(i - kDelay, events[i - kDelay].latest_ns);
        amortizer.Release(i - kDelay);
      }
      take();
    }
    amortizer.Finish();
    take();
    benchmark::DoNotOptimize(moved);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kEvents));
}

BENCHMARK_CAPTURE(Amortize, no_jumps, Shape{300'000, 0, 100'000, 0});
BENCHMARK_CAPTURE(Amortize, small_jumps, Shape{300'000, 16, 100'000, 0});
BENCHMARK_CAPTURE(Amortize, tight_sends, Shape{300'000, 2'000, 100'000, 4});
BENCHMARK_CAPTURE(Amortize, little_slack, Shape{300'000, 1'000, 50'000, 0});
BENCHMARK_CAPTURE(Amortize, interval_of_200000, Shape{1'000, 1, 100'000, 0});
BENCHMARK_CAPTURE(Amortize, interval_of_200000_little_slack, Shape{1'000, 20, 10'000, 0});

void MergeInOrder(benchmark::State& state) {
  const auto processes = static_cast<size_t>(state.range(0));
  std::mt19937_64 random(1);
  std::vector<int64_t> gaps(kEvents);
  for (int64_t& gap : gaps) gap = static_cast<int64_t>(random() % 1000);
  for (auto _ : state) {
    OrderedOutput output;
    std::vector<int64_t> clocks(processes, 0);
    for (size_t i = 0; i < processes; ++i) output.AddProcess();
    uint64_t order = 0;
    for (size_t i = 0; i < kEvents; ++i) {
      const size_t process = i % processes;
      clocks[process] += gaps[i];
      output.Push(ProcessId(static_cast<uint32_t>(process)), clocks[process], i);
      while (const auto event = output.Pop()) order += event->tag & 1;
    }
    benchmark::DoNotOptimize(order);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kEvents));
}

BENCHMARK(MergeInOrder)->Arg(2)->Arg(64)->Arg(1024);

}  // namespace
}  // namespace syncline
