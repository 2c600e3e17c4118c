#include "simulate/collective.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "simulate/random.h"

namespace syncline {
namespace {

struct Entering {
  int64_t begin_ns = 0;
  int64_t delay_ns = 0;
};
constexpr int64_t kLeastNs = 3;

// Straight from the messages that the operation stands for.
int64_t NaiveEnd(GroupFlow flow, const std::vector<Entering>& all, uint32_t root, uint32_t m) {
  int64_t end = all[m].begin_ns + kLeastNs;
  for (uint32_t from = 0; from < all.size(); ++from) {
    const bool is_awaited = flow == GroupFlow::kAllToAll ||
                            (flow == GroupFlow::kOneToAll && from == root && m != root) ||
                            (flow == GroupFlow::kAllToOne && m == root) ||
                            (flow == GroupFlow::kPrefix && from <= m);
    if (is_awaited) end = std::max(end, all[from].begin_ns + all[m].delay_ns);
  }
  return end;
}

TEST(Collective, EndsWhenTheMessagesItStandsForHaveArrived) {
  constexpr uint64_t kSeed = 7;
  Random random(kSeed, 0);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const auto members = static_cast<uint32_t>(random.In({1, 9}));
    const auto root = static_cast<uint32_t>(random.In({0, members - 1}));
    const auto flow = static_cast<GroupFlow>(round % 4);
    std::vector<Entering> all(members);
    for (Entering& one : all) one = {random.In({0, 100}), random.In({0, 50})};
    std::vector<uint32_t> order(members);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return all[a].begin_ns < all[b].begin_ns; });

    Collective instance(flow, root, members);
    std::map<uint32_t, int64_t> ends;
    for (const uint32_t m : order) {
      for (const auto& [member, ns] :
           instance.Enter(m, all[m].begin_ns, all[m].delay_ns, kLeastNs)) {
        EXPECT_TRUE(ends.emplace(member, ns).second) << "decided twice";
        EXPECT_GE(ns, all[m].begin_ns) << "decided after it was over";
      }
    }
    ASSERT_EQ(ends.size(), members);
    for (const auto& [member, ns] : ends) EXPECT_EQ(ns, NaiveEnd(flow, all, root, member));
    for (uint32_t m = 0; m < members; ++m) {
      EXPECT_FALSE(instance.is_over());
      instance.Leave();
    }
    EXPECT_TRUE(instance.is_over());
  }
}

}  // namespace
}  // namespace syncline
