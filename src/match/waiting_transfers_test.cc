#include "match/waiting_transfers.h"

#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr TransferKeyHash kHash{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9};

using Fields = std::tuple<TransferState, uint64_t, int64_t>;
Fields FieldsOf(const WaitingTransfer& transfer) {
  const EventRef event = transfer.At(ProcessId(0));
  return {transfer.state(), event.index, event.time.ticks};
}

// Beside a map that is asked the same.
class Compared {
 public:
  // Whether it found something, which then is erased, or stays in doubt.
  bool Ask(uint64_t ends, uint64_t message, bool stays) {
    const WaitingTransfer transfer(next_ % 2 == 0 ? TransferState::kSend : TransferState::kReceive,
                                   next_, {static_cast<int64_t>(next_)});
    ++next_;
    const auto [expected, is_first] = map_.try_emplace({ends, message}, FieldsOf(transfer));
    WaitingTransfer* const found = waiting_.FindOrAdd({message, ends}, transfer);
    EXPECT_EQ(found == nullptr, is_first);
    if (is_first || found == nullptr) return false;
    EXPECT_EQ(FieldsOf(*found), expected->second);
    if (stays) {
      found->Become(TransferState::kAmbiguous);
      std::get<0>(expected->second) = TransferState::kAmbiguous;
    } else {
      waiting_.Erase({message, ends});
      map_.erase(expected);
    }
    return true;
  }
  void ExpectSameWaiting() const {
    std::map<std::pair<uint64_t, uint64_t>, Fields> found;
    waiting_.ForEach([&](const TransferKey& key, const WaitingTransfer& transfer) {
      EXPECT_TRUE(found.emplace(std::pair(key.ends, key.message), FieldsOf(transfer)).second);
    });
    EXPECT_EQ(found, map_);
  }

 private:
  uint64_t next_ = 0;
  WaitingTransfers waiting_{kHash};
  std::map<std::pair<uint64_t, uint64_t>, Fields> map_;
};

TEST(WaitingTransfers, AreFoundInOrderAsTheyWereAdded) {
  Compared both;
  for (uint64_t round = 0; round < 3; ++round) {
    for (uint64_t m = 0; m < 5000; ++m) EXPECT_FALSE(both.Ask(m % 2, m, false));
    for (uint64_t m = 0; m < 5000; ++m) EXPECT_TRUE(both.Ask(m % 2, m, false));
    both.ExpectSameWaiting();
  }
}

// The first ones are lost, those behind come in any order.
TEST(WaitingTransfers, ThoseThatStayHideNoOthers) {
  Compared both;
  for (uint64_t m = 0; m < 2000; ++m) both.Ask(7, 3 * m, false);
  for (uint64_t m = 1999; m > 10; --m) {
    EXPECT_TRUE(both.Ask(7, 3 * m, false));
    EXPECT_FALSE(both.Ask(7, 3 * m + 1, false));
    EXPECT_FALSE(both.Ask(7, 3 * m, false));  // used again
  }
  both.ExpectSameWaiting();
}

TEST(WaitingTransfers, AreWhatAMapHolds) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Compared both;
    const uint64_t pairs = 1 + random() % 5;
    const uint64_t window = 1 + random() % 300;  // how much order there is
    const uint64_t stays = 2 + random() % 50;
    const bool are_words = seed % 4 == 0;
    std::vector<uint64_t> reached(pairs);
    for (int i = 0; i < 4000; ++i) {
      const uint64_t ends = random() % pairs;
      uint64_t message = reached[ends] + random() % window;
      if (random() % 3 == 0) ++reached[ends];
      if (are_words) message = kHash(TransferKey{message, 1});
      both.Ask(ends, message, random() % stays == 0);
    }
    both.ExpectSameWaiting();
  }
}

TEST(WaitingTransfers, OfMorePairsThanThereAreQueues) {
  Compared both;
  constexpr uint64_t kPairs = WaitingTransfers::kMostQueues + 1000;
  for (uint64_t ends = 0; ends < kPairs; ++ends) {
    both.Ask(ends, 1, false);
    both.Ask(ends, 2, false);
  }
  for (uint64_t ends = 0; ends < kPairs; ends += 3) EXPECT_TRUE(both.Ask(ends, 2, false));
  both.ExpectSameWaiting();
}

}  // namespace
}  // namespace syncline
