#include "write/exported_order.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "write/export_test_util.h"

namespace syncline {
namespace {

using Places = std::vector<std::pair<uint32_t, uint64_t>>;  // process, event

Places Visit(ExportedOrder& order) {
  Places places;
  while (const auto visited = order.Next()) {
    places.emplace_back(visited->process.value, visited->index);
  }
  return places;
}

TEST(ExportedOrder, ByTimeMergesProcessesInProgramOrder) {
  ExportBuilder builder({"a", "b"});
  builder.Add(0, 10, EventKind::kMark);
  builder.Add(0, 30, EventKind::kMark);
  builder.Add(0, 20, EventKind::kMark);  // a step back stays behind what was before it
  builder.Add(1, 10, EventKind::kMark);
  builder.Add(1, 25, EventKind::kMark);
  ExportedOrder order(builder.trace(), ExportOrder::kByTime);
  EXPECT_EQ(Visit(order), (Places{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}}));
  EXPECT_FALSE(order.LeftOver());
}

TEST(ExportedOrder, ByCauseAReceiveWaitsForItsSend) {
  ExportBuilder builder({"a", "b"});
  builder.Message(0, 50, 1, 20, 1);  // received before it was sent
  builder.Add(1, 30, EventKind::kMark);
  ExportedOrder by_time(builder.trace(), ExportOrder::kByTime);
  EXPECT_EQ(Visit(by_time), (Places{{1, 0}, {1, 1}, {0, 0}}));
  ExportedOrder by_cause(builder.trace(), ExportOrder::kByCause);
  EXPECT_EQ(Visit(by_cause), (Places{{0, 0}, {1, 0}, {1, 1}}));
}

TEST(ExportedOrder, EventsOfACycleAreLeftOver) {
  ExportBuilder builder({"a", "b"});
  for (const uint32_t process : {0U, 1U}) {
    builder.Add(process, 10, EventKind::kReceive);
    builder.Add(process, 20, EventKind::kSend);
  }
  builder.Link({.from = 0, .to = 1, .send = 1, .receive = 0}, 1);
  builder.Link({.from = 1, .to = 0, .send = 1, .receive = 0}, 2);
  for (ExportedProcess& process : builder.trace().processes) {
    std::sort(process.links.begin(), process.links.end(),
              [](const auto& a, const auto& b) { return a.event < b.event; });
  }
  ExportedOrder order(builder.trace(), ExportOrder::kByCause);
  EXPECT_TRUE(Visit(order).empty());
  ASSERT_TRUE(order.LeftOver());
  EXPECT_EQ(order.LeftOver()->index, 0U);
}

// Any times at all: messages go forward in a hidden order.
TEST(ExportedOrder, ByCauseEveryEventComesOnceAndAfterItsCauses) {
  const uint32_t seed = 20'240'611;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  ExportBuilder builder({"a", "b", "c", "d"});
  for (uint64_t message = 0; message < 500; ++message) {
    const uint32_t from = random() % 4;
    const uint32_t to = (from + 1 + random() % 3) % 4;
    builder.Message(from, random() % 1000, to, random() % 1000, message);
  }
  ExportedOrder order(builder.trace(), ExportOrder::kByCause);
  const Places places = Visit(order);
  ASSERT_EQ(places.size(), 1000U);
  const auto place_of = [&](uint32_t process, uint64_t event) {
    return std::find(places.begin(), places.end(), std::pair(process, event));
  };
  for (const ExportedMessage& m : builder.trace().messages) {
    EXPECT_LT(place_of(m.from, m.send), place_of(m.to, m.receive));
  }
  for (uint32_t process = 0; process < 4; ++process) {
    for (uint64_t i = 1; i < builder.trace().processes[process].events.size(); ++i) {
      EXPECT_LT(place_of(process, i - 1), place_of(process, i));
    }
  }
}

}  // namespace
}  // namespace syncline
