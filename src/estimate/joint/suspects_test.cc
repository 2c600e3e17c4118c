#include "estimate/joint/suspects.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_times.h"
#include "estimate/hulls/corridor.h"

namespace syncline {
namespace {

using SearchState = SuspectSearch::State;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two clocks that are guessed to be equal, over ten seconds.
JointProblem TwoEqualClocks(int64_t start = 0) {
  JointProblem problem;
  problem.prior = PriorRange(200);
  problem.clocks = {0, 1};
  const Anchors same{{start, start}, {start + 10 * kSecond, start + 10 * kSecond}};
  problem.anchors = {same, same};
  problem.pairs = {{0, 1, nullptr}};
  return problem;
}

// The search over messages that carry their places as ids.
class Messages {
 public:
  void Add(size_t from, int64_t send_ns, int64_t delay_ns) {
    all_.push_back({from, 1 - from, send_ns, send_ns + delay_ns, all_.size()});
  }
  // Every half second both ways, with these delays.
  void AddSteadily(int64_t delay_there_ns, int64_t delay_back_ns, int64_t start = 0) {
    for (int64_t i = 0; i < 20; ++i) {
      Add(0, start + i * kSecond / 2, delay_there_ns);
      Add(1, start + i * kSecond / 2, delay_back_ns);
    }
  }

  SearchState Search(SuspectSearch& search) const {
    while (search.state() == SearchState::kSearching) {
      for (const TimedMessage& message : all_) search.Offer(message);
      search.EndPass();
    }
    return search.state();
  }
  // Ids of the suspects; none where the search ends otherwise.
  std::optional<std::vector<uint64_t>> Suspects(JointProblem problem, uint64_t most) const {
    SuspectSearch search(std::move(problem), most);
    if (Search(search) != SearchState::kFound) return std::nullopt;
    std::vector<uint64_t> ids;
    for (const TimedMessage& suspect : search.Suspects()) ids.push_back(suspect.id);
    return ids;
  }

  const std::vector<TimedMessage>& all() const { return all_; }

