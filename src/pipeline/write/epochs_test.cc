// A clock that was set back, through all that its events go through: by an estimate made by hand.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/testing/times.h"
#include "pipeline/convert/convert_times.h"
#include "pipeline/correct/event_sources.h"
#include "pipeline/correct/stage_trace.h"
#include "pipeline/correct/truth_comparison.h"
#include "pipeline/estimate/measure_quality.h"
#include "pipeline/estimate/solve.h"
#include "pipeline/page/report_trace.h"
#include "pipeline/summary/summarize.h"
#include "pipeline/write/outputs.h"
#include "pipeline/write/write_traces.h"
#include "read/pcap/capture_reader.h"
#include "read/pcap/testing/capture_builder.h"
#include "report/summary.h"
#include "report/summary_file.h"
#include "trace/message_pass.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class WrittenEpochs : public testing::Test {
 protected:
  WrittenEpochs() : root_(fs::path(testing::TempDir()) / fmt::format("epochs-{}", ::getpid())) {
    fs::create_directories(root_);
  }
  ~WrittenEpochs() override { fs::remove_all(root_); }
  std::string At(const std::string& name) const { return (root_ / name).string(); }

  void Load(const std::vector<std::string>& paths) {
    const auto inputs = ResolveInputs(paths);
    ASSERT_TRUE(inputs) << inputs.error().ToString();
    auto loaded = LoadTraces(*inputs, progress_);
    ASSERT_TRUE(loaded) << loaded.error().ToString();
    loaded_ = std::move(*loaded);
  }

  // Messages between a and b, whose clock is 5 ms ahead, and, after 40 ms, 15 ms behind: 20 ms
  // less.
  void LoadText() {
    std::ofstream(At("trace.txt"))
        << "clock a 1000000000\nclock b 1000000000\nprocess a a\nprocess b b\n"
           "10000000 a send b 1\n"
           "16000000 b recv a 1\n"  // at 11 ms
           "40000000 b send a 2\n"  // at 35 ms
           "36000000 a recv b 2\n"
           "30000000 b send a 3\n"  // at 45 ms
           "46000000 a recv b 3\n"
           "50000000 a send b 4\n"
           "36000000 b recv a 4\n"   // at 51 ms
           "44000000 b mark end\n";  // at 59 ms
    Load({At("trace.txt")});
  }

  static Correction Ahead(int64_t from, int64_t to, int64_t ns) {
    return Correction::FromKnots({{{from}, {from - ns}}, {{to}, {to - ns}}}).value();
  }
  static TimeBounds Exact() { return TimeBounds(Clock{}, std::vector<TimeBounds::Step>()); }
  // Of the text; bounds are the nominal times.
  Solution SolveByHand() const {
    Solution solution;
    solution.group.roots = {ClockId(0)};
    ClockEstimate a;
    a.quality = Quality::kAccurate;
    a.bounds = Exact();
    const ReadingSpan first = loaded_.EpochSpansOf(ClockId(1))[0];
    const ClockInput b{loaded_.traces.clocks[1],
                       first.first,
                       loaded_.spans[1].last,
                       {loaded_.epoch_spans[1].begin(), loaded_.epoch_spans[1].end()}};
    solution.group.clocks = {
        a, DescribeClock(b, Ahead(16 * kMs, 40 * kMs, 5 * kMs), Exact(), Quality::kAccurate,
                         {{Ahead(30 * kMs, 44 * kMs, -15 * kMs), Exact()}})};
    solution.group.steps = {
        {ClockId(1), -20 * kMs, {35 * kMs}, {45 * kMs}, {40 * kMs}, {30 * kMs}}};
    return solution;
  }

  Result<WrittenTraces> Write(const GroupEstimate& group, const Truth* truth = nullptr) {
    OutputPlan plan;
    for (const LoadedInput& input : loaded_.inputs) {
      plan.traces.push_back(At("out-" + fs::path(input.input.path).filename().string()));
    }
    auto written = WriteTraces(loaded_, group, MakeRetiming(loaded_, group), plan,
                               Otf2Writing::kMetadata, truth, progress_);
    if (written) {
      EXPECT_TRUE(CommitAll(*written));
    }
    return written;
  }
  static std::string ReadFile(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path root_;
  Progress progress_{ProgressMode::kOff};
  LoadedTraces loaded_;
};

constexpr const char* kCorrectedEvents =
    "10000000 a send b 1\n"
    "11000000 b recv a 1\n"
    "35000000 b send a 2\n"
    "36000000 a recv b 2\n"
    "45000000 b send a 3\n"
    "46000000 a recv b 3\n"
    "50000000 a send b 4\n"
    "51000000 b recv a 4\n"
    "59000000 b mark end\n";

