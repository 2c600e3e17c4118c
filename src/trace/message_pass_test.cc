#include "trace/message_pass.h"

#include <tuple>
#include <vector>

#include <gtest/gtest.h>

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

TEST(MessagePass, VisitsMessagesBetweenClocksButForThoseLeftOut) {
  const LoadedTraces loaded = ManyMessages();
  const std::vector<uint64_t> left_out = {1, 100'000, 300'002};
  std::vector<Visited> visited;
  ASSERT_TRUE(PassOver(loaded, left_out)([&](const RecordedMessage& m) {
    visited.emplace_back(m.id, m.from.value, m.to.value, m.send_ns, m.receive_ns);
  }));
  EXPECT_EQ(visited.size(), 200'000u + 66u - 3u);
  // Message 2 leads from process 2, on b with its ticks of a millisecond, to process 0.
  EXPECT_EQ(visited.front(), Visited(2, 1, 0, 20'000'000, 27));
}

}  // namespace
}  // namespace syncline
