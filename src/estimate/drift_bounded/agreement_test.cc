#include "estimate/drift_bounded/agreement.h"

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

constexpr int64_t kOneMs = 1'000'000;
using PairPlaces = std::vector<size_t>;

// Messages of track 1 to, and from, another one; each takes 0.1 ms where 1 is not ahead.
class Talk {
 public:
  explicit Talk(uint32_t peer) { pair_ = {1, peer, {}, {}}; }
  Talk& Sends(int64_t at, int64_t ahead) {
    Add({at, at - ahead + kDelay, true, kDelay - ahead, next_});
    return *this;
  }
  Talk& Receives(int64_t at, int64_t ahead) {
    Add({at, at - ahead - kDelay, false, -ahead - kDelay, next_});
    return *this;
  }
  PairOfTracks Examined() {
    pair_.history = FindSteps(pair_.messages, 400e-6, 400e-6);
    return pair_;
  }

 private:
  static constexpr int64_t kDelay = kOneMs / 10;

  void Add(const PairMessage& m) {
    pair_.messages.push_back(m);
    ++next_;
  }

  PairOfTracks pair_;
  uint64_t next_ = 0;
};

// With two peers by turns, an exchange each; in the middle one message to each.
std::vector<PairOfTracks> OneMessageEach(int64_t ahead, int64_t ahead_of_other) {
  Talk talks[] = {Talk(2), Talk(3)};
  for (int64_t i = 0; i < 40; ++i) {
    if (i == 20 || i == 21) {
      talks[i % 2].Sends(i * kOneMs, i == 20 ? ahead : ahead_of_other);
    } else {
      talks[i % 2].Sends(i * kOneMs, 0).Receives(i * kOneMs + kOneMs / 2, 0);
    }
  }
  return {talks[0].Examined(), talks[1].Examined()};
}

TEST(MarkAgreement, OfTwoPairsThatMissTheirOffsetsAlike) {
  std::vector<PairOfTracks> pairs = OneMessageEach(5 * kOneMs, 5 * kOneMs + 200'000);
  for (const PairOfTracks& p : pairs) ASSERT_EQ(p.history.suspects.size(), 1u);
  EXPECT_EQ(MarkAgreement(pairs), (PairPlaces{0, 1}));
  for (const PairOfTracks& p : pairs) {
    const PairHistory again = FindSteps(p.messages, 400e-6, 400e-6);
    EXPECT_TRUE(again.suspects.empty());
    EXPECT_EQ(again.steps.size(), 2u);
  }
}

TEST(MarkAgreement, NotWhereTheyMissThemDifferently) {
  std::vector<PairOfTracks> pairs = OneMessageEach(5 * kOneMs, 9 * kOneMs);
  for (const PairOfTracks& p : pairs) ASSERT_EQ(p.history.suspects.size(), 1u);
  EXPECT_TRUE(MarkAgreement(pairs).empty());
}

TEST(MarkAgreement, NotOfWhatOnePairAloneSuspects) {
  std::vector<PairOfTracks> pairs = OneMessageEach(5 * kOneMs, 0);
  EXPECT_EQ(pairs[0].history.suspects.size(), 1u);
  EXPECT_TRUE(pairs[1].history.suspects.empty());
  EXPECT_TRUE(MarkAgreement(pairs).empty());
}

// What the clock sends in between contradicts that it was ahead.
TEST(MarkAgreement, NotWithARightMessageBetweenThem) {
  Talk talks[] = {Talk(2), Talk(3)};
  for (int64_t i = 0; i < 40; ++i) {
    const bool is_wrong = i == 20 || i == 23;
    talks[i % 2].Sends(i * kOneMs, is_wrong ? 5 * kOneMs : 0);
    if (!is_wrong) talks[i % 2].Receives(i * kOneMs + kOneMs / 2, 0);
  }
  std::vector<PairOfTracks> pairs = {talks[0].Examined(), talks[1].Examined()};
  for (const PairOfTracks& p : pairs) ASSERT_EQ(p.history.suspects.size(), 1u);
  EXPECT_TRUE(MarkAgreement(pairs).empty());
}

}  // namespace
}  // namespace syncline::drift_bounded