TEST_F(WrittenEpochs, AreFoundAndPassedOnWithMessages) {
  LoadText();
  EXPECT_THAT(loaded_.epochs.first_event, ElementsAre(testing::IsEmpty(), ElementsAre(2)));
  std::vector<std::pair<uint32_t, uint32_t>> epochs;
  ASSERT_TRUE(PassOver(loaded_)(
      [&](const RecordedMessage& m) { epochs.emplace_back(m.from_epoch, m.to_epoch); }));
  std::sort(epochs.begin(), epochs.end());
  using E = std::pair<uint32_t, uint32_t>;
  EXPECT_THAT(epochs, ElementsAre(E(0, 0), E(0, 0), E(0, 1), E(1, 0)));
}

TEST_F(WrittenEpochs, TextsAreWrittenInProgramOrder) {
  LoadText();
  const Solution solution = SolveByHand();
  const auto written = Write(solution.group);
  ASSERT_TRUE(written) << written.error().ToString();
  EXPECT_THAT(ReadFile(At("out-trace.txt")), HasSubstr(kCorrectedEvents));
  // The interval in which the clock was set back is none of those measured.
  EXPECT_EQ(written->figures.intervals.unchanged(), 3U + 3U);
  EXPECT_EQ(written->figures.intervals.above().count, 0U);
  Retiming retiming = MakeRetiming(loaded_, solution.group);
  const auto quality = MeasureQuality(loaded_, solution, retiming);
  ASSERT_TRUE(quality);
  EXPECT_EQ(quality->before.inverted(), 2U);
  EXPECT_EQ(quality->after.inverted(), 0U);
}

TEST_F(WrittenEpochs, TheLogicalClockGetsCorrectedTimes) {
  LoadText();
  const auto trace =
      MakeStageTrace(loaded_, MakeRetiming(loaded_, SolveByHand().group), DelayModel({1, 0}));
  ASSERT_TRUE(trace);
  EXPECT_THAT(trace->processes[1].before,
              ElementsAre(11 * kMs, 35 * kMs, 45 * kMs, 51 * kMs, 59 * kMs));
}

TEST_F(WrittenEpochs, MethodsThatKnowNoneWriteAsBefore) {
  LoadText();
  GroupEstimate group = SolveByHand().group;
  group.clocks[1].later_epochs.clear();
  ASSERT_TRUE(Write(group));
  EXPECT_THAT(ReadFile(At("out-trace.txt")),
              HasSubstr("35000000 b send a 2\n36000000 a recv b 2\n25000000 b send a 3\n"));
}

