#include "simulate/simulation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/testing/times.h"
#include "simulate/simulation_test_util.h"

namespace syncline {
namespace {

TEST(Simulation, MessagesTravelWithinTheirLimits) {
  for (const ScenarioKind kind : {ScenarioKind::kGrid, ScenarioKind::kRing,
                                  ScenarioKind::kClientServer, ScenarioKind::kRandom}) {
    SCOPED_TRACE(ScenarioName(kind));
    const Range delay{70 * kUs, 90 * kUs};
    const auto messages = Messages(RunAll({.kind = kind, .steps = 200, .delay_ns = delay}));
    ASSERT_GT(messages.size(), 500U);
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (const SimulatedMessage& m : messages) {
      const int64_t travelled = m.receive.true_ns - m.send.true_ns;
      EXPECT_GE(travelled, delay.low);
      least = std::min(least, travelled);
      if (!m.was_awaited) continue;
      EXPECT_LE(travelled, delay.high);
      most = std::max(most, travelled);
    }
    EXPECT_LT(least, 75 * kUs) << "the limits are reached";
    EXPECT_GT(most, 85 * kUs) << "the limits are reached";
  }
}

TEST(Simulation, EveryWayHasItsOwnDelayFromBeginningToEnd) {
  const Range route{100 * kUs, 900 * kUs};
  std::map<std::pair<uint32_t, uint32_t>, int64_t> delays;
  for (const SimulatedMessage& m : Messages(RunAll({.kind = ScenarioKind::kRandom,
                                   .processes = 4,
                                   .steps = 300,
                                   .delay_ns = Range{10, 10},
                                   .route_ns = route}))) {
    if (!m.was_awaited) continue;
    const int64_t delay = m.receive.true_ns - m.send.true_ns;
    const auto way = std::pair(m.send.event.process.value, m.receive.event.process.value);
    EXPECT_EQ(delays.try_emplace(way, delay).first->second, delay);
  }
  ASSERT_EQ(delays.size(), 4 * 3U);
  std::set<int64_t> different;
  for (const auto& [way, delay] : delays) {
    different.insert(delay);
    EXPECT_GE(delay, route.low + 10);
    EXPECT_LE(delay, route.high + 10);
  }
  EXPECT_EQ(different.size(), delays.size()) << "there and back differ";
}

// Of 20 000 messages 2 % are 400, give or take 3·√(2 · 400), for they come in pairs.
TEST(Simulation, WrongMatchesSwapTheNumbersOfMessagesOfOneWay) {
  const auto events = RunAll({.kind = ScenarioKind::kRandom,
                              .processes = 4,
                              .steps = 10'000,
                              .wrong_matches_ppb = 20'000'000});
  // By sender and receiver: the numbers of sends, and those of receives, each in their order, which
  // is the same.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<std::vector<uint64_t>, std::vector<uint64_t>>>
      ways;
  for (const Recorded& e : events) {
    const uint32_t process = e.event.process.value;
    if (e.event.kind == EventKind::kSend) {
      ways[{process, e.event.peer.value}].first.push_back(e.event.message);
    } else if (e.event.kind == EventKind::kReceive) {
      ways[{e.event.peer.value, process}].second.push_back(e.event.message);
    }
  }
  size_t messages = 0;
  size_t wrong = 0;
  for (const auto& [way, numbers] : ways) {
    const auto& [sent, received] = numbers;
    ASSERT_EQ(sent.size(), received.size());
    messages += sent.size();
    for (size_t i = 0; i < sent.size(); ++i) {
      if (sent[i] == received[i]) continue;
      ++wrong;
      if (i + 1 == sent.size()) continue;  // the other one was never sent
      ++wrong;
      EXPECT_EQ(received[i], sent[i + 1]);
      EXPECT_EQ(received[i + 1], sent[i]);
      ++i;
    }
  }
  EXPECT_EQ(messages, 20'000U);
  EXPECT_NEAR(static_cast<double>(wrong), 400, 3 * std::sqrt(2 * 400.0));
}

TEST(Simulation, LargeMessagesTravelLonger) {
  const auto messages = Messages(RunAll({.kind = ScenarioKind::kTwo,
                                         .steps = 5,
                                         .delay_ns = Range{10, 10},
                                         .bytes = Range{4000, 4000},
                                         .ps_per_byte = 500}));
  for (const SimulatedMessage& m : messages) {
    EXPECT_EQ(m.receive.true_ns - m.send.true_ns, 10 + 4000 * 500 / 1000);
  }
}

TEST(Simulation, CallsAreEnclosedInRegions) {
  auto simulation = Simulation::Create(
      {.kind = ScenarioKind::kRing, .steps = 9, .collectives_every = 1, .detail = Detail::kCalls});
  ASSERT_TRUE(simulation);
  std::map<uint32_t, std::vector<uint32_t>> stacks;
  for (const Recorded& e : RunAll(*simulation)) {
    auto& stack = stacks[e.event.process.value];
    if (e.event.kind == EventKind::kEnter) {
      stack.push_back(e.event.name);
    } else if (e.event.kind == EventKind::kLeave) {
      ASSERT_FALSE(stack.empty());
      EXPECT_EQ(stack.back(), e.event.name);
      stack.pop_back();
    } else {
      ASSERT_EQ(stack.size(), 1U);
      const std::string& call = simulation->names()[stack.back()];
      const std::string expected = e.event.kind == EventKind::kSend      ? "MPI_Send"
                                   : e.event.kind == EventKind::kReceive ? "MPI_Recv"
                                                                         : "MPI_";
      EXPECT_EQ(call.substr(0, expected.size()), expected);
    }
  }
  for (const auto& [process, stack] : stacks) EXPECT_TRUE(stack.empty()) << process;
}

TEST(Simulation, EveryOtherCollectiveIsOneOfGroups) {
  auto simulation = Simulation::Create({.kind = ScenarioKind::kRandom,
                                        .processes = 5,
                                        .steps = 18,
                                        .collectives_every = 1,
                                        .group_size = 2});
  ASSERT_TRUE(simulation);
  const std::vector<Group>& groups = simulation->traces().groups;
  ASSERT_EQ(groups.size(), 1U + 3);  // all, and 0 with 1, 2 with 3, 4 alone
  // By group and number, who began when and who ended.
  std::map<std::pair<std::string, uint64_t>, std::vector<uint32_t>> begun, ended;
  for (const Recorded& e : RunAll(*simulation)) {
    const std::pair instance(simulation->names()[e.event.group], e.event.message);
    const uint32_t process = e.event.process.value;
    if (e.event.kind == EventKind::kCollectiveBegin) begun[instance].push_back(process);
    if (e.event.kind != EventKind::kCollectiveEnd) continue;
    ended[instance].push_back(process);
    const std::string& kind = simulation->names()[e.event.name];
    if (!kind.starts_with("all") && kind != "barrier") continue;
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const Group& g) { return g.name == instance.first; });
    EXPECT_EQ(begun[instance].size(), group->members.size()) << kind << ": nobody left before";
  }
  EXPECT_EQ(ended.size(), 9U + 9 * 3);
  for (auto& [instance, processes] : ended) {
    const uint64_t first = instance.first == "world" ? 0 : 2 * (instance.first.back() - '0');
    EXPECT_EQ(*std::min_element(processes.begin(), processes.end()), first);
    EXPECT_EQ(instance.second % 2, instance.first == "world" ? 0 : 1);
  }
}

TEST(Simulation, CollectivesAreCompleteAndTakeTurns) {
  auto simulation = Simulation::Create({.kind = ScenarioKind::kRandom,
                                        .processes = 5,
                                        .steps = 36,
                                        .delay_ns = Range{40 * kUs, 60 * kUs},
                                        .collectives_every = 2});
  ASSERT_TRUE(simulation);
  ASSERT_EQ(simulation->traces().groups.size(), 1U);
  EXPECT_EQ(simulation->traces().groups[0].members.size(), 5U);
  struct Instance {
    int begins = 0;
    int ends = 0;
    int roots = 0;
    int64_t last_begin_ns = 0;
    int64_t first_end_ns = INT64_MAX;
  };
  std::map<std::pair<std::string, uint64_t>, Instance> instances;
  const auto events = RunAll(*simulation);
  ExpectInOrder(events);
  for (const Recorded& e : events) {
    const bool begins = e.event.kind == EventKind::kCollectiveBegin;
    if (!begins && e.event.kind != EventKind::kCollectiveEnd) continue;
    auto& instance = instances[{simulation->names()[e.event.name], e.event.message}];
    instance.begins += begins ? 1 : 0;
    instance.ends += begins ? 0 : 1;
    instance.roots += e.event.is_root ? 1 : 0;
    if (begins) instance.last_begin_ns = std::max(instance.last_begin_ns, e.true_ns);
    if (!begins) instance.first_end_ns = std::min(instance.first_end_ns, e.true_ns);
  }
  EXPECT_EQ(instances.size(), 18U);
  std::set<std::string> kinds;
  for (const auto& [key, instance] : instances) {
    const std::string& kind = key.first;
    kinds.insert(kind);
    EXPECT_EQ(instance.begins, 5) << kind;
    EXPECT_EQ(instance.ends, 5) << kind;
    const bool has_root =
        kind == "bcast" || kind == "scatter" || kind == "reduce" || kind == "gather";
    EXPECT_EQ(instance.roots, has_root ? 2 : 0) << kind << ": once at its begin, once at its end";
    if (kind == "barrier" || kind.starts_with("all")) {
      EXPECT_GE(instance.first_end_ns, instance.last_begin_ns + 40 * kUs) << kind;
    }
  }
  EXPECT_EQ(kinds.size(), kCollectiveKinds);
}

TEST(Simulation, EventsAreStampedByTheProcesssOwnClock) {
  ScenarioOptions options{.kind = ScenarioKind::kRing, .steps = 20};
  options.clocks = {*ParseClockAssignment("*:offset=~1s+walk=1ppm/1ms")};
  auto simulation = Simulation::Create(options);
  ASSERT_TRUE(simulation);
  std::vector<ClockModel> clocks;
  for (uint32_t c = 0; c < 8; ++c) clocks.push_back(simulation->clock(ClockId(c)));
  for (const Recorded& e : RunAll(*simulation)) {
    EXPECT_EQ(e.event.time, clocks[e.event.process.index()].At(e.true_ns));
  }
}

TEST(Simulation, ChanceFollowsFromTheSeedAlone) {
  const auto stamps = [](uint64_t seed) {
    std::vector<int64_t> times;
    for (const Recorded& e : RunAll({.kind = ScenarioKind::kRandom, .seed = seed, .steps = 20})) {
      times.push_back(e.true_ns);
    }
    return times;
  };
  EXPECT_EQ(stamps(5), stamps(5));
  EXPECT_NE(stamps(5), stamps(6));
}

TEST(Simulation, RunsAProgramOfOnesOwn) {
  auto plan = PlanScenario({.kind = ScenarioKind::kTwo, .steps = 1});
  ASSERT_TRUE(plan);
  plan->program = [](uint32_t process, uint64_t, Random&) -> std::vector<Action> {
    if (process == 0) return {{.kind = Action::Kind::kSend, .peer = 1, .value = 8}};
    return {{.kind = Action::Kind::kReceive, .peer = 0}};
  };
  Simulation simulation(*plan);
  EXPECT_EQ(Messages(RunAll(simulation)).size(), 1U);
}

TEST(Simulation, SaysWhoWaitsForEver) {
  auto plan = PlanScenario({.kind = ScenarioKind::kTwo, .steps = 1});
  ASSERT_TRUE(plan);
  plan->program = [](uint32_t process, uint64_t, Random&) -> std::vector<Action> {
    return {{.kind = Action::Kind::kReceive, .peer = 1 - process}};
  };
  Simulation simulation(*plan);
  EXPECT_EQ(simulation.Next(), nullptr);
  ASSERT_TRUE(simulation.error());
  EXPECT_EQ(simulation.error()->message, "process 0 waits for ever");
}

TEST(Simulation, StopsWhereTimeEnds) {
  auto simulation = Simulation::Create({.kind = ScenarioKind::kRing,
                                        .steps = 100,
                                        .compute_ns = Range{int64_t{1} << 59, int64_t{1} << 60}});
  ASSERT_TRUE(simulation);
  while (simulation->Next() != nullptr) {
  }
  ASSERT_TRUE(simulation->error());
  EXPECT_NE(simulation->error()->message.find("passes 2^62 ns"), std::string::npos);
}

}  // namespace
}  // namespace syncline
