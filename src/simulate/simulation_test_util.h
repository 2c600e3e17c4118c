// Runs simulations to their end, for tests.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "simulate/simulation.h"

namespace syncline {

using Recorded = SimulatedEvent;

inline std::vector<Recorded> RunAll(Simulation& simulation) {
  std::vector<Recorded> events;
  while (const SimulatedEvent* next = simulation.Next()) {
    events.push_back(*next);
  }
  EXPECT_FALSE(simulation.error()) << simulation.error()->message;
  return events;
}

inline std::vector<Recorded> RunAll(const ScenarioOptions& options) {
  auto simulation = Simulation::Create(options);
  EXPECT_TRUE(simulation) << simulation.error().message;
  return RunAll(*simulation);
}

struct SimulatedMessage {
  Recorded send;
  Recorded receive;
  bool was_awaited = false;  // the receiver was ready before
};

// Fails where a send has not exactly one receive, or the other way round.
inline std::vector<SimulatedMessage> Messages(const std::vector<Recorded>& events) {
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Recorded> sends;
  std::set<uint32_t> blocked;
  std::vector<SimulatedMessage> messages;
  for (const Recorded& e : events) {
    const uint32_t process = e.event.process.value;
    const uint32_t peer = e.event.peer.value;
    if (e.event.kind == EventKind::kSend) {
      EXPECT_TRUE(sends.emplace(std::tuple(process, peer, e.event.message), e).second);
    } else if (e.event.kind == EventKind::kBlock) {
      blocked.insert(process);
    } else if (e.event.kind == EventKind::kReceive) {
      const auto send = sends.find({peer, process, e.event.message});
      if (send == sends.end()) {
        ADD_FAILURE() << "received before it is sent";
        continue;
      }
      EXPECT_EQ(send->second.event.bytes, e.event.bytes);
      messages.push_back({send->second, e, blocked.erase(process) == 1});
      sends.erase(send);
    }
  }
  EXPECT_TRUE(sends.empty()) << sends.size() << " sends without a receive";
  return messages;
}

inline void ExpectInOrder(const std::vector<Recorded>& events) {
  int64_t last = INT64_MIN;
  for (const Recorded& e : events) {
    ASSERT_GE(e.true_ns, last);
    last = e.true_ns;
  }
}

}  // namespace syncline
