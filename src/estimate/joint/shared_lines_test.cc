#include "estimate/joint/shared_bounds.h"

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.h"
#include "estimate/joint/joint_test_util.h"

namespace syncline {
namespace {

// Processes that find bounds one after the other.
class BoundsTeam : public TeamMessages {
 public:
  explicit BoundsTeam(size_t processes) : processes_(processes) {}

  uint64_t messages() const override { return 0; }
  std::vector<std::optional<int64_t>> FirstReadingsNs() const override { return {}; }
  Result<void> ForEach(const std::function<void(const Message&)>& /*visit*/) const override {
    return {};
  }
  Result<std::vector<ParcelReader>> Ask(const Parcel& task) const override {
    std::vector<ParcelReader> outcomes;
    for (size_t process = 0; process < processes_; ++process) {
      ParcelReader reader(task.bytes());
      SYNCLINE_CHECK(reader.Take<TeamTask>() == TeamTask::kBounds);
      Parcel outcome;
      FindShareOfBounds(reader, process, processes_, outcome);
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

TEST(SharedBounds, AreThoseOfOneProcess) {
  for (const auto& [clocks, asks] : {std::pair(30, 1), {5, 0}}) {
    const ClockGroup group = Ring(static_cast<size_t>(clocks));
    const auto pairs = group.Pairs();
    const JointEstimate alone = EstimateJoint(group.inputs(), pairs, {});
    for (const size_t processes : {1, 2, 7, 40}) {
      const BoundsTeam team(processes);
      const JointEstimate shared = EstimateJoint(group.inputs(), pairs, {.team = &team});
      EXPECT_EQ(team.asked, asks);
      for (size_t i = 0; i < group.size(); ++i) {
        for (int64_t s = -10; s <= 70; s += 5) {
          const LocalTime t{group.inputs()[i].first.ticks + s * kSecond};
          const TimeBounds& expected = alone.group.clocks[i].bounds;
          EXPECT_EQ(shared.group.clocks[i].bounds.Lower(t), expected.Lower(t)) << i;
          EXPECT_EQ(shared.group.clocks[i].bounds.Upper(t), expected.Upper(t)) << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace syncline
