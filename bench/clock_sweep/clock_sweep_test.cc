#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "recording.h"

namespace syncline::sweep {
namespace {

__extension__ typedef __int128 Int128;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Event {
  int64_t ticks = 0;
  std::string process, kind, peer;
  uint64_t id = 0;
};

// A run's files, read anew.
struct RecordedRun {
  std::string trace;
  std::string truth_text;
  nlohmann::json truth;
  std::map<std::string, int64_t> ticks_per_second;  // by process
  std::vector<Event> events;
};

RecordedRun Make(const std::string& name, std::vector<std::string> arguments) {
  const std::string folder = testing::TempDir() + "/clock_sweep_" + name;
  arguments.push_back("out=" + folder);
  MakeRun(arguments);
  RecordedRun run{ReadFile(folder + "/trace.txt"), ReadFile(folder + "/truth.json"), {}, {}, {}};
  run.truth = nlohmann::json::parse(run.truth_text);
  std::istringstream lines(run.trace);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    if (line.starts_with("clock")) {
      std::string word, clock;
      int64_t hz = 0;
      fields >> word >> clock >> hz;
      run.ticks_per_second["p" + clock.substr(1)] = hz;
    } else if (!line.starts_with("process")) {
      Event& e = run.events.emplace_back();
      fields >> e.ticks >> e.process >> e.kind >> e.peer >> e.id;
    }
  }
  return run;
}

// The true times at which a clock showed these nanoseconds, several where it was set back.
std::vector<int64_t> TrueTimes(const nlohmann::json& knots, int64_t local_ns) {
  std::vector<int64_t> times;
  for (size_t i = 0; i + 1 < knots.size(); ++i) {
    const int64_t l = knots[i][0], t = knots[i][1];
    const int64_t next_l = knots[i + 1][0], next_t = knots[i + 1][1];
    if (next_l <= l || local_ns < l || local_ns >= next_l) continue;
    times.push_back(
        t + static_cast<int64_t>(static_cast<Int128>(local_ns - l) * (next_t - t) / (next_l - l)));
  }
  return times;
}

std::vector<int64_t> TrueTimes(const RecordedRun& run, const Event& event) {
  const int64_t hz = run.ticks_per_second.at(event.process);
  return TrueTimes(run.truth["clocks"]["c" + event.process.substr(1)],
                   static_cast<int64_t>(static_cast<Int128>(event.ticks) * kNsPerSecond / hz));
}

struct Pair {
  const Event* send = nullptr;
  const Event* receive = nullptr;
};

std::vector<Pair> Messages(const RecordedRun& run) {
  std::map<std::tuple<std::string, std::string, uint64_t>, Pair> pairs;
  for (const Event& e : run.events) {
    if (e.kind == "send") pairs[{e.process, e.peer, e.id}].send = &e;
    if (e.kind == "recv") pairs[{e.peer, e.process, e.id}].receive = &e;
  }
  std::vector<Pair> both;
  for (const auto& [key, pair] : pairs) {
    if (pair.send != nullptr && pair.receive != nullptr) both.push_back(pair);
  }
  return both;
}

int64_t LeastDelay(const RecordedRun& run, const Pair& message) {
  return run.truth["about"]["least_delay_ns"][message.send->process + " " + message.send->peer];
}

struct Kind {
  std::string name;
  std::vector<std::string> arguments;
};

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kKinds = {
      {"constant", {"clocks=4", "topology=star"}},
      {"walk", {"clocks=5", "topology=ring", "clock=*:walk=0.1/1s/3", "extra=pareto:50us:1.2"}},
      {"sine", {"clocks=8", "topology=mesh", "neighbours=4", "clock=1-7:sine=2/5min"}},
      {"warm", {"clock=1:warm=5/60s@0.5", "queues=4:20ms:2min"}},
      {"ntp", {"clock=1:ntp=16s/500us/500", "length=20min", "offset=300ms"}},
      {"chrony", {"clocks=3", "topology=star", "clock=*:chrony=64s/20us/100+walk=0.01/10s/1"}},
      {"sets", {"clock=1:step=2.5ms@0.3+step=-1h@0.6+step=-3ms@10s"}},
      {"reference", {"clocks=3", "topology=ring", "clock=0-1:step=-1s@0.999"}},
      {"sleep", {"clocks=4", "topology=mesh", "clock=2:sleep=90s@0.5+sleep=1s@0.1"}},
  };
  return kKinds;
}

TEST(ClockSweep, SameSeedGivesSameBytesAndAnotherOneOthers) {
  for (const Kind& kind : Kinds()) {
    std::vector<std::string> arguments = kind.arguments;
    arguments.insert(arguments.end(), {"messages=500", "seed=7"});
    const RecordedRun one = Make(kind.name, arguments);
    const RecordedRun again = Make(kind.name, arguments);
    EXPECT_EQ(one.trace, again.trace) << kind.name;
    EXPECT_EQ(one.truth_text, again.truth_text) << kind.name;
    arguments.back() = "seed=8";
    EXPECT_NE(one.trace, Make(kind.name, arguments).trace) << kind.name;
  }
}

