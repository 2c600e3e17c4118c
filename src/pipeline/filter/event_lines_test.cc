#include "pipeline/filter/event_lines.h"

#include <deque>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(EventLines, ComeOutAsTheyWentInWhateverTheirNumberAndLength) {
  constexpr uint64_t kSeed = 20240611;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  struct Kept {
    std::string before, after;
    int64_t arrival_ns = 0;
  };
  std::deque<Kept> oracle;
  EventLines lines;
  for (int step = 0; step < 20'000; ++step) {
    // Fills up and runs empty in turns.
    const bool is_filling = (step / 2500) % 2 == 0;
    if (random() % 4 < (is_filling ? 3u : 1u)) {
      oracle.push_back({std::string(random() % 3, ' '),
                        std::string(1 + random() % (step % 100 == 0 ? 5000 : 60), 'x'), step});
      lines.Push({oracle.back().before, oracle.back().after}, step);
    } else if (!oracle.empty()) {
      ASSERT_FALSE(lines.empty());
      const EventLines::Line line = lines.front();
      lines.Pop();
      ASSERT_EQ(line.parts.before, oracle.front().before);
      ASSERT_EQ(line.parts.after, oracle.front().after);
      ASSERT_EQ(line.arrival_ns, oracle.front().arrival_ns);
      oracle.pop_front();
    }
    ASSERT_EQ(lines.empty(), oracle.empty());
  }
}

}  // namespace
}  // namespace syncline
