#include "reorder_window.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

namespace syncline::babeltrace_plugin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename T>
std::vector<T> TakeAll(ReorderWindow<T>& window) {
  std::vector<T> taken;
  while (const auto item = window.Take()) taken.push_back(*item);
  return taken;
}

TEST(ReorderWindow, GivesNothingBeforeItIsKnownToBeNext) {
  ReorderWindow<int> window;
  window.Add({30}, 3);
  window.Add({10}, 1);
  EXPECT_THAT(TakeAll(window), IsEmpty());
  window.NothingBefore({20});
  EXPECT_THAT(TakeAll(window), ElementsAre(1));
  window.Add({20}, 2);
  window.NothingBefore({30});
  EXPECT_THAT(TakeAll(window), ElementsAre(2, 3));
}

TEST(ReorderWindow, KeepsTheOrderOfEqualTimes) {
  ReorderWindow<int> window;
  for (int i = 0; i < 5; ++i) window.Add({7}, i);
  window.Add({INT64_MIN}, 9);
  window.NothingBefore({INT64_MAX});
  EXPECT_THAT(TakeAll(window), ElementsAre(9, 0, 1, 2, 3, 4));
}

// Two sequences in order, mixed in an order in which they are at most 50 apart.
TEST(ReorderWindow, SortsWhateverStaysWithinItsBound) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    ReorderWindow<int64_t> window;
    std::vector<int64_t> added;
    std::vector<int64_t> taken;
    for (int64_t now = 0; now < 1'000; ++now) {
      const auto time = now + static_cast<int64_t>(random() % 50);
      added.push_back(time);
      window.Add({time}, time);
      window.NothingBefore({now});
      for (const int64_t item : TakeAll(window)) taken.push_back(item);
    }
    window.NothingBefore({INT64_MAX});
    for (const int64_t item : TakeAll(window)) taken.push_back(item);
    std::sort(added.begin(), added.end());
    EXPECT_EQ(taken, added);
  }
}

}  // namespace
}  // namespace syncline::babeltrace_plugin
