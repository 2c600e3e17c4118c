#include "match/message_store.h"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

Message Random(std::mt19937_64& random) {
  auto event = [&] {
    return EventRef{ProcessId(static_cast<uint32_t>(random() >> 40)),
                    random() >> 24,
                    {static_cast<int64_t>(random())}};
  };
  return {event(), event()};
}

TEST(MessageStore, GivesBackEveryMessageInOrderFromMemoryAndDisk) {
  for (const size_t budget : {size_t{1} << 20, size_t{100} << 10, size_t{0}}) {
    std::mt19937_64 random(3);
    std::vector<Message> expected;
    MessageStore store(std::make_shared<SpillSpace>(budget));
    for (int i = 0; i < 10'000; ++i) {
      expected.push_back(Random(random));
      store.OnMessage(expected.back());
    }
    ASSERT_EQ(store.messages(), expected.size());
    size_t next = 0;
    ASSERT_TRUE(store.ForEach([&](const Message& m) {
      const Message& e = expected[next++];
      ASSERT_EQ(m.send.process, e.send.process);
      ASSERT_EQ(m.send.index, e.send.index);
      ASSERT_EQ(m.send.time, e.send.time);
      ASSERT_EQ(m.receive.process, e.receive.process);
      ASSERT_EQ(m.receive.index, e.receive.index);
      ASSERT_EQ(m.receive.time, e.receive.time);
    }));
    EXPECT_EQ(next, expected.size());
    for (const size_t first : {0, 1, 5000, 9'990}) {
      const auto some = store.Some(first, 100).value();
      ASSERT_EQ(some.size(), std::min<size_t>(100, expected.size() - first));
      for (size_t i = 0; i < some.size(); ++i) {
        ASSERT_EQ(some[i].send.index, expected[first + i].send.index);
        ASSERT_EQ(some[i].receive.time, expected[first + i].receive.time);
      }
    }
  }
}

TEST(MessageStore, PassesOverWhatIsSetAside) {
  for (const size_t budget : {size_t{1} << 20, size_t{0}}) {
    std::mt19937_64 random(4);
    MessageStore store(std::make_shared<SpillSpace>(budget));
    std::vector<Message> all;
    for (int i = 0; i < 10; ++i) {
      all.push_back(Random(random));
      store.OnMessage(all.back());
    }
    store.SetAside(std::vector<Message>{all[3], all[9]});
    store.SetAside(std::vector<Message>{all[3]});
    std::vector<uint64_t> visited;
    ASSERT_TRUE(store.ForEach([&](const Message& m) { visited.push_back(m.send.index); }));
    std::vector<uint64_t> expected;
    for (const size_t i : {0, 1, 2, 4, 5, 6, 7, 8}) expected.push_back(all[i].send.index);
    EXPECT_EQ(visited, expected);
    EXPECT_EQ(store.messages(), all.size());
    ASSERT_EQ(store.set_aside().size(), 2U);
    EXPECT_EQ(store.set_aside()[1].send.index, all[9].send.index);
  }
}

}  // namespace
}  // namespace syncline