 private:
  std::vector<TimedMessage> all_;
};

TEST(SuspectSearch, FindsTheMessageThatArrivesBeforeAllOthersAllow) {
  // b is at most 10 µs behind and 30 µs ahead; message 40 says that it is 1 ms behind.
  Messages messages;
  messages.AddSteadily(30 * kUs, 10 * kUs);
  messages.Add(0, 5 * kSecond, -1000 * kUs);
  EXPECT_THAT(*messages.Suspects(TwoEqualClocks(), 1), ElementsAre(40));
}

TEST(SuspectSearch, FindsNothingWhereALineFits) {
  Messages messages;
  messages.AddSteadily(30 * kUs, 10 * kUs);
  // Below all others of its direction, and yet no contradiction: −9 + 10 µs remain.
  messages.Add(0, 5 * kSecond, -9 * kUs);
  EXPECT_THAT(*messages.Suspects(TwoEqualClocks(), 1), IsEmpty());
}

TEST(SuspectSearch, FindsWrongMessagesThatHideBehindWorseOnes) {
  // In the order of time the third hides behind the hull of the first two.
  Messages messages;
  messages.AddSteadily(30 * kUs, 10 * kUs);
  messages.Add(0, 4 * kSecond, -1000 * kUs);
  messages.Add(0, 6 * kSecond, -1000 * kUs);
  messages.Add(0, 5 * kSecond, -50 * kUs);
  messages.Add(1, 5 * kSecond, -300 * kUs);
  EXPECT_THAT(*messages.Suspects(TwoEqualClocks(), 4), ElementsAre(40, 41, 42, 43));
  EXPECT_EQ(messages.Suspects(TwoEqualClocks(), 3), std::nullopt);
}

TEST(SuspectSearch, GivesTheSameResultForEpochSizeTimesAndAGuessThatIsSecondsOff) {
  Messages messages;
  messages.AddSteadily(30 * kUs, 10 * kUs, kEpoch);
  messages.Add(0, kEpoch + 5 * kSecond, -1000 * kUs);
  messages.Add(1, kEpoch + 2 * kSecond, -21 * kSecond);
  JointProblem problem = TwoEqualClocks(kEpoch);
  problem.anchors[1].first.y += 7 * kSecond;
  problem.anchors[1].last.y += 7 * kSecond;
  EXPECT_THAT(*messages.Suspects(std::move(problem), 2), ElementsAre(40, 41));
}

TEST(SuspectSearch, PutsBackMessagesThatWereSetAsideForNothing) {
  Messages messages;
  messages.AddSteadily(30 * kUs, 10 * kUs);
  messages.Add(0, 5 * kSecond, -1000 * kUs);
  SuspectSearch search(TwoEqualClocks(), 1, std::vector{messages.all()[3], messages.all()[12]});
  ASSERT_EQ(messages.Search(search), SearchState::kFound);
  ASSERT_THAT(search.Suspects(), SizeIs(1));
  EXPECT_EQ(search.Suspects()[0].id, 40U);
}

TEST(SuspectSearch, CallsAClockThatStepsNeitherLinearNorSuspect) {
  Messages messages;
  for (int64_t i = 0; i < 1000; ++i) {
    const int64_t step = i < 500 ? 0 : 100 * kUs;
    messages.Add(0, i * kSecond / 100, 30 * kUs + step);
    messages.Add(1, i * kSecond / 100, 10 * kUs - step);
  }
  SuspectSearch search(TwoEqualClocks(), 2000 / 200);
  EXPECT_EQ(messages.Search(search), SearchState::kTooMany);
}

TEST(SuspectSearch, NeedsNoMessages) {
  EXPECT_THAT(*Messages().Suspects(TwoEqualClocks(), 1), IsEmpty());
}

// Whether a line fits all messages but those whose bit is set.
bool FitsWithout(const std::vector<TimedMessage>& messages, uint64_t without) {
  PairPoints points;
  for (const TimedMessage& m : messages) {
    if ((without >> m.id & 1) != 0) continue;
    m.from == 0 ? points.AddAToB(m.send_ns, m.receive_ns) : points.AddBToA(m.send_ns, m.receive_ns);
  }
  const auto state = FindCorridor(ShiftedHulls(points, {}), PriorRange(200)).state;
  return state != Corridor::State::kEmpty && state != Corridor::State::kEmptyByPrior;
}

int SmallestSet(const std::vector<TimedMessage>& messages) {
  int smallest = static_cast<int>(messages.size());
  for (uint64_t set = 0; set < uint64_t{1} << messages.size(); ++set) {
    const int size = __builtin_popcountll(set);
    if (size < smallest && FitsWithout(messages, set)) smallest = size;
  }
  return smallest;
}

TEST(SuspectSearch, FindsMinimalSetsThatAreMostlyTheSmallest) {
  // Few messages of no pattern: the hardest case. Every set is tried for comparison.
  constexpr int kRuns = 200;
  int larger = 0;
  for (uint64_t seed = 1; seed <= kRuns; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Messages messages;
    for (int i = 0; i < 10; ++i) {
      messages.Add(random() % 2, static_cast<int64_t>(random() % (10 * kSecond)),
                   static_cast<int64_t>(random() % (1000 * kUs)) - 300 * kUs);
    }
    const auto suspects = messages.Suspects(TwoEqualClocks(), 10);
    ASSERT_TRUE(suspects);
    uint64_t set = 0;
    for (const uint64_t id : *suspects) set |= uint64_t{1} << id;
    EXPECT_TRUE(FitsWithout(messages.all(), set));
    for (const uint64_t id : *suspects) {
      EXPECT_FALSE(FitsWithout(messages.all(), set & ~(uint64_t{1} << id))) << id;
    }
    larger += static_cast<int>(suspects->size()) > SmallestSet(messages.all()) ? 1 : 0;
  }
  EXPECT_LE(larger, kRuns / 10);
}

}  // namespace
}  // namespace syncline
