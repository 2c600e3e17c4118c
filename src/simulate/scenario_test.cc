#include "simulate/scenario.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "simulate/simulation_test_util.h"

namespace syncline {
namespace {

TEST(Scenario, GridExchangesWithEveryNeighbourInEveryStep) {
  constexpr int64_t kRows = 3;
  constexpr int64_t kColumns = 4;
  constexpr int64_t kSteps = 25;
  const auto events = RunAll({.grid = GridSize{kRows, kColumns}, .steps = kSteps});
  ExpectInOrder(events);
  const auto messages = Messages(events);
  EXPECT_EQ(messages.size(), 2 * (2 * kRows * kColumns - kRows - kColumns) * kSteps);
  for (const SimulatedMessage& m : messages) {
    const auto a = static_cast<int64_t>(m.send.event.process.value);
    const auto b = static_cast<int64_t>(m.receive.event.process.value);
    const int64_t distance =
        std::abs(a / kColumns - b / kColumns) + std::abs(a % kColumns - b % kColumns);
    EXPECT_EQ(distance, 1) << a << " to " << b;
  }
}

TEST(Scenario, TicksShowTheApparentDelaysOfTheReport) {
  const auto messages = Messages(RunAll({.kind = ScenarioKind::kTicks, .steps = 50}));
  ASSERT_EQ(messages.size(), 50 * 2 * 19U);
  for (const SimulatedMessage& m : messages) {
    const bool is_forward = m.send.event.process < m.receive.event.process;
    EXPECT_EQ(m.receive.event.time.ticks - m.send.event.time.ticks,
              is_forward ? -9'750 * kUs : -250 * kUs);
    EXPECT_EQ(m.receive.true_ns - m.send.true_ns, 250 * kUs);
  }
}

// Clock i shows 10 ms · k + 0.25 ms · (i + 1); process 0 sends first at 10.25 ms, then at 20.25 ms.
TEST(Scenario, TicksAreStampedAsInTheReport) {
  std::map<uint32_t, std::vector<int64_t>> sends;
  for (const Recorded& e : RunAll({.kind = ScenarioKind::kTicks, .steps = 3})) {
    const auto process = static_cast<int64_t>(e.event.process.value);
    EXPECT_EQ((e.event.time.ticks - 250 * kUs * (process + 1)) % (10 * kMs), 0);
    if (e.event.kind == EventKind::kSend) {
      sends[e.event.process.value].push_back(e.event.time.ticks);
    }
  }
  EXPECT_EQ(sends[0], (std::vector<int64_t>{10'250 * kUs, 20'250 * kUs, 30'250 * kUs}));
  EXPECT_EQ(sends[19], (std::vector<int64_t>{15'000 * kUs, 25'000 * kUs, 35'000 * kUs}));
}

// C0 = jτ, C1 = jτ(1 + p) − D.
TEST(Scenario, TwoSendAndReceiveAtTheInstantsOfTheTheorem) {
  const int64_t tau = 10 * kMs;
  const int64_t behind = 700 * kUs;
  const auto events = RunAll({.kind = ScenarioKind::kTwo,
                              .steps = 30,
                              .period_ns = tau,
                              .behind_ns = behind,
                              .faster_ppt = 50'000'000});
  ASSERT_EQ(events.size(), 30 * 4U);
  for (size_t i = 0; i < events.size(); ++i) {
    const auto j = static_cast<int64_t>(i / 4);
    EXPECT_EQ(events[i].event.kind, i % 4 < 2 ? EventKind::kSend : EventKind::kReceive);
    EXPECT_EQ(events[i].true_ns, j * tau);
    const bool is_first = events[i].event.process == ProcessId(0);
    EXPECT_EQ(events[i].event.time.ticks, is_first ? j * tau : j * tau + j * tau / 20'000 - behind);
  }
}

TEST(Scenario, ServerAnswersEveryRequestInOrderOfArrival) {
  const auto events = RunAll({.kind = ScenarioKind::kClientServer,
                              .processes = 7,
                              .steps = 40,
                              .compute_ns = Range{0, kMs}});
  const auto messages = Messages(events);
  EXPECT_EQ(messages.size(), 2 * 6 * 40U);
  std::vector<uint32_t> asked;
  std::vector<uint32_t> answered;
  for (const Recorded& e : events) {
    if (e.event.process != ProcessId(0)) continue;
    if (e.event.kind == EventKind::kReceive) asked.push_back(e.event.peer.value);
    if (e.event.kind == EventKind::kSend) answered.push_back(e.event.peer.value);
  }
  EXPECT_EQ(asked, answered);
}

TEST(Scenario, RandomPairsChange) {
  const auto messages =
      Messages(RunAll({.kind = ScenarioKind::kRandom, .processes = 7, .steps = 60}));
  EXPECT_EQ(messages.size(), 60 * 3U);
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (const SimulatedMessage& m : messages) {
    pairs.emplace(m.send.event.process.value, m.receive.event.process.value);
  }
  EXPECT_GT(pairs.size(), 7 * 6 * 3 / 4U) << "of 42";
}

TEST(Scenario, NeighboursAreThoseOfRandomRings) {
  constexpr uint32_t kProcesses = 12;
  for (const uint32_t neighbours : {2U, 4U, 12U}) {
    SCOPED_TRACE(neighbours);
    std::map<uint32_t, std::set<uint32_t>> partners;
    std::set<std::pair<uint32_t, uint32_t>> ways;
    for (const SimulatedMessage& m : Messages(RunAll({.kind = ScenarioKind::kRandom,
                                     .processes = kProcesses,
                                     .steps = 400,
                                     .neighbours = neighbours}))) {
      const uint32_t from = m.send.event.process.value;
      const uint32_t to = m.receive.event.process.value;
      ways.emplace(from, to);
      partners[from].insert(to);
      partners[to].insert(from);
    }
    for (const auto& [from, to] : ways) EXPECT_TRUE(ways.contains({to, from})) << from << to;
    // Rings may share neighbours.
    for (const auto& [process, others] : partners) EXPECT_LE(others.size(), neighbours) << process;
    if (neighbours > 2) continue;
    std::set<uint32_t> reached = {0};
    for (uint32_t round = 0; round < kProcesses; ++round) {
      for (const uint32_t process : std::set(reached)) reached.merge(std::set(partners[process]));
    }
    EXPECT_EQ(reached.size(), kProcesses) << "one ring through all";
    EXPECT_EQ(ways.size(), 2 * kProcesses);
  }
}

TEST(Scenario, EndsSoonAfterTheNumberOfEventsAskedFor) {
  for (const ScenarioKind kind :
       {ScenarioKind::kGrid, ScenarioKind::kTicks, ScenarioKind::kTwo, ScenarioKind::kRing,
        ScenarioKind::kClientServer, ScenarioKind::kRandom}) {
    SCOPED_TRACE(ScenarioName(kind));
    const auto events = RunAll({.kind = kind, .events = 3000});
    EXPECT_GE(events.size(), 3000U);
    EXPECT_LE(events.size(), 3600U);
    Messages(events);
  }
}

TEST(Scenario, RefusesWhatItCannotDo) {
  const struct {
    ScenarioOptions options;
    const char* message;
  } cases[] = {
      {{.kind = ScenarioKind::kTwo, .grid = GridSize{2, 2}}, "the scenario two knows no --grid"},
      {{.kind = ScenarioKind::kTicks, .collectives_every = 1},
       "the scenario ticks knows no --collectives"},
      {{.processes = 4, .grid = GridSize{2, 2}}, "--grid and --processes exclude each other"},
      {{.kind = ScenarioKind::kRing, .neighbours = 2}, "the scenario ring knows no --neighbours"},
      {{.kind = ScenarioKind::kRandom, .neighbours = 3},
       "--neighbours takes an even number from 2 to that of the processes"},
      {{.kind = ScenarioKind::kRandom, .processes = 7, .neighbours = 8},
       "--neighbours takes an even number from 2 to that of the processes"},
      {{.wrong_matches_ppb = 500'000'001}, "--wrong-matches takes a share of at most 0.5"},
      {{.steps = 4, .events = 5}, "--steps and --events exclude each other"},
      {{.steps = 0}, "a simulation takes one step and one event or more"},
      {{.processes = 1}, "1 processes: it takes 2 to 100000"},
      {{.grid = GridSize{100'000, 100'000}}, "10000000000 processes: it takes 2 to 100000"},
      {{.kind = ScenarioKind::kTicks, .period_ns = 2 * 19 * 250 * kUs},
       "the scenario ticks needs a --period longer than the way there and back"},
      {{.kind = ScenarioKind::kTicks, .delay_ns = Range{1, 2}},
       "the scenario ticks has one fixed --delay"},
  };
  for (const auto& c : cases) {
    const auto plan = PlanScenario(c.options);
    ASSERT_FALSE(plan) << c.message;
    EXPECT_EQ(plan.error().message, c.message);
    EXPECT_EQ(plan.error().code, ErrorCode::kUsage);
  }
  ScenarioOptions unknown;
  unknown.clocks = {*ParseClockAssignment("20:offset=1")};
  EXPECT_EQ(PlanScenario(unknown).error().message, "--clock: there are only the processes 0 to 19");
}

TEST(Scenario, MakesTheGridAsSquareAsItCan) {
  for (const auto& [processes, messages] : {std::pair{12U, 2 * (2 * 12 - 3 - 4)}, {7U, 2 * 6}}) {
    EXPECT_EQ(Messages(RunAll({.processes = processes, .steps = 1})).size(), messages);
  }
}

}  // namespace
}  // namespace syncline
