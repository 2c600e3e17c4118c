// Simulated groups with known truth for sweeps: clocks of any course and tick.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "estimate/group.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/pair.h"

namespace syncline {

enum class Topology { kRing, kMesh, kStar, kSparse };
enum class Course { kLinear, kWandering, kSlewing };

struct SweepSetup {
  uint64_t seed = 1;
  size_t clocks = 8;
  Topology topology = Topology::kRing;
  Course course = Course::kLinear;
  double detour_ns = 0;  // of clocks that are not linear
  enum class Delays { kAsymmetric, kSymmetric } delays = Delays::kAsymmetric;
  int messages = 30;  // per direction of a pair
  int64_t start_s = 0;
  int64_t length_s = 60;
  int64_t ticks_per_second = 1'000'000'000;
};

// Pairs (a, b), a < b, that make a connected graph.
inline std::set<std::pair<size_t, size_t>> PairsOf(const SweepSetup& setup,
                                                   std::mt19937_64& random) {
  std::set<std::pair<size_t, size_t>> pairs;
  const size_t n = setup.clocks;
  for (size_t b = 1; b < n; ++b) {
    switch (setup.topology) {
      case Topology::kRing:
        pairs.emplace(b - 1, b);
        if (b == n - 1 && n > 2) pairs.emplace(0, b);
        break;
      case Topology::kMesh:
        for (size_t a = 0; a < b; ++a) pairs.emplace(a, b);
        break;
      case Topology::kStar: pairs.emplace(0, b); break;
      case Topology::kSparse:
        pairs.emplace(random() % b, b);
        if (const size_t a = random() % n; a != b) pairs.insert(std::minmax({a, b}));
        break;
    }
  }
  return pairs;
}

class SimulatedGroup {
 public:
  struct Sent {
    size_t from = 0;
    size_t to = 0;
    int64_t sent = 0;  // true times in ns
    int64_t received = 0;
  };

  explicit SimulatedGroup(const SweepSetup& setup) : setup_(setup), random_(setup.seed) {
    MakeClocks();
    for (const auto& [a, b] : PairsOf(setup_, random_)) Talk(a, b);
    for (const Sent& m : sent_) {
      Include(m.from, Reading(m.from, m.sent));
      Include(m.to, Reading(m.to, m.received));
      PairPoints& points = points_[{std::min(m.from, m.to), std::max(m.from, m.to)}];
      const int64_t send = NominalNs(m.from, m.sent);
      const int64_t receive = NominalNs(m.to, m.received);
      m.from < m.to ? points.AddAToB(send, receive) : points.AddBToA(send, receive);
    }
  }

  // The tick that a clock shows at a true time. Clock 0 keeps true time, but for its ticks.
  LocalTime Reading(size_t clock, int64_t true_ns) const {
    const TrueCourse& c = courses_[clock];
    const int64_t elapsed = true_ns - StartNs();
    const auto drift = static_cast<Int128>(elapsed) * c.drift_ppb;
    const Int128 nominal = static_cast<Int128>(true_ns) + c.offset_ns +
                           FloorDiv(drift, kNsPerSecond) + std::llround(Detour(c, elapsed));
    return {static_cast<int64_t>(FloorDiv(nominal * setup_.ticks_per_second, kNsPerSecond))};
  }
  int64_t NominalNs(size_t clock, int64_t true_ns) const {
    return inputs_[clock].clock.NominalNs(Reading(clock, true_ns));
  }

  PairEstimate EstimateOf(const PairPoints& points) const {
    const int64_t reading_ns = Clock::ReadingNs(setup_.ticks_per_second);
    return EstimatePair(points, {.reading_a_ns = reading_ns, .reading_b_ns = reading_ns});
  }
  std::vector<PairInput> Pairs() const {
    std::vector<PairInput> pairs;
    for (const auto& [clocks, points] : points_) {
      pairs.push_back({IdOf(clocks.first), IdOf(clocks.second), EstimateOf(points)});
    }
    return pairs;
  }
  // Messages that are received before sent once corrected.
  size_t Inversions(const GroupEstimate& group) const {
    return static_cast<size_t>(std::count_if(sent_.begin(), sent_.end(), [&](const Sent& m) {
      return group.clocks[m.to].correction(Reading(m.to, m.received)) <
             group.clocks[m.from].correction(Reading(m.from, m.sent));
    }));
  }

