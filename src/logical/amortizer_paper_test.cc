// How far the amortization departs from the paper by taking as abscissa the clock without its
// jumps instead of the clock with earlier jumps amortized.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "logical/testing/amortizer_oracle.h"

namespace syncline {
namespace {

using oracle::AmortizedEvent;

struct RealPoint {
  long double x = 0;
  long double rise = 0;
  size_t index = 0;
};

std::vector<RealPoint> LowerChain(const std::vector<RealPoint>& points) {
  std::vector<RealPoint> chain;
  for (const RealPoint& p : points) {
    while (chain.size() > 1) {
      const RealPoint& a = chain[chain.size() - 2];
      const RealPoint& b = chain.back();
      if ((b.rise - a.rise) * (p.x - b.x) < (p.rise - b.rise) * (b.x - a.x)) break;
      chain.pop_back();
    }
    chain.push_back(p);
  }
  return chain;
}

// The receive's interval: its left end, the sends in it, and the receive itself.
std::vector<RealPoint> IntervalPoints(const std::vector<AmortizedEvent>& events,
                                      const std::vector<long double>& times, size_t first,
                                      size_t receive, long double length) {
  const auto jump = static_cast<long double>(events[receive].jump_ns);
  const long double end = times[receive] - jump;
  std::vector<RealPoint> points = {{times[0], jump, 0}};
  for (size_t i = first; i < receive; ++i) {
    if (events[i].latest_ns == INT64_MAX) continue;
    const long double allowed = static_cast<long double>(events[i].latest_ns) - times[i];
    points.push_back({times[i], std::max(allowed, 0.0L), i});
    points[0].rise = std::min(points[0].rise, points.back().rise);
  }
  if (first > 0) points[0] = {std::max(end - length, times[first - 1]), 0, first};
  points.push_back({end, jump, receive});
  return points;
}

// Algorithm 5 word for word, in real numbers.
std::vector<long double> AmortizedAsInThePaper(const std::vector<AmortizedEvent>& events,
                                               const AmortizationOptions& options) {
  std::vector<long double> times;
  size_t first = 0;
  int64_t largest = options.start_difference_ns;
  for (size_t k = 0; k < events.size(); ++k) {
    times.push_back(static_cast<long double>(events[k].clock_ns));
    largest = std::max(largest, events[k].jump_ns);
    const long double length = static_cast<long double>(largest) *
                               static_cast<long double>(options.error_denominator) /
                               static_cast<long double>(options.error_numerator);
    const long double end = times[k] - static_cast<long double>(events[k].jump_ns);
    while (first < k && end - times[first] > length) ++first;
    if (events[k].jump_ns == 0 || first == k) continue;
    const auto chain = LowerChain(IntervalPoints(events, times, first, k, length));
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      const long double run = chain[i + 1].x - chain[i].x;
      const long double slope = run > 0 ? (chain[i + 1].rise - chain[i].rise) / run : 0;
      for (size_t e = chain[i].index; e < chain[i + 1].index; ++e) {
        times[e] += chain[i].rise + slope * (times[e] - chain[i].x);
      }
    }
  }
  return times;
}

struct SizeCase {
  int64_t gap_ns;   // mean distance of events; every fourth is a receive with a jump
  int64_t jump_ns;  // mean
  int64_t slack_ns;
};

TEST(AmortizerAndPaper, DifferByTheShareThatJumpsHaveOfTheTime) {
  const uint64_t seed = 3;
  for (const SizeCase& c :
       {SizeCase{300'000, 16, 100'000}, SizeCase{300'000, 2'000, 100'000},
        SizeCase{300'000, 20'000, 50'000'000}, SizeCase{20'000, 2'000, 1'000'000'000}}) {
    std::mt19937_64 random(seed);
    const auto around = [&](int64_t mean) {
      return static_cast<int64_t>(random() % (2 * static_cast<uint64_t>(mean)));
    };
    std::vector<AmortizedEvent> events(1500);
    int64_t clock = 1'000'000'000;
    for (size_t i = 0; i < events.size(); ++i) {
      if (i % 4 == 3) events[i].jump_ns = around(c.jump_ns);
      clock += around(c.gap_ns) + events[i].jump_ns;
      events[i].clock_ns = clock;
      if (i % 4 == 1) events[i].latest_ns = clock + around(c.slack_ns);
    }
    const auto real = AmortizedAsInThePaper(events, {});
    const auto ours = oracle::Amortize(events, {}).after_ns;
    long double largest_rise = 0;
    long double largest_difference = 0;
    for (size_t i = 0; i < events.size(); ++i) {
      const auto before = static_cast<long double>(events[i].clock_ns);
      largest_rise = std::max(largest_rise, real[i] - before);
      largest_difference =
          std::max(largest_difference, std::abs(real[i] - static_cast<long double>(ours[i])));
    }
    const long double share =
        static_cast<long double>(c.jump_ns) / static_cast<long double>(4 * c.gap_ns);
    EXPECT_GT(largest_rise, 0);
    EXPECT_LE(largest_difference, 1 + share * largest_rise)
        << "seed " << seed << " jumps of " << c.jump_ns << " ns";
  }
}

}  // namespace
}  // namespace syncline
