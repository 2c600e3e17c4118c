// All clocks at once: what the lines and the bounds cost by number of clocks and of pairs.
//
// A minute of traffic between linear clocks, the same number of messages either way for every pair,
// least delays of 5 to 100 µs that differ by direction, exponential delays of 20 µs on top. Only
// the group step is timed; pairs are estimated before. Counters: pairs, and the
// largest true error and the mean bound at the ends of the traces, for the tree too.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "estimate/groups/tree_error.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/joint/joint.h"

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'795'263'390'669'396'121;

struct Simulated {
  std::vector<Line> from_true;
  std::vector<ClockInput> clocks;
  std::vector<PairInput> pairs;
};

void AddClocks(uint32_t count, std::mt19937_64& random, Simulated& simulated) {
  for (uint32_t i = 0; i < count; ++i) {
    const auto offset = static_cast<int64_t>(random() % (2 * kSecond)) - kSecond;
    const auto drift_ppb = static_cast<int64_t>(random() % 100'000) - 50'000;
    const Line line = i == 0 ? Line{{kStart, kStart}, {1, 1}}
                             : Line{{kStart, kStart + offset}, {kSecond + drift_ppb, kSecond}};
    simulated.from_true.push_back(line);
    simulated.clocks.push_back({{}, {line.Floor(kStart)}, {line.Ceil(kStart + 61 * kSecond)}});
  }
}

PairInput MakePair(const Simulated& simulated, uint32_t a, uint32_t b, int messages,
                   std::mt19937_64& random) {
  std::exponential_distribution<double> jitter(1.0 / 20'000);
  PairPoints points;
  for (const bool is_a_to_b : {true, false}) {
    const Line& from = simulated.from_true[is_a_to_b ? a : b];
    const Line& to = simulated.from_true[is_a_to_b ? b : a];
    const auto least = static_cast<int64_t>(5'000 + random() % 95'000);
    for (int i = 0; i < messages; ++i) {
      const auto sent = kStart + static_cast<int64_t>(random() % (60 * kSecond));
      const auto received = sent + least + static_cast<int64_t>(jitter(random));
      is_a_to_b ? points.AddAToB(from.Floor(sent), to.Ceil(received))
                : points.AddBToA(from.Floor(sent), to.Ceil(received));
    }
  }
  return {ClockId(a), ClockId(b), EstimatePair(points, {})};
}

// Each clock talks to `neighbours` others on average; all of them when that is 0.
Simulated Simulate(uint32_t count, uint32_t neighbours, int messages) {
  std::mt19937_64 random(42);
  Simulated simulated;
  AddClocks(count, random, simulated);
  std::set<std::pair<uint32_t, uint32_t>> talk;
  if (neighbours == 0) {
    for (uint32_t b = 1; b < count; ++b) {
      for (uint32_t a = 0; a < b; ++a) talk.emplace(a, b);
    }
  } else {
    for (uint32_t b = 1; b < count; ++b) talk.emplace(static_cast<uint32_t>(random() % b), b);
    while (talk.size() < size_t{count} * neighbours / 2) {
      const auto a = static_cast<uint32_t>(random() % count);
      const auto b = static_cast<uint32_t>(random() % count);
      if (a != b) talk.emplace(std::min(a, b), std::max(a, b));
    }
  }
  for (const auto& [a, b] : talk) {
    simulated.pairs.push_back(MakePair(simulated, a, b, messages, random));
  }
  return simulated;
}

double LargestErrorUs(const Simulated& simulated, const GroupEstimate& group) {
  int64_t largest = 0;
  for (size_t i = 0; i < group.clocks.size(); ++i) {
    for (const LocalTime t : {simulated.clocks[i].first, simulated.clocks[i].last}) {
      const int64_t true_ns = simulated.from_true[i].Inverted().Nearest(t.ticks);
      largest = std::max(largest, std::abs(group.clocks[i].correction(t).ns - true_ns));
    }
  }
  return static_cast<double>(largest) / 1000;
}

// The mean over clocks of half the width of the bounds, at the ends of the traces.
double MeanBoundUs(const Simulated& simulated, const GroupEstimate& group) {
  double sum = 0;
  for (size_t i = 0; i < group.clocks.size(); ++i) {
    for (const LocalTime t : {simulated.clocks[i].first, simulated.clocks[i].last}) {
      const TimeBounds& bounds = group.clocks[i].bounds;
      sum += static_cast<double>(bounds.Upper(t)->ns - bounds.Lower(t)->ns) / 2000;
    }
  }
  return sum / static_cast<double>(2 * group.clocks.size());
}

void EstimateAllClocks(benchmark::State& state) {
  const Simulated simulated =
      Simulate(static_cast<uint32_t>(state.range(0)), static_cast<uint32_t>(state.range(1)),
               static_cast<int>(state.range(2)));
  const JointOptions options{.reference = ClockId(0)};
  JointEstimate estimate;
  for (auto _ : state) {
    estimate = EstimateJoint(simulated.clocks, simulated.pairs, options);
  }
  const GroupEstimate tree =
      EstimateTree(simulated.clocks, simulated.pairs, {.reference = ClockId(0)});
  state.counters["pairs"] = static_cast<double>(simulated.pairs.size());
  state.counters["error_us"] = LargestErrorUs(simulated, estimate.group);
  state.counters["tree_error_us"] = LargestErrorUs(simulated, tree);
  state.counters["bound_us"] = MeanBoundUs(simulated, estimate.group);
  state.counters["tree_bound_us"] = MeanBoundUs(simulated, tree);
}
// Clocks, neighbours of each (0: all), messages per direction of a pair.
BENCHMARK(EstimateAllClocks)
    ->Args({8, 0, 1000})
    ->Args({16, 0, 1000})
    ->Args({32, 0, 1000})
    ->Args({64, 4, 1000})
    ->Args({64, 0, 1000})
    ->Args({256, 8, 1000})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace syncline
