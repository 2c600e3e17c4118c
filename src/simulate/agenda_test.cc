#include "simulate/agenda.h"

#include <map>

#include <gtest/gtest.h>

#include "simulate/random.h"

namespace syncline {
namespace {

TEST(Agenda, GivesTheEarliestAndThenTheSmallestProcess) {
  Agenda agenda(3);
  agenda.Set(2, 5);
  agenda.Set(1, 5);
  agenda.Set(0, 9);
  EXPECT_EQ(agenda.top().process, 1U);
  agenda.Set(1, 10);
  EXPECT_EQ(agenda.top().process, 2U);
  agenda.RemoveTop();
  EXPECT_EQ(agenda.top().process, 0U);
}

TEST(Agenda, AgreesWithAScanOverAllProcesses) {
  constexpr uint64_t kSeed = 20240611;
  SCOPED_TRACE(kSeed);
  Random random(kSeed, 0);
  constexpr uint32_t kProcesses = 17;
  Agenda agenda(kProcesses);
  std::map<uint32_t, int64_t> naive;
  for (int i = 0; i < 20'000; ++i) {
    if (naive.empty() || random.In({0, 2}) > 0) {
      const auto process = static_cast<uint32_t>(random.In({0, kProcesses - 1}));
      const int64_t ns = random.In({0, 50});
      naive[process] = ns;
      agenda.Set(process, ns);
    } else {
      naive.erase(agenda.top().process);
      agenda.RemoveTop();
    }
    ASSERT_EQ(agenda.empty(), naive.empty());
    if (naive.empty()) continue;
    Agenda::Entry least{naive.begin()->second, naive.begin()->first};
    for (const auto& [process, ns] : naive) {
      if (Agenda::Entry{ns, process} < least) least = {ns, process};
    }
    ASSERT_EQ(agenda.top().process, least.process);
    ASSERT_EQ(agenda.top().ns, least.ns);
  }
}

}  // namespace
}  // namespace syncline