TEST(ClockSweep, StampsAgreeWithTheTruthAndNoDelayIsBelowItsLeast) {
  for (const Kind& kind : Kinds()) {
    std::vector<std::string> arguments = kind.arguments;
    arguments.push_back("messages=2000");
    const RecordedRun run = Make(kind.name, arguments);
    const std::vector<Pair> messages = Messages(run);
    ASSERT_GT(messages.size(), 1000u) << kind.name;
    EXPECT_EQ(run.truth["about"]["messages"], messages.size()) << kind.name;
    for (const Pair& message : messages) {
      // Of readings that repeat, some pair of times has to fit.
      int64_t delay = -1;
      for (const int64_t sent : TrueTimes(run, *message.send)) {
        for (const int64_t received : TrueTimes(run, *message.receive)) {
          if (received - sent < 10 * kNsPerSecond) delay = std::max(delay, received - sent);
        }
      }
      // Both readings are rounded down.
      ASSERT_GE(delay, LeastDelay(run, message) - 2) << kind.name << " " << message.send->id;
    }
  }
}

TEST(ClockSweep, EventsOfAProcessAreInOrderOfTrueTime) {
  const RecordedRun run = Make("order", {"clock=1:walk=0.1/1s/3", "messages=3000"});
  std::map<std::string, int64_t> last;
  for (const Event& event : run.events) {
    const std::vector<int64_t> times = TrueTimes(run, event);
    ASSERT_EQ(times.size(), 1u);
    EXPECT_GE(times[0], last[event.process]);
    last[event.process] = times[0];
  }
}

TEST(ClockSweep, GreatestRateIsThatOfTheKnotsOutsideOfJumps) {
  for (const Kind& kind : Kinds()) {
    // Against a reference that is true time.
    if (kind.name == "walk" || kind.name == "chrony" || kind.name == "reference") continue;
    std::vector<std::string> arguments = kind.arguments;
    arguments.push_back("clock=0:drift=0+offset=0ns");
    const RecordedRun run = Make(kind.name, arguments);
    double greatest_ppm = 0;
    for (const auto& [name, knots] : run.truth["clocks"].items()) {
      for (size_t i = 0; i + 1 < knots.size(); ++i) {
        const int64_t local = knots[i + 1][0].get<int64_t>() - knots[i][0].get<int64_t>();
        const int64_t true_ns = knots[i + 1][1].get<int64_t>() - knots[i][1].get<int64_t>();
        // Rounding shows in short intervals, and clocks that sleep have only short ones of their
        // own.
        if (local < kNsPerSecond / 10 || true_ns < kNsPerSecond / 10) continue;
        const double ppm = 1e6 * static_cast<double>(true_ns - local) / static_cast<double>(local);
        greatest_ppm = std::max(greatest_ppm, std::abs(ppm));
      }
    }
    EXPECT_NEAR(greatest_ppm, run.truth["about"]["greatest_rate_ppm"].get<double>(), 0.05)
        << kind.name;
    EXPECT_LT(greatest_ppm, kind.name == "ntp" ? 600 : 60) << kind.name;
  }
}

TEST(ClockSweep, JumpsAreKnotsANanosecondApart) {
  const RecordedRun run =
      Make("jumps", {"length=100s", "clock=1:step=-2.5ms@40s+drift=0+offset=0ns"});
  const auto& knots = run.truth["clocks"]["c1"];
  ASSERT_EQ(knots.size(), 4u);
  EXPECT_EQ(knots[1][1].get<int64_t>() - knots[0][1].get<int64_t>(), 40 * kNsPerSecond);
  EXPECT_EQ(knots[2][1].get<int64_t>() - knots[1][1].get<int64_t>(), 1);
  EXPECT_EQ(knots[2][0].get<int64_t>() - knots[1][0].get<int64_t>(), 1 - 2'500'000);
  EXPECT_EQ(run.truth["about"]["jumps"], (nlohmann::json{{"c1", 1}}));
}

TEST(ClockSweep, ClockThatSleepsStandsStillAndRecordsNothing) {
  const RecordedRun run =
      Make("sleeps", {"length=100s", "messages=5000", "clock=1:sleep=20s@40s+drift=0+offset=0ns"});
  const auto& knots = run.truth["clocks"]["c1"];
  ASSERT_EQ(knots.size(), 4u);
  EXPECT_EQ(knots[2][0].get<int64_t>() - knots[1][0].get<int64_t>(), 1);
  EXPECT_EQ(knots[2][1].get<int64_t>() - knots[1][1].get<int64_t>(), 20 * kNsPerSecond);
  const int64_t asleep_at = knots[1][0];
  int before = 0, after = 0;
  for (const Event& event : run.events) {
    if (event.process != "p1") continue;
    EXPECT_FALSE(event.ticks == asleep_at || event.ticks == asleep_at + 1);
    ++(event.ticks < asleep_at ? before : after);
  }
  EXPECT_GT(before, 1000);
  EXPECT_GT(after, 1000);
}

