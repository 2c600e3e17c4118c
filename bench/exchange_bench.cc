// What keeping up with a host costs: per exchange, and per burst of ten that is estimated from.
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "live/exchange/distortion.h"
#include "live/exchange/host_estimate.h"

namespace syncline {
namespace {

constexpr int64_t kStart = 1'750'000'000'000'000'000;

// Bursts of so many exchanges, one a second, of trips of 0.2 ms and more.
std::vector<std::vector<ClockExchange>> Bursts(size_t bursts, size_t exchanges) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> jitter(1.0 / 40'000);
  const Distortion host = {1'700'000'000, 35'000, kStart};
  const auto delay = [&] { return 100'000 + static_cast<int64_t>(jitter(random)); };
  std::vector<std::vector<ClockExchange>> made(bursts);
  for (size_t b = 0; b < bursts; ++b) {
    for (size_t i = 0; i < exchanges; ++i) {
      const int64_t t1 =
          kStart + static_cast<int64_t>(b) * 1'000'000'000 + static_cast<int64_t>(i) * 2'000'000;
      const int64_t arrived = t1 + delay();
      made[b].push_back({.t1_ns = t1,
                         .t2_ns = host.Shown(arrived),
                         .t3_ns = host.Shown(arrived + 5'000),
                         .t4_ns = arrived + 5'000 + delay()});
    }
  }
  return made;
}

void BM_AddExchanges(benchmark::State& state) {
  const auto bursts = Bursts(1'000, 10);
  for (auto _ : state) {
    HostEstimate estimate(200);
    for (const auto& burst : bursts) estimate.Add(burst);
    benchmark::DoNotOptimize(estimate.At(bursts.back().back().t4_ns));
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
}
BENCHMARK(BM_AddExchanges);

void BM_EstimateAfterEachBurst(benchmark::State& state) {
  const auto bursts = Bursts(static_cast<size_t>(state.range(0)), 10);
  for (auto _ : state) {
    HostEstimate estimate(200);
    for (const auto& burst : bursts) {
      estimate.Add(burst);
      benchmark::DoNotOptimize(estimate.At(burst.back().t4_ns));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_EstimateAfterEachBurst)->Arg(5)->Arg(100)->Arg(10'000);

}  // namespace
}  // namespace syncline
