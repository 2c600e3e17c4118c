#include "estimate/joint/shared_lines.h"

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.h"
#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

// Processes that find lines and bounds one after the other.
class LinesTeam : public TeamMessages {
 public:
  explicit LinesTeam(size_t processes) : processes_(processes) {}

  uint64_t messages() const override { return 0; }
  std::vector<std::optional<int64_t>> FirstReadingsNs() const override { return {}; }
  Result<void> ForEach(const std::function<void(const Message&)>& /*visit*/) const override {
    return {};
  }
  using TeamMessages::Ask;
  Result<std::vector<ParcelReader>> Ask(const Parcel& task,
                                        const std::function<void()>& before) const override {
    if (before) before();
    std::vector<ParcelReader> outcomes;
    for (size_t process = 0; process < processes_; ++process) {
      ParcelReader reader(task.bytes());
      SYNCLINE_CHECK(reader.Take<TeamTask>() == TeamTask::kLines);
      Parcel outcome;
      FindShareOfLines(reader, process, processes_, outcome);
      outcomes.emplace_back(outcome.bytes());
    }
    ++asked;
    return outcomes;
  }

  mutable int asked = 0;

 private:
  size_t processes_;
};

// A ring of clocks, of which the last one is only sent to.
ClockGroup Ring(size_t count) {
  std::mt19937_64 random(count);
  std::vector<TrueClock> clocks;
  for (size_t i = 0; i < count; ++i) {
    clocks.push_back({static_cast<int64_t>(random() % kSecond), static_cast<int64_t>(i) * 500});
  }
  ClockGroup group(clocks);
  for (size_t i = 0; i + 1 < count; ++i) {
    group.Stream(i, i + 1, 40, 20'000, random);
    if (i + 2 < count) group.Stream(i + 1, i, 40, 30'000, random);
  }
  group.Stream(count - 2, 0, 40, 20'000, random);
  return group;
}

void ExpectSame(const ClockGroup& group, const JointEstimate& shared, const JointEstimate& alone) {
  for (size_t i = 0; i < group.size(); ++i) {
    const ClockEstimate& expected = alone.group.clocks[i];
    EXPECT_EQ(shared.group.clocks[i].correction, expected.correction) << i;
    for (int64_t s = -10; s <= 70; s += 5) {
      const LocalTime t{group.inputs()[i].first.ticks + s * kSecond};
      EXPECT_EQ(shared.group.clocks[i].bounds.Lower(t), expected.bounds.Lower(t)) << i;
      EXPECT_EQ(shared.group.clocks[i].bounds.Upper(t), expected.bounds.Upper(t)) << i;
    }
  }
}

TEST(SharedLines, AreThoseOfOneProcess) {
  for (const auto& [clocks, asks] : {std::pair(30, 1), {5, 0}}) {
    const ClockGroup group = Ring(static_cast<size_t>(clocks));
    const auto pairs = group.Pairs();
    const JointEstimate alone = EstimateJoint(group.inputs(), pairs, {});
    ASSERT_EQ(alone.components[0].state, JointFinding::State::kJoint);
    for (const size_t processes : {2U, 7U, 40U}) {
      const LinesTeam team(processes);
      ExpectSame(group, EstimateJoint(group.inputs(), pairs, {.team = &team}), alone);
      EXPECT_EQ(team.asked, asks);
    }
  }
}

TEST(SharedLines, AreTheSameWithoutBounds) {
  for (const size_t clocks : {30U, 5U, 3U}) {
    const ClockGroup group = Ring(clocks);
    const auto pairs = group.Pairs();
    const JointEstimate bounded = EstimateJoint(group.inputs(), pairs, {});
    for (const size_t processes : {0U, 2U, 7U}) {
      const LinesTeam team(processes);
      const JointEstimate lines =
          EstimateJoint(group.inputs(), pairs,
                        {.measures_bounds = false, .team = processes > 0 ? &team : nullptr});
      EXPECT_EQ(lines.components[0].state, bounded.components[0].state);
      const size_t root = lines.group.roots[0].index();
      for (size_t i = 0; i < group.size(); ++i) {
        const ClockEstimate& line = lines.group.clocks[i];
        EXPECT_EQ(line.correction, bounded.group.clocks[i].correction) << i;
        EXPECT_EQ(line.quality, bounded.group.clocks[i].quality) << i;
        EXPECT_EQ(line.bound.has_value(), i == root) << i;
      }
    }
  }
}

// With and without others.
TEST(SharedLines, LetTheFirstProcessDoSomethingElseOnce) {
  for (const size_t clocks : {30U, 5U}) {
    const ClockGroup group = Ring(clocks);
    const auto pairs = group.Pairs();
    const JointEstimate alone = EstimateJoint(group.inputs(), pairs, {});
    for (const size_t processes : {0U, 2U, 7U}) {
      const LinesTeam team(processes);
      int done = 0;
      const JointEstimate shared = EstimateJoint(
          group.inputs(), pairs, {.team = processes > 0 ? &team : nullptr},
          EstimateTree(group.inputs(), pairs, {.measures_bounds = false}), [&] { ++done; });
      EXPECT_EQ(done, 1);
      ExpectSame(group, shared, alone);
    }
  }
}

// A message that every pair for itself allows.
TEST(SharedLines, AreNoneWhereMessagesContradict) {
  ClockGroup group = Ring(30);
  group.Send(3, 20, 30 * kSecond, -kSecond);
  const auto pairs = group.Pairs();
  const LinesTeam team(3);
  const JointEstimate shared = EstimateJoint(group.inputs(), pairs, {.team = &team});
  EXPECT_EQ(shared.components[0].state, JointFinding::State::kFallback);
}

}  // namespace
}  // namespace syncline