TEST(ClockSweep, CoarseReadingsAreRoundedDown) {
  const std::vector<std::string> same = {"messages=500", "seed=3"};
  const RecordedRun fine = Make("fine", same);
  const RecordedRun coarse = Make("coarse", {"messages=500", "seed=3", "clock=*:hz=1000"});
  ASSERT_EQ(fine.events.size(), coarse.events.size());
  for (size_t i = 0; i < fine.events.size(); ++i) {
    EXPECT_EQ(fine.events[i].ticks / 1'000'000, coarse.events[i].ticks);
  }
}

TEST(ClockSweep, WrongMatchesAndLateStampsAreCountedAndContradictTheLeastDelay) {
  const RecordedRun wrong = Make("wrong", {"messages=5000", "wrong=0.01", "one-way=0"});
  const RecordedRun late = Make("late", {"messages=5000", "late=0.1:10ms"});
  for (const RecordedRun* run : {&wrong, &late}) {
    uint64_t too_fast = 0;
    for (const Pair& message : Messages(*run)) {
      const auto sent = TrueTimes(*run, *message.send);
      const auto received = TrueTimes(*run, *message.receive);
      ASSERT_EQ(sent.size() + received.size(), 2u);
      too_fast += received[0] - sent[0] < LeastDelay(*run, message) - 2 ? 1 : 0;
    }
    const uint64_t said = run->truth["about"][run == &wrong ? "wrong" : "late"];
    EXPECT_GT(said, 20u);
    EXPECT_GT(too_fast, said / 5);
    EXPECT_LE(too_fast, said);
  }
}

TEST(ClockSweep, IdsWrapAndRecordsAreLost) {
  const RecordedRun run = Make("wrap", {"messages=2000", "wrap=64", "lost=0.05"});
  std::set<uint64_t> ids;
  for (const Event& event : run.events) ids.insert(event.id);
  EXPECT_EQ(ids.size(), 64u);
  EXPECT_EQ(*ids.rbegin(), 63u);
  const uint64_t lost = run.truth["about"]["lost_records"];
  EXPECT_NEAR(static_cast<double>(lost), 0.05 * 4000, 60);
}

TEST(ClockSweep, QueuesDelayOneDirectionForMinutes) {
  const std::vector<std::string> same = {"messages=5000", "extra=none", "one-way=0",
                                         "least=1ms:1ms"};
  std::vector<std::string> congested = same;
  congested.push_back("queues=1:50ms:2min");
  const RecordedRun run = Make("queue", congested);
  std::map<std::string, int64_t> longest;
  for (const Pair& message : Messages(run)) {
    const int64_t delay = TrueTimes(run, *message.receive)[0] - TrueTimes(run, *message.send)[0];
    longest[message.send->process] = std::max(longest[message.send->process], delay);
  }
  const auto [low, high] = std::minmax(longest["p0"], longest["p1"]);
  EXPECT_LE(low, 1'000'000 + 2);
  EXPECT_GE(high, 20'000'000);
  EXPECT_LE(high, 51'000'000 + 2);
}

TEST(ClockSweep, TopologiesConnectAllClocks) {
  for (const char* topology : {"star", "ring", "mesh"}) {
    const RecordedRun run = Make(topology, {"clocks=16", "neighbours=4", "messages=4000",
                                            std::string("topology=") + topology});
    std::map<std::string, std::set<std::string>> peers;
    for (const Event& event : run.events) peers[event.process].insert(event.peer);
    ASSERT_EQ(peers.size(), 16u) << topology;
    for (const auto& [process, of] : peers) {
      const size_t expected = std::string(topology) == "ring" ? 2 : process == "p0" ? 15 : 1;
      if (std::string(topology) == "mesh") {
        EXPECT_TRUE(of.size() >= 2 && of.size() <= 4);
      } else {
        EXPECT_EQ(of.size(), expected) << topology << " " << process;
      }
    }
  }
}

TEST(ClockSweep, OthersOfAStarAskItsHub) {
  const RecordedRun run =
      Make("hub", {"clocks=5", "topology=star", "hub=3", "messages=1000", "one-way=1"});
  for (const Event& event : run.events) {
    EXPECT_EQ(event.process == "p3", event.kind == "recv");
    EXPECT_EQ(event.peer == "p3", event.kind == "send");
  }
}

TEST(ClockSweep, MistakesAreNamed) {
  for (const char* wrong : {"clock=1:ofset=1ms", "clock=5:drift=1", "length=3", "topology=line",
                            "extra=exp", "messages", "colour=red", "late=1ms"}) {
    EXPECT_THROW(ParseScenario({wrong}), std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace syncline::sweep
