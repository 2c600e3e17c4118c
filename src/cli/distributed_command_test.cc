// syncline-mpi writes what syncline writes, byte for byte, on any number of processes.
#include <functional>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/distributed_test_util.h"
#include "read/otf2/testing/archive_builder.h"
#include "read/otf2/testing/team_archive.h"

namespace syncline {
namespace {

TEST_F(DistributedCommand, WritesWhatOneProcessWritesOnAnyNumberOfThem) {
  for (const int processes : {1, 2, 3, 7, 16}) {
    SCOPED_TRACE(processes);
    ExpectSame(processes, "sync --accept-weakness " + Ring(), 0);
  }
}

TEST_F(DistributedCommand, DoesSoWithCollectivesJumpsAndTheLogicalClock) {
  const std::string archive = Simulated(
      "grid --grid 8x8 --steps 20 --collectives 3 --clock '*:offset=~1ms+drift=~50ppm' "
      "--clock '3:jump=5ms@10ms'");
  EXPECT_THAT(Syncline("check " + archive).output, testing::HasSubstr("lock c3 was set"));
  for (const std::string options :
       {"", "--logical none", "--write metadata", "--group tree-error", "--clock-per location"}) {
    ExpectSame(5, fmt::format("sync --accept-weakness {} {}", archive, options), 0);
  }
  for (const std::string command : {"check --accept-weakness", "concurrency"}) {
    ExpectSame(3, command + " " + archive, 0);
  }
}

TEST_F(DistributedCommand, DoesSoWhateverClocksDo) {
  const std::string models[] = {
      "--clock '*:offset=~1ms+walk=5ppm/1s'",
      "--clock '*:offset=~1ms' --clock '3:jump=8ms@20ms' --clock '7:jump=5ms@30ms' "
      "--clock '12:jump=20ms@40ms'",
      "--clock '*:drift=~50ppm+hz=1000000'",
      "--clock '*:drift=~50ppm' --clock '5:drift=900ppm'",
  };
  for (const std::string& clocks : models) {
    SCOPED_TRACE(clocks);
    const std::string archive = Simulated("grid --grid 4x5 --steps 120 --collectives 20 " + clocks);
    for (const std::string command : {"check ", "check --min-delay auto ", "sync "}) {
      ExpectSame(4, command + "--accept-weakness " + archive, 0);
    }
  }
}

TEST_F(DistributedCommand, TakesSeveralInputs) {
  const std::string archive = Simulated("random --processes 9 --steps 40");
  ExpectSame(4, fmt::format("check --accept-weakness {} {} {}", archive, Ring(), Samples()), 0);
}

// What one clock of a random trace does, or all of them.
std::string RandomClocks(const std::function<int(int, int)>& drawn) {
  const std::string all = fmt::format("--clock '*:offset=~{}us+", drawn(1, 900));
  const std::string one = fmt::format(" --clock '{}:", drawn(0, 1));
  switch (drawn(0, 5)) {
    case 0: return all + "drift=~50ppm'";
    case 1: return all + "walk=0.1ppm/1s'";
    case 2: return all + fmt::format("steps={}ppm/20ms'", drawn(1, 150));
    case 3: return all + fmt::format("drift=~50ppm+hz={}'", drawn(10'000, 10'000'000));
    case 4: return all + "drift=~10ppm'" + one + fmt::format("jump={}ms@10ms'", drawn(1, 9));
    default: return all + "drift=~10ppm'" + one + fmt::format("drift={}ppm'", drawn(-900, 900));
  }
}

TEST_F(DistributedCommand, RandomTracesOnARandomNumberOfProcesses) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    const auto drawn = [&](int from, int to) {
      return std::uniform_int_distribution<int>(from, to)(random);
    };
    const std::string clocks = RandomClocks(drawn);
    const std::string archive =
        Simulated(fmt::format("{} --processes {} --steps {} --collectives {} --seed {} {}",
                              drawn(0, 3) == 0 ? "ring" : "random", drawn(2, 30), drawn(1, 60),
                              drawn(1, 9), seed, clocks));
    const int processes = drawn(1, 9);
    const std::string options = drawn(0, 1) == 0 ? " --min-delay auto " : " ";
    SCOPED_TRACE(fmt::format("seed {}, {} processes, {}{}", seed, processes, options, clocks));
    if (seed % 2 == 0) {
      ExpectSame(processes, "check --accept-weakness" + options + archive, 0);
      ExpectSame(processes, "sync --write events --accept-weakness" + options + archive, 0);
    } else {
      ExpectSame(processes, "sync --accept-weakness" + options + archive, 0);
      ExpectSame(processes, "concurrency " + archive, 0);
    }
  }
}

TEST_F(DistributedCommand, ReplaysEventsWhereTheyAre) {
  const std::string archive = Simulated(
      "grid --grid 4x4 --steps 40 --collectives 3 --clock '*:offset=~1ms+walk=0.5ppm/1s' "
      "--clock '5:jump=5ms@20ms'");
  const RunResult run =
      OnProcesses(3, "sync -q " + archive + " -fo " + At("out"), "SYNCLINE_MPI_COST=1");
  for (const int process : {0, 1, 2}) {
    EXPECT_THAT(run.output, testing::ContainsRegex(fmt::format(
                                "process {} of 3 .* [1-9][0-9]* of them posted", process)));
  }
}

TEST_F(DistributedCommand, PassesOnWhatAllNeed) {
  const std::string archive =
      Simulated("grid --grid 8x8 --steps 20 --clock '*:offset=~1ms+drift=~50ppm'");
  const std::vector<uint64_t> sent = SentBytes(8, "check -q " + archive);
  // To three processes instead of seven; the second one to two, the last to none.
  EXPECT_LT(sent[0], 3 * sent[1]);
  EXPECT_GT(sent[1], 2 * sent[7]);
}

// Not once for each location.
TEST_F(DistributedCommand, AsksForCollectivesOfAllLocationsAtOnce) {
  const std::string archive = Simulated("grid --grid 10x10 --steps 30 --collectives 3");
  const RunResult run = OnProcesses(2, "check -q " + archive, "SYNCLINE_MPI_COST=1");
  static const std::regex kSent("process 0 of 2 .*sent [0-9]+ bytes in ([0-9]+) messages");
  std::smatch sent;
  ASSERT_TRUE(std::regex_search(run.output, sent, kSent)) << run.output;
  EXPECT_LT(std::stoul(sent[1]), 40u);
}

class DistributedEvents : public DistributedCommand {
 protected:
  void ExpectSameEvents(int processes, const std::string& inputs) const {
    SCOPED_TRACE(fmt::format("{} processes, {}", processes, inputs));
    ExpectSame(processes, "sync --write events --accept-weakness " + inputs, 0);
  }
  void ExpectDiagnostic(const std::string& name) const {
    const std::string summary = ReadBytes(At("out/syncline.json"));
    EXPECT_NE(summary.find('"' + name + '"'), std::string::npos);
  }
};

TEST_F(DistributedEvents, AreWhatOneProcessWritesOnAnyNumberOfThem) {
  const std::string archive = Simulated(
      "grid --grid 4x4 --steps 40 --collectives 6 --clock '*:offset=~1ms+walk=0.5ppm/1s'");
  for (const int processes : {1, 2, 3, 7, 16}) ExpectSameEvents(processes, archive);
}

TEST_F(DistributedEvents, WhateverClocksDo) {
  for (const std::string clocks :
       {"--clock '*:offset=~1ms+steps=90ppm/20ms' --clock '5:jump=5ms@20ms'",
        "--clock '*:offset=~1ms+jump=5ms@20ms' --clock '3:offset=1ms'",
        "--clock '*:drift=~50ppm+hz=10000'"}) {
    const std::string archive = Simulated("grid --grid 4x4 --steps 60 --collectives 6 " + clocks);
    for (const int processes : {2, 5}) ExpectSameEvents(processes, archive);
  }
}

// Its clocks were not set to any time: all are shifted together.
TEST_F(DistributedEvents, OfARecordedRing) {
  for (const int processes : {2, 3, 7}) ExpectSameEvents(processes, Ring());
  ExpectDiagnostic("times-shifted");
}

TEST_F(DistributedEvents, WithTheTruthOrSeveralInputsOrAFilter) {
  const std::string archive = Simulated("random --processes 6 --steps 20");
  ExpectSameEvents(3, fmt::format("{} --truth {}", archive, At("sim/truth.json")));
  ExpectSameEvents(3, archive + " " + Ring());
  ExpectSame(3, "filter --write events " + archive, 0, " " + At("out"));
}

// What the second receives must have been sent after it has sent itself, at the same recorded time:
// no clock offsets move the two apart.
TEST_F(DistributedEvents, WhereClockOffsetsCannotSayIt) {
  BuiltArchive built;
  const auto first = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiRecv(w, nullptr, 900, 1, 0, 5, 8);
    OTF2_EvtWriter_MpiSend(w, nullptr, 1000, 1, 0, 5, 8);
  };
  const auto second = [](OTF2_EvtWriter* w) {
    OTF2_EvtWriter_MpiSend(w, nullptr, 100, 0, 0, 5, 8);
    OTF2_EvtWriter_MpiRecv(w, nullptr, 100, 0, 0, 5, 8);
  };
  built.locations.push_back({.number = 0, .events = first, .group = 0});
  built.locations.push_back({.number = 1, .events = second, .group = 1});
  ExpectSame(2, "sync --accept-weakness " + WriteArchive(built, At("two")), 0);
  ExpectDiagnostic("clock-offsets-insufficient");
}

// No event travels.
TEST_F(DistributedEvents, AreWrittenWhereTheyAre) {
  const std::string archive = Simulated("ring --processes 6 --steps 10000");
  const std::string command = fmt::format("sync -q {} -fo {}", archive, At("out"));
  const std::vector<uint64_t> offsets = SentBytes(3, command);
  const std::vector<uint64_t> events = SentBytes(3, command + " --write events");
  for (size_t i = 0; i < events.size(); ++i) EXPECT_LT(events[i], offsets[i] + 4096) << i;
}

class DistributedConcurrency : public DistributedCommand {
 protected:
  // All that is written but the table of regions.
  void ExpectSameMeasures(int processes, const std::string& inputs, int exit_code = 0) const {
    SCOPED_TRACE(fmt::format("{} processes, {}", processes, inputs));
    ExpectSame(processes, "concurrency " + inputs, exit_code,
               fmt::format(" --json {0}/m.json --report {0}/page.html", At("out")));
  }
};

TEST_F(DistributedConcurrency, IsWhatOneProcessMeasures) {
  const std::string archive =
      Simulated("grid --grid 5x4 --steps 30 --collectives 6 --clock '*:drift=~50ppm'");
  for (const int processes : {1, 2, 3, 7, 16}) ExpectSameMeasures(processes, archive);
  WriteBytes(At("speeds"), "0 0.5\n7 0.25\n19 0.7\n");
  for (const std::string& options :
       {"--speeds " + At("speeds"), std::string("--max-cuts 0"),
        std::string("--waits receives --regions 3"), std::string("--waits replies"),
        std::string("--clock-per node")}) {
    ExpectSameMeasures(3, archive + " " + options);
  }
}

TEST_F(DistributedConcurrency, OfRecordedTeamsAndRings) {
  ExpectSameMeasures(3, Ring(), 3);
  const std::string team = WriteTeamArchive(At("team"));
  for (const int processes : {2, 3, 4}) ExpectSameMeasures(processes, team);
}

TEST_F(DistributedConcurrency, CountsCutsOfEventsThatSeveralHold) {
  const std::string archive = Simulated("ring --processes 3 --steps 2 --collectives 1");
  const RunResult run = OnProcesses(3, "concurrency -q --json - " + archive);
  EXPECT_THAT(run.output, testing::ContainsRegex("\"consistent_cuts\": [1-9]"));
  ExpectSameMeasures(3, archive);
}

TEST_F(DistributedConcurrency, TakesPlaceWhereTheEventsAre) {
  const std::string archive = Simulated("grid --grid 4x4 --steps 20 --collectives 3");
  const RunResult run = OnProcesses(3, "concurrency -q " + archive, "SYNCLINE_MPI_COST=1");
  for (const int process : {0, 1, 2}) {
    EXPECT_THAT(run.output, testing::ContainsRegex(fmt::format(
                                "process {} of 3 .* [1-9][0-9]* of them posted", process)));
  }
}

// Each of two receives before it sends what the other one has received: no order of events does.
TEST_F(DistributedConcurrency, LeavesCyclesToTheFirst) {
  BuiltArchive built;
  for (const uint32_t rank : {0, 1}) {
    const auto events = [rank](OTF2_EvtWriter* w) {
      OTF2_EvtWriter_MpiRecv(w, nullptr, 100, 1 - rank, 0, 5, 8);
      OTF2_EvtWriter_MpiSend(w, nullptr, 200, 1 - rank, 0, 5, 8);
    };
    built.locations.push_back({.number = rank, .events = events, .group = rank});
  }
  ExpectSameMeasures(2, WriteArchive(built, At("cycle")), 3);
}

TEST_F(DistributedConcurrency, LeavesTheTableOfRegionsToTheFirst) {
  const std::string archive = Simulated("random --processes 9 --steps 20");
  ExpectSame(3, "concurrency " + archive, 0, fmt::format(" --csv {}/r.csv", At("out")));
}

TEST_F(DistributedCommand, TellsWhatEachProcessCostWhenAsked) {
  const RunResult run = OnProcesses(3, "check -q " + Ring(), "SYNCLINE_MPI_COST=1");
  for (const int process : {0, 1, 2}) {
    EXPECT_THAT(
        run.output,
        testing::ContainsRegex(fmt::format(
            "syncline: process {} of 3 on .*: sent [0-9]+ bytes in [0-9]+ messages, [0-9]+ of "
            "them posted, peak memory [0-9]+ bytes",
            process)));
  }
}

}  // namespace
}  // namespace syncline
