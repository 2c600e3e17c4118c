#include "write/ctf_metadata/clock_shifts.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace syncline::ctf_metadata {
namespace {

using Shifts = std::optional<std::vector<int64_t>>;

// A message from 0 to 1 is 7 too fast; 1 may be moved by 7, or both by half of it.
TEST(ClockShifts, TheViolatedDirectionIsMovedApart) {
  SlackTable slacks(2);
  slacks.Add(0, 1, -7);
  slacks.Add(1, 0, 20);
  EXPECT_EQ(LeastShifts(slacks, {false, true}), (Shifts({0, 7})));
  const Shifts both = LeastShifts(slacks, {true, true});
  ASSERT_TRUE(both);
  EXPECT_GE((*both)[1] - (*both)[0], 7);
  EXPECT_LE(std::abs((*both)[0]), 4);
  EXPECT_LE(std::abs((*both)[1]), 4);
}

TEST(ClockShifts, NothingMovesWhereAllHolds) {
  SlackTable slacks(3);
  slacks.Add(0, 1, 0);
  slacks.Add(1, 2, 5);
  EXPECT_EQ(LeastShifts(slacks, {true, true, true}), (Shifts({0, 0, 0})));
}

TEST(ClockShifts, ContradictionHasNoShifts) {
  SlackTable slacks(3);
  slacks.Add(0, 1, -3);
  slacks.Add(1, 2, 1);
  slacks.Add(2, 0, 1);
  EXPECT_FALSE(LeastShifts(slacks, {true, true, true}));
  SlackTable fixed(2);
  fixed.Add(0, 1, -1);
  EXPECT_FALSE(LeastShifts(fixed, {false, false}));
}

TEST(ClockShifts, ExtremeSlacksDoNotOverflow) {
  SlackTable slacks(3);
  for (size_t a = 0; a < 3; ++a) {
    for (size_t b = 0; b < 3; ++b) {
      if (a != b) slacks.Add(a, b, a < b ? INT64_MIN : INT64_MAX - 1);
    }
  }
  EXPECT_FALSE(LeastShifts(slacks, {true, true, true}));
}

// All shifts in a small range, tried one after another.
class Oracle {
 public:
  Oracle(const SlackTable& slacks, const std::vector<bool>& movable, int64_t range)
      : slacks_(slacks), movable_(movable), range_(range), shifts_(slacks.clocks()) {
    Try(0);
  }
  std::optional<int64_t> least_range() const { return least_; }
  static bool Holds(const SlackTable& slacks, const std::vector<int64_t>& shifts) {
    for (size_t a = 0; a < shifts.size(); ++a) {
      for (size_t b = 0; b < shifts.size(); ++b) {
        const int64_t slack = slacks.Least(a, b);
        if (slack != std::numeric_limits<int64_t>::max() && shifts[a] - shifts[b] > slack) {
          return false;
        }
      }
    }
    return true;
  }
  static int64_t Range(const std::vector<int64_t>& shifts) {
    int64_t range = 0;
    for (const int64_t shift : shifts) range = std::max(range, std::abs(shift));
    return range;
  }

 private:
  void Try(size_t clock) {
    if (clock == shifts_.size()) {
      if (!Holds(slacks_, shifts_)) return;
      least_ = std::min(least_.value_or(range_), Range(shifts_));
      return;
    }
    const int64_t range = movable_[clock] ? range_ : 0;
    for (int64_t shift = -range; shift <= range; ++shift) {
      shifts_[clock] = shift;
      Try(clock + 1);
    }
  }

  const SlackTable& slacks_;
  const std::vector<bool>& movable_;
  int64_t range_;
  std::vector<int64_t> shifts_;
  std::optional<int64_t> least_;
};

TEST(ClockShifts, AreTheLeastThereAre) {
  constexpr int64_t kRange = 7;  // more than slacks from −4 on can ask of three clocks
  uint64_t possible = 0;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SlackTable slacks(3);
    for (size_t a = 0; a < 3; ++a) {
      for (size_t b = 0; b < 3; ++b) {
        if (a != b && random() % 4 > 0) {
          slacks.Add(a, b, static_cast<int64_t>(random() % 9) - (a < b ? 4 : 0));
        }
      }
    }
    const std::vector<bool> movable = {random() % 4 == 0, random() % 4 > 0, random() % 4 > 0};
    const Oracle oracle(slacks, movable, kRange + 2);
    const Shifts shifts = LeastShifts(slacks, movable);
    ASSERT_EQ(shifts.has_value(), oracle.least_range().has_value());
    if (!shifts) continue;
    ++possible;
    EXPECT_TRUE(Oracle::Holds(slacks, *shifts));
    EXPECT_EQ(Oracle::Range(*shifts), *oracle.least_range());
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(movable[i] || (*shifts)[i] == 0);
    }
  }
  EXPECT_GT(possible, 300U);
}

}  // namespace
}  // namespace syncline::ctf_metadata
