#include "simulate/truth_writer.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "measure/truth.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class TruthWriter : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }

  // Runs the simulation to its end and reads its truth back.
  Truth TruthOf(Simulation& simulation) {
    while (const SimulatedEvent* next = simulation.Next()) events_.push_back(*next);
    auto file = OutputFile::Create(path_, IfExists::kReplace);
    EXPECT_TRUE(file);
    const auto written = WriteTruth(simulation, ByteSink(*file));
    EXPECT_TRUE(written && file->Commit());
    const auto truth = ReadTruth(path_);
    EXPECT_TRUE(truth) << truth.error().ToString();
    return truth ? *truth : Truth{};
  }

  std::string path_ =
      (fs::temp_directory_path() / ("syncline-truth-test-" + std::to_string(::getpid()))).string();
  std::vector<SimulatedEvent> events_;
};

TEST_F(TruthWriter, TellsTheTrueTimeOfEveryReading) {
  const struct {
    const char* clock;
    int64_t resolution_ns;  // what a reading may hide, and the rounding of both functions
  } cases[] = {{"*:offset=~1s+drift=~100ppm", 2},
               {"*:drift=20ppm,520ppm@10ms,20ppm@20ms", 2},
               {"*:steps=100ppm/5ms", 2},
               {"*:walk=10ppm/1ms", 2},
               {"*:sine=50us/10ms", 2},
               {"*:slew=20ppm/5ms", 2},
               {"*:jump=5ms@7ms+drift=10ppm", 2},
               {"*:hz=24000000+drift=-50ppm", 1'000'000'000 / 24'000'000 + 3},
               {"*:tick=1ms@17us+drift=50ppm", 1'000'000 + 2}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.clock);
    events_.clear();
    ScenarioOptions options{.kind = ScenarioKind::kRing, .steps = 40};
    options.start_ns = 1'700'000'000'000'000'000;
    options.clocks = {*ParseClockAssignment(c.clock)};
    auto simulation = Simulation::Create(options);
    ASSERT_TRUE(simulation);
    const Truth truth = TruthOf(*simulation);
    const auto& clocks = simulation->traces().clocks;
    ASSERT_EQ(truth.clocks.size(), clocks.size());
    for (const SimulatedEvent& e : events_) {
      const Clock& clock = clocks[e.event.process.index()];
      const GlobalTime told =
          truth.clocks.at(clock.name).front()(LocalTime{clock.NominalNs(e.event.time)});
      EXPECT_LE(std::abs(told.ns - e.true_ns), c.resolution_ns);
    }
  }
}

TEST_F(TruthWriter, TellsOfClocksThatStepBack) {
  for (const char* jump : {"0:jump=-5ms@7ms", "*:jump=-5ms@7ms+drift=20ppm", "0:jump=-5ms@2ns",
                           "0:jump=-1ns@7ms", "0:jump=-5ms@70s"}) {
    SCOPED_TRACE(jump);
    events_.clear();
    ScenarioOptions options{.kind = ScenarioKind::kTwo, .steps = 10};
    options.clocks = {*ParseClockAssignment(jump)};
    auto simulation = Simulation::Create(options);
    ASSERT_TRUE(simulation);
    const Truth truth = TruthOf(*simulation);
    const auto& clocks = simulation->traces().clocks;
    ASSERT_EQ(truth.clocks.size(), clocks.size());
    for (const SimulatedEvent& e : events_) {
      const Clock& clock = clocks[e.event.process.index()];
      const int64_t local_ns = clock.NominalNs(e.event.time);
      EXPECT_LE(std::abs(ShownAt(truth.clocks.at(clock.name), {e.true_ns}) - local_ns), 2);
    }
  }
}

}  // namespace
}  // namespace syncline
