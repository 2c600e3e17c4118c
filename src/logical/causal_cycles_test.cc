#include "logical/causal_cycles.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/random_cases.h"

namespace syncline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CausalCycles, NothingComesOutOfNothing) {
  EXPECT_THAT(LinksToLeaveOut(0, {}), IsEmpty());
  EXPECT_THAT(LinksToLeaveOut(3, {}), IsEmpty());
}

TEST(CausalCycles, InvertedMessagesInOrderStay) {
  const std::vector<CausalLink> links = {{0, 1, 0, 0, -5}, {1, 0, 1, 1, -7}, {0, 1, 2, 2, -9}};
  EXPECT_THAT(LinksToLeaveOut(2, links), IsEmpty());
}

TEST(CausalCycles, OfTwoMessagesTheMoreInvertedGoes) {
  // Each process receives what the other sends afterwards.
  std::vector<CausalLink> links = {{1, 0, 1, 0, -20}, {0, 1, 1, 0, 3}};
  EXPECT_THAT(LinksToLeaveOut(2, links), ElementsAre(0));
  links[1].delay_ns = -21;
  EXPECT_THAT(LinksToLeaveOut(2, links), ElementsAre(1));
}

TEST(CausalCycles, CircleOfThreeLosesOne) {
  const std::vector<CausalLink> links = {
      {0, 1, 5, 2, 10}, {1, 2, 5, 2, -30}, {2, 0, 5, 2, 10}, {0, 2, 0, 0, -40}, {1, 0, 9, 9, 1}};
  EXPECT_THAT(LinksToLeaveOut(3, links), ElementsAre(1));
}

TEST(CausalCycles, AnEventReceivesBeforeItSends) {
  const std::vector<CausalLink> forwarded = {{0, 1, 0, 4, 1}, {1, 0, 4, 1, 1}};
  EXPECT_THAT(LinksToLeaveOut(2, forwarded), IsEmpty());
  const std::vector<CausalLink> to_each_other = {{0, 1, 0, 0, 1}, {1, 0, 0, 0, 0}};
  EXPECT_THAT(LinksToLeaveOut(2, to_each_other), ElementsAre(1));
}

TEST(CausalCycles, CyclesOneBehindTheOtherLoseOneEach) {
  std::vector<CausalLink> links;
  std::vector<uint32_t> wrong;
  for (uint64_t i = 0; i < 1000; ++i) {
    wrong.push_back(static_cast<uint32_t>(links.size()));
    links.push_back({1, 0, 2 * i + 1, 2 * i, -100});
    links.push_back({0, 1, 2 * i + 1, 2 * i, 100});
  }
  EXPECT_EQ(LinksToLeaveOut(2, links), wrong);
}

// A ring in which every receive is matched with the next send but one: many cycles that share
// processes. Quadratic cost would take minutes.
TEST(CausalCycles, ManyCyclesCostLittle) {
  constexpr uint32_t kProcesses = 50;
  constexpr uint64_t kRounds = 20'000;
  std::vector<CausalLink> links;
  for (uint64_t i = 0; i < kRounds; ++i) {
    for (uint32_t p = 0; p < kProcesses; ++p) {
      links.push_back({p, (p + 1) % kProcesses, 2 * i + 1, 2 * i, p == i % kProcesses ? -2 : -1});
    }
  }
  EXPECT_EQ(LinksToLeaveOut(kProcesses, links).size(), kRounds);
}

// --- against a naive topological sort ------------------------------------------------------------

using Node = std::pair<uint32_t, uint64_t>;  // process, twice the event; its sends one behind

// Whether there is an order of events that satisfies all links but those left out.
bool HasOrder(size_t processes, const std::vector<CausalLink>& links,
              const std::vector<uint32_t>& left_out) {
  std::map<Node, std::set<Node>> after;
  std::map<Node, int> waits;
  const auto add = [&](const Node& a, const Node& b) {
    waits[a];
    waits[b] += after[a].insert(b).second ? 1 : 0;
  };
  uint64_t last = 0;
  for (const CausalLink& link : links) last = std::max({last, link.send, link.receive});
  for (uint32_t p = 0; p < processes; ++p) {
    for (uint64_t i = 0; i < 2 * last + 1; ++i) add({p, i}, {p, i + 1});
  }
  for (uint32_t i = 0; i < links.size(); ++i) {
    if (std::binary_search(left_out.begin(), left_out.end(), i)) continue;
    add({links[i].from, 2 * links[i].send + 1}, {links[i].to, 2 * links[i].receive});
  }
  std::vector<Node> ready;
  for (const auto& [node, count] : waits) {
    if (count == 0) ready.push_back(node);
  }
  size_t taken = 0;
  for (; !ready.empty(); ++taken) {
    const Node node = ready.back();
    ready.pop_back();
    for (const Node& next : after[node]) {
      if (--waits[next] == 0) ready.push_back(next);
    }
  }
  return taken == waits.size();
}

struct RandomLinks {
  size_t processes = 0;
  std::vector<CausalLink> links;
};

// Messages of a program that ran, some of which have exchanged their sends.
RandomLinks MakeLinks(std::mt19937& random) {
  const auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t processes = 2 + below(5);
  RandomLinks made{.processes = processes, .links = {}};
  const size_t messages = 1 + below(40);
  std::vector<uint64_t> now(processes);
  for (size_t i = 0; i < messages; ++i) {
    const uint32_t from = below(processes);
    const uint32_t to = (from + 1 + below(processes - 1)) % processes;
    CausalLink link{.from = from, .to = to, .delay_ns = static_cast<int64_t>(below(9)) - 2};
    link.send = now[from] += below(3);
    link.receive = now[to] = std::max(now[to], link.send) + 1;
    made.links.push_back(link);
  }
  for (uint32_t wrong = below(5); wrong > 0; --wrong) {
    CausalLink& a = made.links[below(messages)];
    CausalLink& b = made.links[below(messages)];
    if (a.from == b.to || b.from == a.to) continue;
    std::swap(a.from, b.from);
    std::swap(a.send, b.send);
    a.delay_ns -= 10;
  }
  return made;
}

TEST(CausalCycles, WhatIsLeftHasAnOrder) {
  constexpr uint32_t kSeed = 18;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  int with_cycles = 0;
  constexpr int kCases = RandomCases(3000);
  for (int i = 0; i < kCases; ++i) {
    const auto [processes, links] = MakeLinks(random);
    const bool had_order = HasOrder(processes, links, {});
    const std::vector<uint32_t> left_out = LinksToLeaveOut(processes, links);
    ASSERT_EQ(left_out.empty(), had_order) << i;
    ASSERT_TRUE(HasOrder(processes, links, left_out)) << i;
    ASSERT_TRUE(std::adjacent_find(left_out.begin(), left_out.end(), std::greater_equal<>()) ==
                left_out.end());
    with_cycles += had_order ? 0 : 1;
  }
  EXPECT_GT(with_cycles, kCases / 10);
  EXPECT_LT(with_cycles, kCases * 9 / 10);
}

}  // namespace
}  // namespace syncline
