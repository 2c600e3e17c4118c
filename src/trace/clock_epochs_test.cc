#include "trace/clock_epochs.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Epochs {
  std::vector<std::vector<uint64_t>> first_event;
  uint64_t ambiguous = 0;
  std::vector<std::vector<UnseenSetBack>> unseen;  // by process and set-back
};

// Of the processes of one clock, from their readings.
Epochs FindEpochs(const std::vector<std::vector<int64_t>>& readings) {
  std::vector<SeenSetBacks> seen;
  for (const auto& of_process : readings) {
    SetBackFinder finder({0, 0});
    for (const int64_t reading : of_process) finder.Add({reading});
    seen.push_back(finder.Finish());
  }
  const EpochPlan plan = PlanEpochs(seen).value();
  Epochs epochs{{}, plan.ambiguous, {}};
  for (size_t p = 0; p < readings.size(); ++p) {
    EpochPlacer placer(plan.set_backs, plan.own[p]);
    for (size_t i = 0; i < readings[p].size(); ++i) placer.Add(i, {readings[p][i]});
    epochs.first_event.push_back(placer.first_event());
    epochs.ambiguous += placer.ambiguous();
    epochs.unseen.push_back(placer.unseen());
  }
  return epochs;
}

TEST(ClockEpochs, TheExampleOfTheHeader) {
  const Epochs epochs =
      FindEpochs({{10, 20, 30, 22, 40, 50}, {12, 18, 28, 25, 41}, {11, 19, 26, 33, 47}});
  EXPECT_THAT(epochs.first_event, ElementsAre(ElementsAre(3), ElementsAre(3), ElementsAre(3)));
  EXPECT_EQ(epochs.ambiguous, 1U);  // 26 of the third
  // Next to what others read twice it has these; both are of either side if H is 33, or L 19.
  ASSERT_EQ(epochs.unseen[2].size(), 1U);
  EXPECT_EQ(epochs.unseen[2][0].last_before, LocalTime{19});
  EXPECT_EQ(epochs.unseen[2][0].first_after, LocalTime{33});
}

TEST(ClockEpochs, SetBacksOfOneProcessAreNeverOne) {
  const Epochs epochs = FindEpochs({{0, 100, 0, 100, 0, 100}, {1, 99, 2, 98, 3, 97}});
  EXPECT_THAT(epochs.first_event, ElementsAre(ElementsAre(2, 4), ElementsAre(2, 4)));
  EXPECT_EQ(epochs.ambiguous, 0U);
}

TEST(ClockEpochs, OnesFarApartAreDifferent) {
  // The first process saw the clock go back from 30 to 28, the second from 90 to 85.
  const Epochs epochs = FindEpochs({{0, 30, 28, 60, 100}, {0, 50, 90, 85, 120}});
  EXPECT_THAT(epochs.first_event, ElementsAre(ElementsAre(2, 4), ElementsAre(1, 3)));
  EXPECT_EQ(epochs.ambiguous, 0U);
}

TEST(ClockEpochs, NearOnesAreTheSameAlthoughTheyDoNotOverlap) {
  // From 100 to 75: the first process was silent after it, the second before it.
  const Epochs epochs = FindEpochs({{90, 100, 82, 110}, {70, 80, 76, 110}});
  EXPECT_THAT(epochs.first_event, ElementsAre(ElementsAre(2), ElementsAre(2)));
}

TEST(ClockEpochs, AProcessCanLackEpochsAtBothEndsAndBetween) {
  const std::vector<int64_t> all = {0, 10, 5, 30, 25, 50, 45, 60};  // back at 2, 4, 6
  EXPECT_THAT(FindEpochs({all, {1, 4}}).first_event, ElementsAre(ElementsAre(2, 4, 6), IsEmpty()));
  EXPECT_THAT(FindEpochs({all, {55, 60}}).first_event,
              ElementsAre(ElementsAre(2, 4, 6), ElementsAre(0, 0, 0)));
  EXPECT_THAT(FindEpochs({all, {1, 31}}).first_event,
              ElementsAre(ElementsAre(2, 4, 6), ElementsAre(1, 1)));
  EXPECT_THAT(FindEpochs({all, {}}).first_event, ElementsAre(ElementsAre(2, 4, 6), IsEmpty()));
}

TEST(ClockEpochs, HoldAtTheEndsOfTheRange) {
  const Epochs epochs = FindEpochs({{INT64_MIN, INT64_MAX, INT64_MIN, 0}, {INT64_MAX, INT64_MIN}});
  EXPECT_THAT(epochs.first_event, ElementsAre(ElementsAre(2), ElementsAre(1)));
}

// One clock that is set back now and then, and processes that look at it at random.
TEST(ClockEpochs, AreThoseOfTheClockWhereProcessesAreBusy) {
  std::mt19937_64 random(20262);
  for (int run = 0; run < 300; ++run) {
    std::vector<std::vector<int64_t>> readings(1 + random() % 4);
    std::vector<std::vector<uint64_t>> expected(readings.size());
    int64_t reading = static_cast<int64_t>(random() % 1000);
    for (int t = 1; t < 3000; ++t) {
      ++reading;
      if (t % 500 == 0) {
        reading -= 40 + static_cast<int64_t>(random() % 200);
        for (size_t p = 0; p < readings.size(); ++p) expected[p].push_back(readings[p].size());
      }
      // Half of the processes may be silent for long.
      for (size_t p = 0; p < readings.size(); ++p) {
        const bool is_quiet = p >= 2 && (t / 500) % 2 == 1;
        if (!is_quiet && random() % 4 == 0) readings[p].push_back(reading);
      }
    }
    const Epochs found = FindEpochs(readings);
    for (size_t p = 0; p < 2 && p < readings.size(); ++p) {
      EXPECT_EQ(found.first_event[p], expected[p]) << "run " << run;
    }
    for (size_t p = 2; p < readings.size(); ++p) {
      EXPECT_TRUE(found.first_event[p] == expected[p] || found.ambiguous > 0) << "run " << run;
    }
  }
}

