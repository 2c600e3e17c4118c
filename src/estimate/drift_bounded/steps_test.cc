#include "estimate/drift_bounded/steps.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kRate = 400e-6;

// Messages between a and a b that is ahead of it by θ; ids count from 0.
class Conversation {
 public:
  void AToB(int64_t at_a, int64_t theta, int64_t delay) {
    messages_.push_back({at_a, at_a + theta + delay, true, theta + delay, messages_.size()});
  }
  void BToA(int64_t at_a, int64_t theta, int64_t delay) {
    messages_.push_back({at_a, at_a + theta - delay, false, theta - delay, messages_.size()});
  }
  // One each way.
  void Exchange(int64_t at_a, int64_t theta, int64_t delay = 50'000) {
    AToB(at_a, theta, delay);
    BToA(at_a + 1000, theta, delay);
  }
  PairHistory Find(Agreement agreement = Agreement::kIsNoSuspicion) const {
    return FindSteps(messages_, kRate, kRate, agreement);
  }
  const std::vector<PairMessage>& messages() const { return messages_; }

 private:
  std::vector<PairMessage> messages_;
};

using Ids = std::vector<uint64_t>;

TEST(FindSteps, FindsNothingWithoutMessages) {
  const PairHistory history = FindSteps({}, kRate, kRate);
  EXPECT_TRUE(history.steps.empty());
  EXPECT_TRUE(history.suspects.empty());
}

