// What drift-bounded estimation costs, as clocks and messages grow: a line of a table per case.
//
//   drift_bounded_growth [CLOCKS NEIGHBOURS MESSAGES]...   default: a growth of each
//
// Clocks stand in a ring, each exchanges messages with its nearest NEIGHBOURS both ways over an
// hour, rates wander by a few ppm, delays are 50 µs and an exponential of 100 µs more. Making the
// messages is not measured, and memory is what estimation takes beside them, at most.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <sys/resource.h>

#include "base/memory.h"
#include "base/stopwatch.h"
#include "estimate/drift_bounded/best_guess.h"
#include "estimate/drift_bounded/component.h"
#include "estimate/drift_bounded/corrections.h"

namespace {

using namespace syncline;
using namespace syncline::drift_bounded;

constexpr int64_t kLengthNs = 3'600'000'000'000;

struct Case {
  uint32_t clocks = 0;
  uint32_t neighbours = 0;
  uint64_t messages = 0;
};

class Clocks {
 public:
  Clocks(uint32_t count, std::mt19937_64& random) {
    std::uniform_real_distribution<double> drift(-50e-6, 50e-6), phase(0, 6.28);
    for (uint32_t c = 0; c < count; ++c) clocks_.push_back({drift(random), phase(random)});
  }
  // A sine of 2 ppm over 20 minutes, about a constant drift.
  int64_t Read(uint32_t clock, double t_ns) const {
    constexpr double kWander = 2e-6, kPeriodNs = 1.2e12, kTurn = 6.283185307179586;
    const auto& [drift, phase] = clocks_[clock];
    const double wander = kWander * kPeriodNs / kTurn * std::sin(t_ns / kPeriodNs * kTurn + phase);
    return static_cast<int64_t>(t_ns * (1 + drift) + wander);
  }

  // Global time by each clock's, less 1, as the lines of pairs would tell.
  std::vector<double> Slopes() const {
    std::vector<double> slopes;
    for (const auto& [drift, phase] : clocks_) {
      slopes.push_back((1 + clocks_.front().first) / (1 + drift) - 1);
    }
    return slopes;
  }

 private:
  std::vector<std::pair<double, double>> clocks_;
};

std::vector<RecordedMessage> Simulate(const Case& c, const Clocks& clocks,
                                      std::mt19937_64& random) {
  std::exponential_distribution<double> delay(1 / 100e3);
  std::vector<RecordedMessage> messages;
  messages.reserve(c.messages);
  for (uint64_t i = 0; i < c.messages; ++i) {
    const auto from = static_cast<uint32_t>(random() % c.clocks);
    const auto step = static_cast<uint32_t>(random() % c.neighbours);
    const uint32_t distance = step / 2 + 1;
    const uint32_t to = (from + (step % 2 == 0 ? distance : c.clocks - distance)) % c.clocks;
    if (to == from) continue;
    const double sent =
        static_cast<double>(kLengthNs) * static_cast<double>(i) / static_cast<double>(c.messages);
    const int64_t s = clocks.Read(from, sent);
    const int64_t r = clocks.Read(to, sent + 50e3 + delay(random));
    messages.push_back({ClockId(from), ClockId(to), {s}, {r}, s, r, i});
  }
  return messages;
}

// What the process took since it began to be measured, beside what it held by then.
class Usage {
 public:
  uint64_t PeakMiB() const { return memory_.PeakBytes().value_or(0) >> 20; }
  uint64_t faults() const { return static_cast<uint64_t>(Now().ru_minflt - before_.ru_minflt); }
  double SystemSeconds() const { return Seconds(Now().ru_stime) - Seconds(before_.ru_stime); }

 private:
  static rusage Now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage;
  }
  static double Seconds(timeval t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  MemoryMeter memory_;
  rusage before_ = Now();
};

void Measure(const Case& c) {
  std::mt19937_64 random(20261123);
  const Clocks clocks(c.clocks, random);
  const std::vector<RecordedMessage> messages = Simulate(c, clocks, random);
  std::vector<ClockInput> inputs(c.clocks);
  const MessagePass pass = [&](const MessageVisitor& visit) -> Result<void> {
    for (const RecordedMessage& m : messages) visit(m);
    return {};
  };
  Component component(inputs, ClockId(0), pass, {}, std::vector<bool>(c.clocks, true));
  Explanation explanation{TrackTable(std::vector<uint32_t>(c.clocks, 1)),
                          std::vector<RateLimits>(c.clocks, RateLimits::Within(200)),
                          {}};
  explanation.limits[0] = {};
  const Usage usage;
  Stopwatch watch;
  const auto collected = component.CollectMessages(explanation);
  const double envelope_s = watch.Restart();
  uint64_t kept = 0;
  for (const KeptDirection& d : collected->directions) kept += d.all.size();
  watch.Restart();
  const Solved solved = component.Solve(explanation, *collected, Stamps::kCoarse);
  const double bounds_s = watch.Restart();
  const std::vector<double> slopes = clocks.Slopes();
  const BestGuess guess = FindBestGuess({.tracks = explanation.tracks,
                                         .directions = collected->directions,
                                         .slopes = slopes,
                                         .graph = solved.graph,
                                         .paths = solved.paths});
  const double guess_s = watch.Restart();
  std::vector<int64_t> origins_ns;
  for (uint32_t i = 0; i < c.clocks; ++i) origins_ns.push_back(component.origin_ns(ClockId(i)));
  DrawCorrections({.clocks = inputs,
                   .tracks = explanation.tracks,
                   .origins_ns = origins_ns,
                   .reference_origin_ns = origins_ns.front(),
                   .graph = solved.graph,
                   .paths = solved.paths,
                   .guess = guess,
                   .certain = {}});
  const double corrections_s = watch.Restart();
  const auto n = static_cast<double>(messages.size());
  const auto k = static_cast<double>(kept);
  std::printf("| %u × %u | %zu | %llu | %.1f | %.0f | %.0f | %.0f | %.2f | %.2f | %llu | %llu |\n",
              c.clocks, c.neighbours, messages.size(), static_cast<unsigned long long>(kept),
              envelope_s * 1e9 / n, bounds_s * 1e9 / k, guess_s * 1e9 / k, corrections_s * 1e9 / k,
              envelope_s + bounds_s + guess_s + corrections_s, usage.SystemSeconds(),
              static_cast<unsigned long long>(usage.faults()),
              static_cast<unsigned long long>(usage.PeakMiB()));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Case> cases;
  for (int i = 1; i + 2 < argc; i += 3) {
    cases.push_back({static_cast<uint32_t>(std::atoi(argv[i])),
                     static_cast<uint32_t>(std::atoi(argv[i + 1])),
                     static_cast<uint64_t>(std::atoll(argv[i + 2]))});
  }
  if (cases.empty()) {
    for (const uint64_t messages : {100'000, 1'000'000, 10'000'000}) {
      cases.push_back({64, 8, messages});
    }
    for (const uint32_t clocks : {2, 16, 256, 1000, 4096}) cases.push_back({clocks, 2, 1'000'000});
  }
  std::printf(
      "| clocks × neighbours | messages | kept | envelope, ns per message | bounds, ns per "
      "kept | guess, ns per kept | corrections, ns per kept | all, s | system, s | page faults | "
      "MiB |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const Case& c : cases) Measure(c);
}
