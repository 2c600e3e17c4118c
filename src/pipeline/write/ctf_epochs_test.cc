// A CTF trace whose clock was set back, written again by an estimate made by hand.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/testing/times.h"
#include "pipeline/estimate/measure_quality.h"
#include "pipeline/estimate/solve.h"
#include "pipeline/write/ctf_metadata.h"
#include "pipeline/write/write_traces.h"
#include "trace/kept_ctf.h"
#include "write/ctf/testing/test_trace.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CtfEpochs : public testing::Test {
 protected:
  CtfEpochs() : root_(fs::path(testing::TempDir()) / fmt::format("ctf-epochs-{}", ::getpid())) {
    fs::create_directories(root_);
  }
  ~CtfEpochs() override { fs::remove_all(root_); }
  std::string At(const std::string& name) const { return (root_ / name).string(); }

  LoadedTraces Load(const std::string& folder) {
    const auto inputs = ResolveInputs(std::vector{folder});
    EXPECT_TRUE(inputs.has_value());
    auto loaded = LoadTraces(*inputs, progress_);
    EXPECT_TRUE(loaded.has_value()) << (loaded ? "" : loaded.error().ToString());
    return loaded ? std::move(*loaded) : LoadedTraces();
  }
  // Two streams of one clock, which goes back from 200 to 150; the second one does not see it.
  LoadedTraces LoadSetBack() {
    ctf_write::WriteTestTrace(
        {.streams = {{{.begin = 100 * kMs,
                       .end = 260 * kMs,
                       .events = {{100 * kMs, 1, false},
                                  {200 * kMs, 2, false},
                                  {150 * kMs, 3, false},
                                  {260 * kMs, 4, false}}}},
                     {{.begin = 110 * kMs,
                       .end = 250 * kMs,
                       .events = {{110 * kMs, 1, false}, {250 * kMs, 2, false}}}}}},
        At("in"));
    return Load(At("in"));
  }

  fs::path root_;
  Progress progress_{ProgressMode::kOff};
};

TEST_F(CtfEpochs, AreThoseOfTheClockInAllItsStreams) {
  const LoadedTraces loaded = LoadSetBack();
  EXPECT_THAT(loaded.epochs.first_event, ElementsAre(ElementsAre(2), ElementsAre(1)));
}

TEST_F(CtfEpochs, ClockBlocksCannotTellThem) {
  const LoadedTraces loaded = LoadSetBack();
  Solution solution;
  solution.group.roots = {ClockId(0)};
  solution.group.clocks.resize(1);
  Retiming retiming = MakeRetiming(loaded, solution.group);
  QualityFigures quality;
  const auto metadata = FitCtfMetadata(loaded, solution, quality, retiming);
  ASSERT_TRUE(metadata);
  EXPECT_THAT(metadata->settings, IsEmpty());
  EXPECT_THAT(metadata->why_not, HasSubstr("was set back, so that its readings repeat"));
}

TEST_F(CtfEpochs, EventsAreWrittenInProgramOrder) {
  const LoadedTraces loaded = LoadSetBack();
  GroupEstimate group;
  group.roots = {ClockId(0)};
  group.clocks.resize(1);
  group.clocks[0].later_epochs = {
      {Correction::FromKnots({{{0}, {80 * kMs}}, {{1'000 * kMs}, {1'080 * kMs}}}).value(),
       TimeBounds()}};
  OutputPlan plan{.traces = {At("out")}};
  auto written = WriteTraces(loaded, group, MakeRetiming(loaded, group), plan,
                             Otf2Writing::kMetadata, nullptr, progress_);
  ASSERT_TRUE(written) << written.error().ToString();
  EXPECT_EQ(written->diagnostics.count("events-raised"), 0U);
  ASSERT_TRUE(CommitAll(*written));
  const LoadedTraces again = Load(At("out"));
  EXPECT_THAT(again.epochs.first_event, IsEmpty());
  const auto times = [&](size_t stream) {
    const auto all = CtfTraceOf(again.inputs[0]).streams[stream].times.All();
    std::vector<int64_t> ms;
    for (const LocalTime t : *all) {
      ms.push_back(again.traces.clocks[0].NominalNs(t) / kMs);
    }
    return ms;
  };
  EXPECT_THAT(times(0), ElementsAre(100, 200, 230, 340));
  EXPECT_THAT(times(1), ElementsAre(110, 330));
}

}  // namespace
}  // namespace syncline