TEST(FindSteps, FindsNothingInAClockThatDrifts) {
  Conversation talk;
  for (int64_t i = 0; i < 100; ++i) talk.Exchange(i * 100 * kMs, i * 40'000);  // 400 ppm
  EXPECT_TRUE(talk.Find().steps.empty());
  EXPECT_TRUE(talk.Find().suspects.empty());
}

TEST(FindSteps, FindsAStepBetweenTheMessagesAboutIt) {
  for (const int64_t jump : {5 * kMs, -5 * kMs}) {
    SCOPED_TRACE(jump);
    Conversation talk;
    for (int64_t i = 0; i < 20; ++i) talk.Exchange(i * kMs, 0);
    for (int64_t i = 20; i < 40; ++i) talk.Exchange(i * kMs, jump);
    const PairHistory history = talk.Find();
    EXPECT_TRUE(history.suspects.empty());
    ASSERT_EQ(history.steps.size(), 1u);
    const PairStep& step = history.steps.front();
    EXPECT_GE(step.before_a, 19 * kMs);
    EXPECT_LE(step.after_a, 20 * kMs + 1000);
    EXPECT_LT(step.before_a, step.after_a);
    // θ is known to ±50 µs on both sides, and a little more for the time in between.
    EXPECT_LE(step.jump.least, jump);
    EXPECT_GE(step.jump.most, jump);
    EXPECT_NEAR(static_cast<double>(step.jump.least), static_cast<double>(jump - 100'000), 2000);
    EXPECT_NEAR(static_cast<double>(step.jump.most), static_cast<double>(jump + 100'000), 2000);
  }
}

// Anywhere between the last message before it and the first one behind, while the clocks drift.
TEST(FindSteps, TellsHowLargeAStepCanHaveBeenAtItsTime) {
  constexpr int64_t kJump = 200 * kMs, kDriftInMs = 400;
  Conversation talk;
  for (int64_t i = 0; i < 20; ++i) talk.Exchange(i * kMs, i * kDriftInMs, 1000);
  for (int64_t i = 1020; i < 1040; ++i) talk.Exchange(i * kMs, kJump + i * kDriftInMs, 1000);
  const PairHistory history = talk.Find();
  ASSERT_EQ(history.steps.size(), 1u);
  EXPECT_LE(history.steps.front().jump.least, kJump);
  EXPECT_GE(history.steps.front().jump.most, kJump + 1000 * kDriftInMs);
}

TEST(FindSteps, TakesAMessageThatAgreesWithNothingForASuspect) {
  Conversation talk;
  for (int64_t i = 0; i < 10; ++i) talk.Exchange(i * kMs, 0);
  talk.AToB(10 * kMs, -3 * kMs, 50'000);
  for (int64_t i = 11; i < 20; ++i) talk.Exchange(i * kMs, 0);
  EXPECT_TRUE(talk.Find().steps.empty());
  EXPECT_EQ(talk.Find().suspects, (Ids{20}));
}

TEST(FindSteps, AFirstMessageThatAgreesWithNothingCanBeFromBeforeAStep) {
  Conversation talk;
  talk.AToB(0, -3 * kMs, 50'000);
  talk.BToA(1000, 0, 50'000);
  for (int64_t i = 1; i < 20; ++i) talk.Exchange(i * kMs, 0);
  EXPECT_TRUE(talk.Find().suspects.empty());
  ASSERT_EQ(talk.Find().steps.size(), 1u);
  EXPECT_EQ(talk.Find().steps[0].before_a, 0);
  EXPECT_EQ(talk.Find().steps[0].evidence, (Ids{0}));
}

TEST(FindSteps, ALastMessageThatAgreesWithNothingCanBeFromBehindAStep) {
  Conversation talk;
  for (int64_t i = 0; i < 20; ++i) talk.Exchange(i * kMs, 0);
  talk.BToA(20 * kMs, 3 * kMs, 50'000);
  talk.AToB(20 * kMs + 1000, 3 * kMs, 50'000);
  EXPECT_TRUE(talk.Find().suspects.empty());
  ASSERT_EQ(talk.Find().steps.size(), 1u);
  EXPECT_EQ(talk.Find().steps[0].after_a, 20 * kMs);
  EXPECT_EQ(talk.Find().steps[0].evidence, (Ids{40}));
}

TEST(FindSteps, AMessageBeforeAStepThatAgreesWithWhatFollowsIsNoSuspect) {
  Conversation talk;
  for (int64_t i = 0; i < 20; ++i) talk.Exchange(i * kMs, 0);
  // b was set; what leads to it from here on takes long.
  talk.BToA(20 * kMs, 5 * kMs, 50'000);
  talk.AToB(20 * kMs + 1000, 5 * kMs, 50'000);
  for (int64_t i = 21; i < 40; ++i) talk.Exchange(i * kMs, 5 * kMs);
  EXPECT_TRUE(talk.Find().suspects.empty());
  ASSERT_EQ(talk.Find().steps.size(), 1u);
  EXPECT_EQ(talk.Find().steps[0].after_a, 20 * kMs);
  EXPECT_TRUE(talk.Find().steps[0].evidence.empty());
}

// Within 1000 ppm of each clock: 2000 together.
// Both messages of the first exchange are at one reading of each clock; one of them also agrees
// with what follows, and is from before for all that.
TEST(FindSteps, AMessageAtTheReadingOfOneFromBeforeIsFromBefore) {
  Conversation talk;
  talk.BToA(0, 0, 0);
  talk.AToB(0, 0, 0);
  for (int64_t i = 1; i < 40; ++i) {
    talk.BToA(i * 100 * kMs, -5 * kMs, 0);
    talk.AToB(i * 100 * kMs, -5 * kMs, 0);
  }
  const PairHistory history = talk.Find();
  EXPECT_TRUE(history.suspects.empty());
  ASSERT_EQ(history.steps.size(), 1u);
  EXPECT_EQ(history.steps[0].before_a, 0);
  EXPECT_EQ(history.steps[0].after_a, 100 * kMs);
  EXPECT_EQ(history.steps[0].before_b, 0);
  EXPECT_EQ(history.steps[0].after_b, 95 * kMs);
}

TEST(FindSteps, WhatASlewExplainsCheaplyIsNoStep) {
  Conversation talk;
  int64_t theta = 0;
  for (int64_t i = 0; i < 60; ++i) {
    talk.Exchange(i * 100 * kMs, theta);
    if (i >= 20 && i < 40) theta += 100 * kMs * 900 / 1'000'000;  // 900 ppm for 2 s
  }
  const PairHistory history = FindSteps(talk.messages(), kRate, 2000e-6);
  EXPECT_TRUE(history.suspects.empty());
  EXPECT_TRUE(history.steps.empty());
}

TEST(FindSteps, AJumpThatSlewingWouldTakeLongForIsAStep) {
  Conversation talk;
  for (int64_t i = 0; i < 40; ++i) talk.Exchange(i * 30'000 * kMs, i < 20 ? 0 : 50 * kMs);
  const PairHistory history = FindSteps(talk.messages(), kRate, 2000e-6);
  EXPECT_TRUE(history.suspects.empty());
  ASSERT_EQ(history.steps.size(), 1u);
}

TEST(FindSteps, FindsAStepThreeMessagesBeforeTheEnd) {
  Conversation talk;
  for (int64_t i = 0; i < 20; ++i) talk.Exchange(i * kMs, 0);
  for (int64_t i = 20; i < 23; ++i) talk.BToA(i * kMs, 5 * kMs, 50'000);
  EXPECT_TRUE(talk.Find().suspects.empty());
  ASSERT_EQ(talk.Find().steps.size(), 1u);
  EXPECT_EQ(talk.Find().steps.front().after_a, 20 * kMs);
}

TEST(FindSteps, FindsAStepThreeMessagesBehindTheBeginning) {
  Conversation talk;
  for (int64_t i = 0; i < 3; ++i) talk.BToA(i * kMs, 5 * kMs, 50'000);
  for (int64_t i = 3; i < 20; ++i) talk.AToB(i * kMs, 0, 50'000);
  const PairHistory history = talk.Find();
  // Three messages or a step: either explains it, but none of the others is wrong.
  EXPECT_TRUE(history.steps.size() == 1 || history.suspects == (Ids{0, 1, 2}));
}

TEST(FindSteps, FindsStepsThatFollowEachOther) {
  Conversation talk;
  for (int64_t i = 0; i < 100; ++i) talk.Exchange(i * kMs, i / 20 % 2 * 5 * kMs);
  EXPECT_TRUE(talk.Find().suspects.empty());
  ASSERT_EQ(talk.Find().steps.size(), 4u);
  for (size_t k = 0; k < 4; ++k) {
    const auto at = static_cast<int64_t>(20 * (k + 1)) * kMs;
    EXPECT_LT(talk.Find().steps[k].before_a, at);
    EXPECT_GE(talk.Find().steps[k].after_a, at);
  }
}

// Out of an offset and back into it.
TEST(FindSteps, TakesMessagesThatAgreeWithEachOtherForTwoSteps) {
  for (const int64_t jump : {5 * kMs, -5 * kMs}) {
    for (const int64_t count : {2, 3}) {
      for (const bool both_ways : {false, true}) {
        SCOPED_TRACE(testing::Message() << jump << ' ' << count << ' ' << both_ways);
        Conversation talk;
        for (int64_t i = 0; i < 20; ++i) talk.Exchange(i * kMs, 0);
        for (int64_t i = 20; i < 20 + count; ++i) {
          if (both_ways || jump < 0) talk.AToB(i * kMs, jump, 50'000 + i * 500);
          if (both_ways || jump > 0) talk.BToA(i * kMs, jump, 50'000 + i * 1000);
        }
        for (int64_t i = 20 + count; i < 40; ++i) talk.Exchange(i * kMs, 0);
        const PairHistory history = talk.Find();
        EXPECT_TRUE(history.suspects.empty());
        ASSERT_EQ(history.steps.size(), 2u);
        EXPECT_EQ(history.steps[0].after_a, 20 * kMs);
        EXPECT_EQ(history.steps[1].before_a, (19 + count) * kMs);
        if (count == 2) {
          EXPECT_EQ(talk.Find(Agreement::kSaysNothing).suspects.size(), 2u);
        }
      }
    }
  }
}

TEST(FindSteps, SuspectsTwoMessagesInARowThatAgreeWithNothing) {
  Conversation talk;
  for (int64_t i = 0; i < 20; ++i) talk.Exchange(i * kMs, 0);
  talk.BToA(20 * kMs, 5 * kMs, 50'000);
  talk.BToA(21 * kMs, 9 * kMs, 50'000);
  for (int64_t i = 22; i < 40; ++i) talk.Exchange(i * kMs, 0);
  const PairHistory history = talk.Find();
  EXPECT_EQ(history.suspects, (Ids{40, 41}));
  EXPECT_TRUE(history.steps.empty());
}

// Messages that were under way while b was set, by turns of before and behind.
TEST(FindSteps, PlacesAStepAmongMessagesOfBothSides) {
  Conversation talk;
  for (int64_t i = 0; i < 30; ++i) talk.Exchange(i * kMs, 0);
  for (int64_t i = 30; i < 33; ++i) {
    // Sent to b before it was set, received behind; b's own are from before.
    talk.AToB(i * kMs, 5 * kMs, 50'000);
    talk.BToA(i * kMs + 1000, 0, 50'000);
  }
  for (int64_t i = 33; i < 60; ++i) talk.Exchange(i * kMs, 5 * kMs);
  const PairHistory history = talk.Find();
  ASSERT_EQ(history.steps.size(), 1u);
  EXPECT_GE(history.steps.front().after_a, 30 * kMs);
  EXPECT_LE(history.steps.front().before_a, 33 * kMs + 1000);
}

// Whatever is found: what is not suspected agrees, pair by pair, between steps.
void ExpectAgreement(const std::vector<PairMessage>& messages, const PairHistory& history,
                     const std::vector<size_t>& begins) {
  const std::set<uint64_t> wrong(history.suspects.begin(), history.suspects.end());
  const auto segment = [&](size_t i) {
    return std::upper_bound(begins.begin(), begins.end(), i) - begins.begin();
  };
  for (size_t i = 0; i < messages.size(); ++i) {
    for (size_t k = 0; k < messages.size(); ++k) {
      const PairMessage &upper = messages[i], &lower = messages[k];
      if (!upper.is_upper || lower.is_upper || segment(i) != segment(k)) continue;
      if (wrong.contains(upper.message) || wrong.contains(lower.message)) continue;
      const double room = kRate * std::abs(static_cast<double>(upper.at_a - lower.at_a));
      EXPECT_LE(static_cast<double>(lower.theta - upper.theta), room + 100) << i << " " << k;
    }
  }
}

struct Simulated {
  Conversation talk;
  std::vector<int64_t> steps;  // readings of a
  std::set<uint64_t> wrong;
};

// A clock that drifts within 100 ppm, is set now and then by 2 to 1000 ms, and sends and receives
// with delays about 0.1 ms.
Simulated Simulate(uint64_t seed, double share_wrong) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> jitter(1 / 50'000.0);
  Simulated simulated;
  double theta = 0;
  const int64_t every = 20 * kMs;
  int64_t until_step = 150 + static_cast<int64_t>(random() % 200);
  for (int64_t i = 0; i < 1500; ++i) {
    theta += static_cast<double>(random() % 201) / 100 * 1e-4 * every - 1e-4 * every;
    if (--until_step == 0) {
      const double size = 2e6 + static_cast<double>(random() % 998'000'000);
      theta += random() % 2 == 0 ? size : -size;
      simulated.steps.push_back(i * every);
      until_step = 100 + static_cast<int64_t>(random() % 400);
      if (i > 1300) until_step = -1;
    }
    const bool is_wrong = share_wrong > 0 && random() % static_cast<uint64_t>(1 / share_wrong) == 0;
    const auto delay = static_cast<int64_t>(50'000 + jitter(random));
    const auto now = static_cast<int64_t>(theta);
    if (is_wrong) {
      // Matched with one that was received long before: it seems to take less than no time.
      simulated.wrong.insert(simulated.talk.messages().size());
      const auto early = 10 * kMs + static_cast<int64_t>(random() % (100 * kMs));
      random() % 2 == 0 ? simulated.talk.AToB(i * every, now, -early)
                        : simulated.talk.BToA(i * every, now, -early);
    } else {
      random() % 2 == 0 ? simulated.talk.AToB(i * every, now, delay)
                        : simulated.talk.BToA(i * every, now, delay);
    }
  }
  return simulated;
}

TEST(FindSteps, FindsEveryStepOfRandomClocksAndNothingElse) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Simulated simulated = Simulate(seed, 0);
    const PairHistory history = simulated.talk.Find();
    ASSERT_EQ(history.steps.size(), simulated.steps.size());
    std::vector<size_t> begins;
    for (size_t k = 0; k < simulated.steps.size(); ++k) {
      // Messages that say nothing of the step can stand on either side of it.
      EXPECT_NEAR(static_cast<double>(history.steps[k].after_a),
                  static_cast<double>(simulated.steps[k]), 400e6);
      const auto& messages = simulated.talk.messages();
      begins.push_back(static_cast<size_t>(
          std::lower_bound(messages.begin(), messages.end(), history.steps[k].after_a,
                           [](const PairMessage& m, int64_t at) { return m.at_a < at; }) -
          messages.begin()));
    }
    EXPECT_TRUE(history.suspects.empty());
    if (seed <= 5) ExpectAgreement(simulated.talk.messages(), history, begins);
  }
}

TEST(FindSteps, SuspectsWrongMatchesAndNoRightMessageFarFromSteps) {
  size_t wrong = 0, found = 0, acquitted = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Simulated simulated = Simulate(seed, 0.005);
    const PairHistory history = simulated.talk.Find();
    const auto certain = std::count_if(history.steps.begin(), history.steps.end(),
                                       [](const PairStep& step) { return step.evidence.empty(); });
    EXPECT_EQ(static_cast<size_t>(certain), simulated.steps.size());
    for (const PairStep& step : history.steps) {
      acquitted += static_cast<size_t>(
          std::count_if(step.evidence.begin(), step.evidence.end(),
                        [&](uint64_t id) { return simulated.wrong.contains(id); }));
    }
    for (const uint64_t suspect : history.suspects) {
      const int64_t at = simulated.talk.messages()[suspect].at_a;
      const bool is_near = std::any_of(simulated.steps.begin(), simulated.steps.end(),
                                       [&](int64_t s) { return std::abs(s - at) < 400 * kMs; });
      EXPECT_TRUE(is_near || simulated.wrong.contains(suspect)) << "message " << suspect;
    }
    wrong += simulated.wrong.size();
    found += static_cast<size_t>(
        std::count_if(history.suspects.begin(), history.suspects.end(),
                      [&](uint64_t id) { return simulated.wrong.contains(id); }));
  }
  EXPECT_GT(wrong, 500u);
  // What was received far too early always contradicts what is about it, but at a step.
  EXPECT_GT(static_cast<double>(found + acquitted), 0.98 * static_cast<double>(wrong));
}

}  // namespace
}  // namespace syncline::drift_bounded