TEST(ClockEpochs, AClockWithoutAnyOrderHasNone) {
  SeenSetBacks up;
  SeenSetBacks down;
  for (int64_t i = 0; i < static_cast<int64_t>(kMostSetBacks); ++i) {
    up.found.push_back({static_cast<uint64_t>(i), {1'000 * i + 1}, {1'000 * i}});
    down.found.push_back({static_cast<uint64_t>(i), {1'000 * i + 501}, {1'000 * i + 500}});
  }
  EXPECT_TRUE(PlanEpochs(std::vector{up}).has_value());
  EXPECT_FALSE(PlanEpochs(std::vector{up, down}).has_value());
}

TEST(JoinSeen, BunchesOfInterfacesAreNoSetBacks) {
  SeenSetBacks eth{{}, {0}, {100}, true};
  SeenSetBacks lo{{}, {10}, {90}, true};
  EXPECT_THAT(JoinSeen(std::vector{eth, lo}).found, IsEmpty());
  eth.found = {{7, {60}, {20}}};
  lo.found = {{9, {50}, {22}}};
  const SeenSetBacks joined = JoinSeen(std::vector{eth, lo, SeenSetBacks{}});
  EXPECT_THAT(joined.found, ElementsAre(SetBack{7, {60}, {20}}));
  EXPECT_EQ(joined.first.ticks, 0);
  EXPECT_EQ(joined.highest.ticks, 100);
}

class LoadedEpochs : public testing::Test {
 protected:
  ~LoadedEpochs() override {
    for (const std::string& path : written_) std::filesystem::remove(path);
  }
  std::string Write(const std::string& text) {
    written_.push_back(
        fmt::format("{}/epochs-{}-{}.txt", testing::TempDir(), ::getpid(), written_.size()));
    std::ofstream(written_.back()) << text;
    return written_.back();
  }
  static LoadedTraces Load(const std::vector<std::string>& paths) {
    Progress silent(ProgressMode::kOff);
    const auto inputs = ResolveInputs(paths);
    EXPECT_TRUE(inputs.has_value());
    auto loaded = LoadTraces(*inputs, silent);
    EXPECT_TRUE(loaded.has_value()) << (loaded ? "" : loaded.error().ToString());
    return loaded ? std::move(*loaded) : LoadedTraces();
  }

 private:
  std::vector<std::string> written_;
};

constexpr const char* kHead = "# of ticks of a millisecond\n";

// Milliseconds, so that a tick's decrease says nothing.
std::string Declarations() {
  return std::string(kHead) +
         "clock a 1000\nclock b 1000\nprocess a1 a\nprocess b1 b\nprocess b2 b\n";
}

TEST_F(LoadedEpochs, OfATextWhoseClockWasSetBack) {
  const LoadedTraces loaded =
      Load({Write(Declarations() + "100 a1 send b1 m1\n110 b1 recv a1 m1\n"
                                   "111 b2 mark x\n120 b1 mark x\n90 b1 send a1 m2\n"
                                   "150 a1 recv b1 m2\n140 b2 mark x\n89 b1 mark x\n")});
  EXPECT_THAT(loaded.epochs.first_event, ElementsAre(IsEmpty(), ElementsAre(2), ElementsAre(1)));
  EXPECT_THAT(loaded.epoch_spans[0], IsEmpty());
  EXPECT_THAT(loaded.epoch_spans[1],
              ElementsAre(ReadingSpan{{110}, {120}}, ReadingSpan{{90}, {140}}));
  EXPECT_EQ(loaded.diagnostics.count("clock-epoch-ambiguous"), 1U);  // 111 of b2
}

TEST_F(LoadedEpochs, GoOnInTheNextInput) {
  const std::string first = Write(Declarations() + "110 b1 mark x\n120 b1 mark x\n");
  const std::string second =
      Write(Declarations() + "90 b1 mark x\n100 b1 mark x\n50 b1 mark x\n60 b1 mark x\n");
  const LoadedTraces loaded = Load({first, second});
  EXPECT_THAT(loaded.epochs.first_event[1], ElementsAre(2, 4));
  EXPECT_EQ(loaded.epochs.EpochOf(ProcessId(1), 1), 0U);
}

TEST_F(LoadedEpochs, ThereAreNoneWithoutSetBacks) {
  const LoadedTraces loaded =
      Load({Write(Declarations() + "110 b1 mark x\n109 b1 mark x\n110 b1 mark x\n")});
  EXPECT_THAT(loaded.epochs.first_event, IsEmpty());
  EXPECT_EQ(loaded.diagnostics.count("clock-epoch-ambiguous"), 0U);
}

}  // namespace
}  // namespace syncline
