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

class Recorded : public MessageWork {
 public:
  void Add(const RecordedMessage& m) override {
    visited.push_back({m.id, m.send_ns, m.from_epoch});
  }
  void PutTask(Parcel&) const override {}
  void TakeOutcome(ParcelReader&) override {}

  std::vector<std::tuple<uint64_t, int64_t, uint32_t>> visited;
};

TEST(MessageShare, VisitsItsMessagesByTheNumbersThatTheyHaveAmongAll) {
  TraceSet traces;
  traces.clocks.resize(2);
  traces.processes = {{"", "", ClockId(0)}, {"", "", ClockId(1)}, {"", "", ClockId(1)}};
  const auto message = [](uint32_t from, uint32_t to, uint64_t n) {
    return Message{{ProcessId(from), n, {static_cast<int64_t>(10 * n)}},
                   {ProcessId(to), n, {static_cast<int64_t>(10 * n + 1)}}};
  };
  MessageShare share(traces);
  share.Add(std::vector<std::vector<Message>>{{message(0, 1, 1), message(0, 2, 2)}, {}});
  share.Add(std::vector<std::vector<Message>>{{message(1, 2, 3)}, {message(2, 0, 4)}});
  ASSERT_EQ(share.series().size(), 4u);
  EXPECT_EQ(share.series()[3].messages, 1u);
  EXPECT_EQ(share.series()[3].send_ns, 40);
  EXPECT_EQ(share.series()[3].receive_ns, 41);
  share.Number(0, 100);
  share.Number(1, 102);
  share.Number(2, 200);
  share.Number(3, 300);
  // The clock of processes 1 and 2 was set back before event 4 of the latter.
  Parcel epochs;
  epochs.Put(uint64_t{3});
  for (const std::vector<uint64_t>& first_event : {{}, {}, std::vector<uint64_t>{4}}) {
    epochs.Put(first_event);
  }
  ParcelReader task(epochs.bytes());
  Recorded work;
  ASSERT_TRUE(share.Run(task, work));
  EXPECT_EQ(work.visited, (decltype(work.visited){{100, 10, 0}, {101, 20, 0}, {300, 40, 1}}));
  const auto pairs = share.TakePairs();
  EXPECT_EQ(pairs.at({ClockId(0), ClockId(1)}).messages_ab(), 2u);
  EXPECT_EQ(pairs.at({ClockId(0), ClockId(1)}).messages_ba(), 1u);
}

}  // namespace
}  // namespace syncline
