#include "write/otf2/clock_offset_fitter.h"

#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "write/otf2/testing/reader_clock.h"

namespace syncline {
namespace {

using Events = std::vector<std::pair<int64_t, int64_t>>;  // recorded, wanted

// The records that the fitter finds, after a check that they do what they should.
std::vector<ClockOffset> Fitted(const Events& events) {
  ClockOffsetFitter fitter;
  for (const auto& [recorded, wanted] : events) fitter.Add(recorded, wanted);
  std::vector<ClockOffset> records = fitter.Finish();
  EXPECT_EQ(fitter.problems().count(), 0u);
  for (size_t i = 1; i < records.size(); ++i) {
    EXPECT_LT(records[i - 1].time, records[i].time) << "record " << i;
  }
  EXPECT_GE(records.front().time, 0);
  ReaderClock reader(records);
  for (size_t i = 0; i < events.size(); ++i) {
    const int64_t seen = reader(events[i].first);
    EXPECT_EQ(seen, events[i].second) << "event " << i;
    if (seen != events[i].second) break;
  }
  return records;
}

int64_t Rounded(double value) { return static_cast<int64_t>(std::llround(value)); }

TEST(ClockOffsetFitter, WritesNothingForNoEvents) {
  EXPECT_TRUE(ClockOffsetFitter().Finish().empty());
}

TEST(ClockOffsetFitter, WritesTwoRecordsForOneEventBecauseReadersIgnoreASingleOne) {
  EXPECT_EQ(Fitted({{100, 130}}), (std::vector<ClockOffset>{{100, 30}, {101, 30}}));
}

TEST(ClockOffsetFitter, WritesTwoRecordsForAConstantOffset) {
  Events events;
  for (int64_t t = 5; t < 100'000; t += 7) events.push_back({t, t - 3});
  EXPECT_EQ(Fitted(events).size(), 2u);
}

TEST(ClockOffsetFitter, WritesFewRecordsForOneStraightLine) {
  // The steeper the line, the further it passes from integer points.
  const std::pair<double, size_t> lines[] = {{1e-9, 16},   {50e-6, 16}, {-70e-6, 16},
                                             {120e-6, 16}, {1e-3, 200}, {-0.3, 20'000}};
  for (const auto& [slope, most] : lines) {
    std::mt19937_64 random(1);
    Events events;
    for (int64_t t = 40'000'000; events.size() < 100'000; t += 1 + random() % 600'000) {
      events.push_back({t, t + 1'000'000 + Rounded(slope * static_cast<double>(t))});
    }
    EXPECT_LE(Fitted(events).size(), most) << "slope " << slope;
  }
}

TEST(ClockOffsetFitter, WritesFewRecordsAroundEventsThatWereMovedFromALine) {
  std::mt19937_64 random(2);
  Events events;
  const auto on_line = [](int64_t t) { return t + Rounded(3e-5 * static_cast<double>(t)); };
  for (int64_t t = 0; events.size() < 20'000; t += 1 + random() % 400) {
    events.push_back({t, on_line(t)});
  }
  // One event jumps by 5000; those before lead up to it, those after fall back to the line.
  const int64_t at = events[10'000].first;
  for (auto& [t, wanted] : events) {
    const double share = t <= at ? 1 - static_cast<double>(at - t) / 500'000
                                 : 1 - static_cast<double>(t - at) / 300'000;
    if (share > 0) wanted += Rounded(5'000 * share);
  }
  EXPECT_LE(Fitted(events).size(), 200u);
}

TEST(ClockOffsetFitter, IsExactForRandomMonotoneTimes) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    const uint64_t recorded_step = uint64_t{1} << (random() % 20);
    const uint64_t wanted_step = uint64_t{1} << (random() % 20);
    Events events;
    int64_t recorded = static_cast<int64_t>(random() % 1'000'000'000'000);
    int64_t wanted = static_cast<int64_t>(random() % 1'000'000'000'000) - 500'000'000'000;
    for (int i = 0; i < 3000; ++i) {
      events.push_back({recorded, wanted});
      recorded += 1 + static_cast<int64_t>(random() % recorded_step);
      wanted += static_cast<int64_t>(random() % wanted_step);
    }
    EXPECT_LE(Fitted(events).size(), events.size() + 2) << "seed " << seed;
    EXPECT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(ClockOffsetFitter, IsExactForPiecesOfLinesAndNoise) {
  for (uint64_t seed = 100; seed <= 120; ++seed) {
    std::mt19937_64 random(seed);
    Events events;
    int64_t t = 0;
    double offset = 1e6;
    int64_t before = INT64_MIN;
    while (events.size() < 10'000) {
      const double slope = (static_cast<double>(random() % 2001) - 1000) * 1e-6;
      const double noise = static_cast<double>(random() % 3);
      const uint64_t step = 1 + random() % 5000;
      for (uint64_t n = random() % 1500; n > 0; --n) {
        const int64_t gap = 1 + static_cast<int64_t>(random() % step);
        t += gap;
        offset += slope * static_cast<double>(gap);
        const int64_t wanted = t + Rounded(offset + noise * static_cast<double>(random() % 100));
        before = std::max(before, wanted);
        events.push_back({t, before});
      }
    }
    Fitted(events);
    EXPECT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(ClockOffsetFitter, LeavesEventsOfOneTimeTogether) {
  EXPECT_EQ(Fitted({{10, 15}, {10, 15}, {20, 25}, {20, 25}}).size(), 2u);
}

TEST(ClockOffsetFitter, ReportsWhatRecordsCannotSay) {
  struct Case {
    Events events;
    ClockOffsetProblems problems;
  };
  const Case cases[] = {
      {{{10, 10}, {10, 11}, {10, 12}}, {.ties = 2, .first_event = 1}},
      {{{10, 10}, {20, 20}, {19, 30}}, {.recorded_back = 1, .first_event = 2}},
      {{{10, 10}, {20, 9}}, {.corrected_back = 1, .first_event = 1}},
      {{{-1, 10}}, {.out_of_range = 1}},
      {{{INT64_MAX, INT64_MIN + 1}}, {.out_of_range = 1}},
      {{{0, kMaxOtf2Ticks + 1}}, {.out_of_range = 1}},
  };
  for (const Case& c : cases) {
    ClockOffsetFitter fitter;
    for (const auto& [recorded, wanted] : c.events) fitter.Add(recorded, wanted);
    EXPECT_EQ(fitter.problems().ties, c.problems.ties);
    EXPECT_EQ(fitter.problems().recorded_back, c.problems.recorded_back);
    EXPECT_EQ(fitter.problems().corrected_back, c.problems.corrected_back);
    EXPECT_EQ(fitter.problems().out_of_range, c.problems.out_of_range);
    EXPECT_EQ(fitter.problems().first_event, c.problems.first_event);
  }
}

TEST(ClockOffsetFitter, BridgesLeapsThatADoubleCannotFollow) {
  Fitted({{0, 1}, {10, (int64_t{1} << 59) + 3}, {kMaxOtf2Ticks - 5, kMaxOtf2Ticks - 1}});
}

TEST(ReaderClock, InterpolatesExtrapolatesAndNeverLooksBack) {
  const std::vector<ClockOffset> records = {{100, 10}, {200, 20}, {300, 0}};
  ReaderClock clock(records);
  EXPECT_EQ(clock(50), 50 + 10 - 5);  // 0.1 per tick, before the first record
  EXPECT_EQ(clock(105), 105 + 10);    // 10.5, ties to even
  EXPECT_EQ(clock(115), 115 + 12);    // 11.5
  EXPECT_EQ(clock(200), 200 + 20);
  EXPECT_EQ(clock(201), 201 + 20);      // 19.8
  EXPECT_EQ(clock(190), 190 + 20 + 2);  // still −0.2 per tick
  EXPECT_EQ(clock(400), 400 + 0 - 20);
  EXPECT_EQ(ReaderClock({records.data(), 1})(7), 7);
}

}  // namespace
}  // namespace syncline