TEST_F(WrittenEpochs, TheTruthIsThatOfTheEpoch) {
  LoadText();
  // 1 µs off in the second epoch.
  const Truth truth{
      {{"a", {Ahead(0, 100 * kMs, 0)}},
       {"b", {Ahead(0, 42 * kMs, 5 * kMs), Ahead(22 * kMs, 80 * kMs, -15 * kMs - 1'000)}}}};
  Solution solution = SolveByHand();
  const auto written = Write(solution.group, &truth);
  ASSERT_TRUE(written);
  ASSERT_TRUE(written->figures.truth);
  EXPECT_EQ(written->figures.truth->events(), 9U);
  EXPECT_EQ(written->figures.truth->max_ns(), 1'000);
  // The bounds of b claim its nominal times, which none of its 5 events has.
  EXPECT_EQ(written->figures.truth->outside_bound(), 5U);
}

TEST_F(WrittenEpochs, SummariesTellThemAndAreReadBack) {
  LoadText();
  const Solution solution = SolveByHand();
  Retiming retiming = MakeRetiming(loaded_, solution.group);
  const auto quality = MeasureQuality(loaded_, solution, retiming);
  ASSERT_TRUE(quality);
  SolveOptions options;
  options.bound_points = 5;
  const Summary summary = Summarize(loaded_, solution, *quality, options);
  ASSERT_EQ(summary.clocks[1].later_epochs.size(), 1U);
  EXPECT_EQ(summary.clocks[1].later_epochs[0].first_local, 30 * kMs);
  // 24 ms and 14 ms, in quarters of 9.5 ms.
  EXPECT_EQ(summary.clocks[1].bounds[2].epoch, 0U);
  EXPECT_EQ(summary.clocks[1].bounds[2].local, 35 * kMs);
  EXPECT_EQ(summary.clocks[1].bounds[3].epoch, 1U);
  EXPECT_EQ(summary.clocks[1].bounds[3].local, 34 * kMs + kMs / 2);
  EXPECT_EQ(summary.clocks[1].bounds[4].local, 44 * kMs);
  ASSERT_EQ(summary.steps.size(), 1U);
  EXPECT_EQ(
      summary.diagnostics.all().at("clock-stepped").example,
      "clock b was set back by about 20.000 ms between 0.02 s and 0.03 s after a's first event");
  EXPECT_EQ(summary.diagnostics.all().at("clock-stepped").severity, Severity::kInfo);

  std::ofstream(At("summary.json")) << SummaryToJson(summary);
  Diagnostics found;
  auto times = SummarizedTimes(At("summary.json"), loaded_, found);
  ASSERT_TRUE(times) << times.error().ToString();
  auto trace = MakeExportedTrace(loaded_, *times);
  ASSERT_TRUE(trace);
  std::vector<int64_t> of_b;
  for (const ExportedEvent& event : trace->processes[1].events) of_b.push_back(event.time.ns);
  EXPECT_THAT(of_b, ElementsAre(11 * kMs, 35 * kMs, 45 * kMs, 51 * kMs, 59 * kMs));
  EXPECT_EQ(trace->processes[1].events[2].epoch, 1U);
  const int64_t worst = *summary.clocks[1].bound.worst_ns;
  EXPECT_EQ(worst, 15 * kMs);
  const ExportedBounds bounds = trace->bounds(ProcessId(1), trace->processes[1].events[2]);
  EXPECT_EQ(bounds.lower_ns, 45 * kMs - worst);
  EXPECT_EQ(bounds.upper_ns, 45 * kMs + worst);
}

TEST_F(WrittenEpochs, ReportsShowThemOneAfterTheOther) {
  LoadText();
  const Solution solution = SolveByHand();
  const auto trace =
      MakeReportTrace(loaded_, solution, MakeRetiming(loaded_, solution.group), std::nullopt, {});
  ASSERT_TRUE(trace);
  const auto& readings = trace->clocks[1].readings;
  ASSERT_GT(readings.size(), 10U);
  EXPECT_EQ(readings.front().corrected_ns, 11 * kMs);
  EXPECT_EQ(readings.back().corrected_ns, 59 * kMs);
  for (size_t i = 1; i < readings.size(); ++i) {
    EXPECT_GT(readings[i].corrected_ns, readings[i - 1].corrected_ns);
  }
  for (const ReportTrace::Event& event : trace->processes[1].events) EXPECT_EQ(event.advance_ns, 0);
}

class CapturedEpochs : public WrittenEpochs {
 protected:
  // Nanoseconds; the third packet is late, before the sixth the clock is set back by 40 ms, the
  // eighth is late again.
  static constexpr int64_t kTimes[] = {100, 110, 105, 120, 130, 90, 95, 94, 100, 140};
  void LoadCapture() {
    CaptureBuilder capture;
    capture.FileHeader(0xA1B23C4D);
    for (const int64_t time : kTimes) {
      capture.Record(1, static_cast<uint32_t>(time * kMs));
    }
    std::ofstream(At("b.pcap"), std::ios::binary)
        .write(reinterpret_cast<const char*>(capture.bytes().data()),
               static_cast<std::streamsize>(capture.size()));
    Load({At("b.pcap")});
  }
  // 40 ms are added from the sixth packet on.
  static GroupEstimate SetBack() {
    GroupEstimate group;
    group.roots = {ClockId(0)};
    group.clocks.resize(1);
    group.clocks[0].later_epochs = {{Ahead(0, 1'000 * kMs, -40 * kMs), TimeBounds()}};
    return group;
  }
};

TEST_F(CapturedEpochs, ArePutTogetherBehindOneAnother) {
  LoadCapture();
  ASSERT_THAT(loaded_.epochs.first_event, ElementsAre(ElementsAre(5)));
  ASSERT_TRUE(Write(SetBack()));
  auto reader = CaptureReader::Open(At("out-b.pcap"));
  ASSERT_TRUE(reader);
  std::vector<int64_t> written;
  while (const Packet* packet = reader->Next()) {
    written.push_back(packet->time.ticks / kMs - 1'000);
  }
  EXPECT_THAT(written, ElementsAre(100, 110, 105, 120, 130, 130, 135, 134, 140, 180));
}

TEST_F(CapturedEpochs, GoThroughTheLogicalClockInOrderOfTime) {
  LoadCapture();
  auto sources = OpenSources(loaded_, /*needs_roles=*/true);
  ASSERT_TRUE(sources);
  std::vector<uint64_t> packets;
  SourcedEvent next;
  while (*(*sources)[0]->Next(next)) packets.push_back(next.event.tag);
  EXPECT_THAT(packets, ElementsAre(0, 2, 1, 3, 4, 5, 7, 6, 8, 9));
  ConvertTimes times{.is_corrected = true};
  const Retiming retiming = MakeRetiming(loaded_, SetBack());
  times.time = [&](const EventRef& event) { return retiming(event); };
  times.epochs = loaded_.epochs;
  const auto trace = MakeExportedTrace(loaded_, times);
  ASSERT_TRUE(trace);
  std::vector<int64_t> exported;
  for (const ExportedEvent& event : trace->processes[0].events) {
    exported.push_back(event.time.ns / kMs - 1'000);
  }
  EXPECT_THAT(exported, ElementsAre(100, 105, 110, 120, 130, 130, 134, 135, 140, 180));
}

}  // namespace
}  // namespace syncline
