#include "cli/load/message_pass.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.h"

namespace syncline {
namespace {

using Visited = std::tuple<uint64_t, uint32_t, uint32_t, int64_t, int64_t>;

// Processes 0 and 1 on clock a, 2 on clock b. Of three messages one is within a; so of 100 that
// stand for collectives.
LoadedTraces ManyMessages() {
  LoadedTraces loaded;
  const ClockId a = loaded.ClockNamed({.name = "a"});
  const ClockId b = loaded.ClockNamed({.name = "b", .ticks_per_second = 1000});
  for (const ClockId clock : {a, a, b}) loaded.AddProcess({"", "", clock});
  const auto message = [](uint32_t i) {
    const ProcessId from(i % 3);
    const ProcessId to((i + 1) % 3);
    return Message{{from, i, {int64_t{10} * i}}, {to, i, {int64_t{10} * i + 7}}};
  };
  for (uint32_t i = 0; i < 300'000; ++i) loaded.messages.OnMessage(message(i));
  for (uint32_t i = 0; i < 100; ++i) loaded.collective_messages.OnMessage(message(i));
  return loaded;
}

// In threads, as far as the machine has them.
std::vector<Visited> VisitedBy(const MessageParts& parts) {
  std::vector<std::vector<Visited>> by_part(parts.size());
  ForEachParallel(parts.size(), [&](size_t i) {
    EXPECT_TRUE(parts[i]([&](const RecordedMessage& m) {
      by_part[i].emplace_back(m.id, m.from.value, m.to.value, m.send_ns, m.receive_ns);
    }));
  });
  std::vector<Visited> visited;
  for (const auto& part : by_part) visited.insert(visited.end(), part.begin(), part.end());
  std::sort(visited.begin(), visited.end());
  return visited;
}

TEST(MessagePass, PartsVisitTogetherWhatTheWholeVisits) {
  const LoadedTraces loaded = ManyMessages();
  const std::vector<uint64_t> left_out = {1, 100'000, 300'002};
  const std::vector<Visited> whole = VisitedBy({PassOver(loaded, left_out)});
  EXPECT_EQ(whole.size(), 200'000u + 66u - 3u);
  const MessageParts parts = PartsOver(loaded, left_out);
  EXPECT_EQ(parts.size() > 1, ThreadsFor(2) > 1);
  EXPECT_EQ(VisitedBy(parts), whole);
}

TEST(MessagePass, PartsVisitNothingThatIsSetAside) {
  LoadedTraces loaded = ManyMessages();
  std::vector<Message> set_aside;
  ASSERT_TRUE(loaded.messages.ForEach([&](const Message& m) {
    if (m.send.index == 4) set_aside.push_back(m);
  }));
  loaded.messages.SetAside(set_aside);
  EXPECT_EQ(VisitedBy(PartsOver(loaded)), VisitedBy({PassOver(loaded)}));
}

}  // namespace
}  // namespace syncline
