#include "estimate/windows/window_hulls.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr ClockId kA(0);
constexpr ClockId kB(1);

TEST(WindowHulls, KeepsWhatCanBindOfEveryPartOfBothClocks) {
  WindowHulls hulls(800);  // parts of 100 ns
  hulls.Add(kA, kB, 10, 15);
  hulls.Add(kA, kB, 50, 58);  // above the line from (10, 15) to (90, 95): never binds
  hulls.Add(kA, kB, 90, 95);
  hulls.Add(kA, kB, 97, 103);  // arrives in the next part
  hulls.Add(kB, kA, 30, 40);   // the other direction
  hulls.Add(kA, kB, -10, -5);  // parts count on below 0
  const std::vector<WindowHulls::Cell> cells = hulls.Cells();
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].place, (WindowHulls::Place{kA, kB, -1, -1}));
  EXPECT_EQ(cells[1].place, (WindowHulls::Place{kA, kB, 0, 0}));
  EXPECT_EQ(cells[1].vertices, (std::vector<Point>{{10, 15}, {90, 95}}));
  EXPECT_EQ(cells[2].place, (WindowHulls::Place{kA, kB, 0, 1}));
  EXPECT_EQ(cells[3].place, (WindowHulls::Place{kB, kA, 0, 0}));
}

struct Sent {
  int64_t send;
  int64_t receive;
};

std::vector<Sent> RandomMessages(uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<Sent> messages;
  for (int i = 0; i < count; ++i) {
    const auto send = static_cast<int64_t>(random() % 1'000'000'000);
    messages.push_back({send, send + 5'000 + static_cast<int64_t>(random() % 300'000)});
  }
  return messages;
}

TEST(WindowHulls, LeastSlackOfEveryRateIsAmongTheVertices) {
  SCOPED_TRACE("seed 5");
  const std::vector<Sent> messages = RandomMessages(5, 20'000);
  WindowHulls hulls(1'000'000'000);
  for (const Sent& m : messages) hulls.Add(kA, kB, m.send, m.receive);
  for (const int64_t ppm : {-900, -20, 0, 3, 500}) {
    const auto slack = [&](int64_t x, int64_t y) { return y - x - x / 1'000'000 * ppm; };
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const Sent& m : messages) least = std::min(least, slack(m.send, m.receive));
    int64_t least_vertex = std::numeric_limits<int64_t>::max();
    size_t vertices = 0;
    for (const auto& cell : hulls.Cells()) {
      for (const Point p : cell.vertices) least_vertex = std::min(least_vertex, slack(p.x, p.y));
      vertices += cell.vertices.size();
    }
    // Dividing x first rounds it by up to a microsecond, which |ppm| < 1000 makes a nanosecond.
    EXPECT_NEAR(static_cast<double>(least_vertex), static_cast<double>(least), 1'000);
    EXPECT_LT(vertices, messages.size() / 20);
  }
}

TEST(WindowHulls, SameCellsInAnyOrderOfMessages) {
  SCOPED_TRACE("seed 6");
  std::vector<Sent> messages = RandomMessages(6, 3'000);
  WindowHulls forward(400'000'000);
  for (const Sent& m : messages) forward.Add(kA, kB, m.send, m.receive);
  std::shuffle(messages.begin(), messages.end(), std::mt19937_64(7));
  WindowHulls shuffled(400'000'000);
  for (const Sent& m : messages) shuffled.Add(kA, kB, m.send, m.receive);
  const auto x = forward.Cells();
  const auto y = shuffled.Cells();
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(x[i].place, y[i].place);
    EXPECT_EQ(x[i].vertices, y[i].vertices);
  }
}

}  // namespace
}  // namespace syncline
