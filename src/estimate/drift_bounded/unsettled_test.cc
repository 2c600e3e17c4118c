#include "estimate/drift_bounded/unsettled.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

// Tracks: the reference, then clocks 1 and 2, before and behind their steps at 10 s.
constexpr uint32_t kReference = 0, kBefore1 = 1, kBehind1 = 2, kBefore2 = 3, kBehind2 = 4;

// Clocks that are right, but for what they were set by, which does not matter.
class TwoSetClocks {
 public:
  static constexpr int64_t kSecond = 1'000'000'000, kDelay = 100'000;

  void Exchange(uint32_t a, uint32_t b, int64_t t) {
    messages_[{a, b}].push_back({t, t + kDelay, count_++});
    messages_[{b, a}].push_back({t + kDelay, t + 2 * kDelay, count_++});
  }
  void Exchange(uint32_t a, uint32_t b, int64_t from, int64_t to, int count) {
    for (int i = 0; i < count; ++i) Exchange(a, b, from + (to - from) * i / count);
  }

  TrackTable Tracks() const {
    if (is_set_back_) return TrackTable(std::vector<uint32_t>{1, 2, 2});
    TrackTable tracks(std::vector<uint32_t>{1, 1, 1});
    for (const uint32_t clock : {1, 2}) tracks.Cut(ClockId(clock), 0, 10 * kSecond);
    return tracks;
  }
  // Their readings tell it.
  void SetBack() { is_set_back_ = true; }

  std::optional<Unsettled> Find() const {
    const Explanation explanation{
        Tracks(), {{}, RateLimits::Within(200), RateLimits::Within(200)}, {}};
    Collection collection;
    std::vector<Direction> directions;
    for (const auto& [tracks, messages] : messages_) {
      collection.directions.push_back({tracks.first, tracks.second, 0, messages});
      directions.push_back({tracks.first, tracks.second, 0, messages});
    }
    const RateLimits rate = RateLimits::Within(200);
    Graph graph(
        {{.is_reference = true}, {rate}, {rate, false, kBefore1}, {rate}, {rate, false, kBefore2}},
        directions, Graph::ShiftFor(directions));
    BothPaths paths = FindBothPaths({&graph, 1}).front();
    EXPECT_TRUE(paths.cycle().empty());
    return FindUnsettled(explanation, collection, {std::move(graph), std::move(paths)});
  }

 private:
  bool is_set_back_ = false;
  uint64_t count_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Constraint>> messages_;
};

constexpr int64_t kS = TwoSetClocks::kSecond;

TwoSetClocks Settled() {
  TwoSetClocks clocks;
  clocks.Exchange(kReference, kBehind1, 10 * kS, 60 * kS, 100);
  clocks.Exchange(kReference, kBehind2, 15 * kS, 60 * kS, 90);
  return clocks;
}

TEST(Unsettled, FewMessagesDoNotSettleTwoSteps) {
  TwoSetClocks clocks = Settled();
  clocks.Exchange(kReference, kBefore1, kS);
  clocks.Exchange(kBefore1, kBefore2, 3 * kS, 9 * kS, 5);
  const auto found = clocks.Find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tracks, (std::vector<bool>{false, true, false, true, false}));
  for (const KeptDirection& d : found->messages.directions) {
    const bool is_behind = d.from % 2 == 0 && d.to % 2 == 0;
    EXPECT_EQ(!d.all.empty(), is_behind) << d.from << " → " << d.to;
    // Clock 2 is known from 15 s on only; until then clock 1 can have been another one, too.
    for (const Constraint& m : d.all) EXPECT_GE(m.s, 15 * kS);
  }
}

TEST(Unsettled, StepsThatReadingsTellAreSettled) {
  TwoSetClocks clocks = Settled();
  clocks.SetBack();
  clocks.Exchange(kReference, kBefore1, kS);
  clocks.Exchange(kBefore1, kBefore2, 3 * kS, 9 * kS, 5);
  EXPECT_FALSE(clocks.Find());
}

TEST(Unsettled, ManyMessagesDo) {
  TwoSetClocks clocks = Settled();
  clocks.Exchange(kReference, kBefore1, kS, 2 * kS, 2);
  clocks.Exchange(kBefore1, kBefore2, 3 * kS, 9 * kS, 14);
  EXPECT_FALSE(clocks.Find());
}

TEST(Unsettled, AStepThatOnlyCertainClocksSawIsSettledByAFew) {
  TwoSetClocks clocks = Settled();
  clocks.Exchange(kReference, kBefore1, kS, 9 * kS, 3);
  clocks.Exchange(kReference, kBefore2, kS, 9 * kS, 3);
  EXPECT_FALSE(clocks.Find());
}

TEST(Unsettled, WithoutStepsNothingIs) {
  TwoSetClocks clocks;
  clocks.Exchange(kReference, kBehind1, kS, 2 * kS, 3);
  clocks.Exchange(kBehind1, kBehind2, kS, 2 * kS, 3);
  EXPECT_FALSE(clocks.Find());
}

}  // namespace
}  // namespace syncline::drift_bounded
