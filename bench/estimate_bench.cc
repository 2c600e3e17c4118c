// Estimating one pair of clocks from its messages: time and memory per message.
//
// A minute to days of traffic in both directions, exponential delays of 120 µs on average; the
// whole estimation is timed: half hulls, extreme lines, bounds, the chosen line. Counters: time per
// message (inverted rate), the points held at most, and the hull's vertices.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "estimate/groups/tree_error.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/pair.h"
#include "estimate/pair_fit.h"

namespace syncline {
namespace {

struct Sample {
  int64_t x = 0;
  int64_t y = 0;
  bool is_a_to_b = false;
};

enum class Order { kSorted, kNearlySorted, kRandom };

// One message every 10 µs, b 35 ppm fast and 1.7 s ahead.
std::vector<Sample> MakeMessages(size_t count, Order order) {
  constexpr int64_t kStart = 1'795'263'390'669'396'121;
  std::mt19937_64 random(42);
  std::exponential_distribution<double> delay(1.0 / 120'000);
  std::vector<Sample> messages(count);
  for (size_t i = 0; i < count; ++i) {
    const auto t = static_cast<int64_t>(i) * 10'000;
    const int64_t y = kStart + 1'700'000'000 + t + t / 1'000'000 * 35;
    const bool is_a_to_b = random() % 2 == 0;
    const auto d = static_cast<int64_t>(delay(random)) + 400'000;
    messages[i] = {kStart + t, is_a_to_b ? y + d : y - d, is_a_to_b};
  }
  if (order == Order::kRandom) std::shuffle(messages.begin(), messages.end(), random);
  if (order == Order::kNearlySorted) {
    constexpr size_t kWindow = 16;
    for (size_t i = 0; i + kWindow <= count; i += kWindow) {
      std::shuffle(messages.begin() + static_cast<ptrdiff_t>(i),
                   messages.begin() + static_cast<ptrdiff_t>(i + kWindow), random);
    }
  }
  return messages;
}

PairPoints Collect(const std::vector<Sample>& messages) {
  PairPoints points;
  for (const Sample& m : messages) {
    if (m.is_a_to_b) {
      points.AddAToB(m.x, m.y);
    } else {
      points.AddBToA(m.y, m.x);
    }
  }
  return points;
}

void EstimateOnePair(benchmark::State& state, Order order) {
  const auto count = static_cast<size_t>(state.range(0));
  const std::vector<Sample> messages = MakeMessages(count, order);
  size_t peak = 0;
  size_t vertices = 0;
  for (auto _ : state) {
    const PairPoints points = Collect(messages);
    const PairEstimate estimate = EstimatePair(points, {});
    benchmark::DoNotOptimize(estimate.line);
    peak = points.peak_points();
    vertices = estimate.hull_ab + estimate.hull_ba;
  }
  state.counters["per_message"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
  state.counters["peak_points"] = static_cast<double>(peak);
  state.counters["vertices"] = static_cast<double>(vertices);
}
BENCHMARK_CAPTURE(EstimateOnePair, sorted, Order::kSorted)
    ->RangeMultiplier(10)
    ->Range(10'000, 10'000'000);
BENCHMARK_CAPTURE(EstimateOnePair, nearly_sorted, Order::kNearlySorted)
    ->RangeMultiplier(10)
    ->Range(10'000, 10'000'000);
BENCHMARK_CAPTURE(EstimateOnePair, random, Order::kRandom)
    ->RangeMultiplier(10)
    ->Range(10'000, 10'000'000);

// The second look that some methods take at every message, and the line they make of it.
void FitOneLine(benchmark::State& state, LineMethod method) {
  const auto count = static_cast<size_t>(state.range(0));
  const std::vector<Sample> messages = MakeMessages(count, Order::kRandom);
  const PairPoints points = Collect(messages);
  const PairOptions options{.method = method};
  const PairEstimate estimate = EstimatePair(points, options);
  for (auto _ : state) {
    PairFit fit(points, estimate, options);
    for (const Sample& m : messages) {
      m.is_a_to_b ? fit.AddAToB(m.x, m.y) : fit.AddBToA(m.y, m.x);
    }
    benchmark::DoNotOptimize(std::move(fit).Finish().line);
  }
  state.counters["per_message"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(FitOneLine, regression, LineMethod::kRegression)->Arg(10'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(FitOneLine, robust, LineMethod::kRobust)->Arg(10'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(FitOneLine, two_point, LineMethod::kTwoPoint)->Arg(10'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(FitOneLine, minmax, LineMethod::kMinMax)->Arg(10'000)->Arg(1'000'000);

// The group step alone: a full mesh of clocks.
void EstimateMesh(benchmark::State& state) {
  const auto clock_count = static_cast<uint32_t>(state.range(0));
  const PairEstimate pair = EstimatePair(Collect(MakeMessages(10'000, Order::kSorted)), {});
  const LocalTime first{pair.line->at.x};
  const std::vector<ClockInput> clocks(clock_count, {{}, first, {first.ticks + 100'000'000}});
  std::vector<PairInput> pairs;
  for (uint32_t b = 1; b < clock_count; ++b) {
    for (uint32_t a = 0; a < b; ++a) pairs.push_back({ClockId(a), ClockId(b), pair});
  }
  for (auto _ : state) benchmark::DoNotOptimize(EstimateTree(clocks, pairs, {}).clocks.size());
}
BENCHMARK(EstimateMesh)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace syncline