  // Events whose true time lies outside their bounds.
  size_t Outside(const GroupEstimate& group) const {
    size_t outside = 0;
    for (const Sent& m : sent_) {
      outside += IsOutside(group.clocks[m.from], m.from, m.sent) ? 1 : 0;
      outside += IsOutside(group.clocks[m.to], m.to, m.received) ? 1 : 0;
    }
    return outside;
  }

  const std::vector<ClockInput>& inputs() const { return inputs_; }
  int64_t StartNs() const { return setup_.start_s * kNsPerSecond; }

 private:
  static constexpr int64_t kNsPerSecond = 1'000'000'000;

  struct TrueCourse {
    int64_t offset_ns = 0;
    int64_t drift_ppb = 0;
    double phase = 0;
    double detour_ns = 0;
  };

  static ClockId IdOf(size_t clock) { return ClockId(static_cast<uint32_t>(clock)); }
  int64_t LengthNs() const { return setup_.length_s * kNsPerSecond; }

  void MakeClocks() {
    for (size_t i = 0; i < setup_.clocks; ++i) {
      inputs_.push_back({{.name = std::to_string(i),
                          .ticks_per_second = setup_.ticks_per_second,
                          .reading_ns = Clock::ReadingNs(setup_.ticks_per_second)},
                         {INT64_MAX},
                         {INT64_MIN}});
      if (i == 0) {
        courses_.emplace_back();
        continue;
      }
      courses_.push_back({static_cast<int64_t>(random_() % (4 * kNsPerSecond)) - 2 * kNsPerSecond,
                          static_cast<int64_t>(random_() % 180'000) - 90'000,
                          static_cast<double>(random_() % 1000) / 1000, setup_.detour_ns});
    }
  }

  // What a clock that is not linear adds: a sine of three periods, or a slew over a twelfth of the
  // trace in its middle.
  double Detour(const TrueCourse& c, int64_t elapsed) const {
    const double share = static_cast<double>(elapsed) / static_cast<double>(LengthNs());
    switch (setup_.course) {
      case Course::kLinear: return 0;
      case Course::kWandering: return c.detour_ns * std::sin(2 * M_PI * (3 * share + c.phase));
      case Course::kSlewing: return c.detour_ns * std::clamp((share - 0.45) * 12, 0.0, 1.0);
    }
    return 0;
  }

  // Least delays of 10 to 200 µs, exponential ones of 50 µs on top.
  void Talk(size_t a, size_t b) {
    std::exponential_distribution<double> jitter(1.0 / 50'000);
    const auto least_delay = [&] { return static_cast<int64_t>(10'000 + random_() % 190'000); };
    const int64_t there = least_delay();
    const int64_t back = setup_.delays == SweepSetup::Delays::kSymmetric ? there : least_delay();
    for (const auto& [from, to, least] : {std::tuple(a, b, there), std::tuple(b, a, back)}) {
      for (int i = 0; i < setup_.messages; ++i) {
        const auto elapsed = static_cast<int64_t>(random_() % static_cast<uint64_t>(LengthNs()));
        const int64_t sent = StartNs() + elapsed;
        sent_.push_back({from, to, sent, sent + least + static_cast<int64_t>(jitter(random_))});
      }
    }
  }

  void Include(size_t clock, LocalTime reading) {
    inputs_[clock].first = std::min(inputs_[clock].first, reading);
    inputs_[clock].last = std::max(inputs_[clock].last, reading);
  }

  bool IsOutside(const ClockEstimate& estimate, size_t clock, int64_t true_ns) const {
    // Bounds do not allow for readings of whole nanoseconds: one for either clock.
    constexpr int64_t kRounding = 2;
    const auto lower = estimate.bounds.Lower(Reading(clock, true_ns));
    const auto upper = estimate.bounds.Upper(Reading(clock, true_ns));
    return (lower && lower->ns > true_ns + kRounding) || (upper && upper->ns < true_ns - kRounding);
  }

  SweepSetup setup_;
  std::mt19937_64 random_;
  std::vector<TrueCourse> courses_;
  std::vector<ClockInput> inputs_;
  std::vector<Sent> sent_;
  std::map<std::pair<size_t, size_t>, PairPoints> points_;
};

}  // namespace syncline
