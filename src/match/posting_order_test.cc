#include "match/posting_order.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kNone = PostingOrder::kNoIndex;

TEST(PostingOrder, CompletionsInOrderNeedNoNumbers) {
  PostingOrder order;
  order.Post(1, kNone);
  order.Post(2, kNone);
  EXPECT_EQ(order.Complete(1, 7, 10).found, PostingOrder::Found::kPosted);
  EXPECT_EQ(order.Complete(2, 7, 11).found, PostingOrder::Found::kPosted);
  order.Finish();
  EXPECT_EQ(order.NumberOf(10), std::nullopt);
  EXPECT_EQ(order.NumberOf(11), std::nullopt);
  EXPECT_EQ(order.never_completed(), 0u);
}

TEST(PostingOrder, CompletionsOutOfOrderGetTheNumberOfTheirPosting) {
  PostingOrder order;
  order.Post(1, kNone);
  order.Post(2, kNone);
  order.CompleteAtOnce(7, kNone, 9);  // posted third, complete first
  order.Complete(2, 7, 10);
  order.Complete(1, 7, 11);
  order.Finish();
  EXPECT_EQ(order.NumberOf(9), 2u);
  EXPECT_EQ(order.NumberOf(10), std::nullopt);  // second in both orders
  EXPECT_EQ(order.NumberOf(11), 0u);
}

TEST(PostingOrder, OperationsOfAnotherChannelDoNotCount) {
  PostingOrder order;
  order.Post(1, kNone);
  order.CompleteAtOnce(7, kNone, 9);
  order.Complete(1, 8, 10);
  order.Finish();
  EXPECT_EQ(order.NumberOf(9), std::nullopt);
  EXPECT_EQ(order.NumberOf(10), std::nullopt);
}

TEST(PostingOrder, BeginningsOfRequestsAlwaysHaveTheirNumber) {
  PostingOrder order;
  order.Post(1, 100);
  order.CompleteAtOnce(7, 101, 102);
  EXPECT_EQ(order.Complete(1, 7, 103).posted_index, 100u);
  order.Finish();
  EXPECT_EQ(order.NumberOf(100), 0u);
  EXPECT_EQ(order.NumberOf(101), 1u);
  EXPECT_EQ(order.NumberOf(102), 1u);
  EXPECT_EQ(order.NumberOf(103), 0u);
}

TEST(PostingOrder, CancelledAndNeverCompletedOperationsHaveNoNumber) {
  PostingOrder order;
  order.Post(1, kNone);
  order.Post(2, kNone);
  order.Post(3, kNone);
  EXPECT_TRUE(order.Cancel(1));
  EXPECT_FALSE(order.Cancel(1));
  order.Complete(3, 7, 10);
  order.Finish();
  EXPECT_EQ(order.never_completed(), 1u);
  EXPECT_EQ(order.NumberOf(10), std::nullopt);  // the only completion, the only one in its channel
}

TEST(PostingOrder, ARequestUsedAgainWasNeverCompleted) {
  PostingOrder order;
  order.Post(1, kNone);
  order.Post(1, kNone);
  EXPECT_EQ(order.Complete(1, 7, 10).found, PostingOrder::Found::kPosted);
  order.Finish();
  EXPECT_EQ(order.never_completed(), 1u);
}

TEST(PostingOrder, TheOldestIsGivenUpWhenTooManyWait) {
  PostingOrder order(2);
  order.Post(1, kNone);
  order.CompleteAtOnce(7, kNone, 10);
  order.CompleteAtOnce(7, kNone, 11);
  EXPECT_EQ(order.Complete(1, 7, 12).found, PostingOrder::Found::kGivenUp);
  EXPECT_EQ(order.Complete(5, 7, 13).found, PostingOrder::Found::kNotPosted);
  order.Finish();
  for (const uint64_t index : {10u, 11u, 12u, 13u}) EXPECT_EQ(order.NumberOf(index), std::nullopt);
}

// The oracle keeps everything and sorts by posting.
TEST(PostingOrder, AgreesWithSortingByPosting) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    struct Done {
      uint64_t posted = 0, index = 0;
    };
    std::map<uint32_t, std::vector<Done>> channels;      // in the order of completion
    std::vector<std::pair<uint64_t, uint64_t>> waiting;  // request and posting
    PostingOrder order;
    uint64_t posted = 0;
    uint64_t request = 0;
    for (uint64_t index = 0; index < 200; ++index) {
      const auto channel = static_cast<uint32_t>(random() % 3);
      switch (random() % 4) {
        case 0:
          order.Post(++request, kNone);
          waiting.emplace_back(request, posted++);
          break;
        case 1:
          order.CompleteAtOnce(channel, kNone, index);
          channels[channel].push_back({posted++, index});
          break;
        default: {
          if (waiting.empty()) break;
          const auto it = waiting.begin() + static_cast<int64_t>(random() % waiting.size());
          if (random() % 10 == 0) {
            EXPECT_TRUE(order.Cancel(it->first));
          } else {
            order.Complete(it->first, channel, index);
            channels[channel].push_back({it->second, index});
          }
          waiting.erase(it);
        }
      }
    }
    order.Finish();
    EXPECT_EQ(order.never_completed(), waiting.size());
    for (const auto& entry : channels) {
      const std::vector<Done>& done = entry.second;
      for (size_t i = 0; i < done.size(); ++i) {
        const auto before = std::count_if(done.begin(), done.end(), [&](const Done& other) {
          return other.posted < done[i].posted;
        });
        EXPECT_EQ(order.NumberOf(done[i].index).value_or(i), static_cast<uint64_t>(before));
      }
    }
  }
}

}  // namespace
}  // namespace syncline
