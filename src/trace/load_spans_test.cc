#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/testing/times.h"
#include "trace/formats.h"
#include "trace/inputs.h"
#include "trace/kept_spans.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Attribute(const std::string& key, const std::string& value) {
  return fmt::format(R"({{"key":"{}","value":{{"stringValue":"{}"}}}})", key, value);
}

// A line: one resource with these attributes, one span.
std::string LineOf(const std::string& attributes, int id, int parent, int kind, int64_t start_ns,
                   int64_t end_ns) {
  return fmt::format(
      R"({{"resourceSpans":[{{"resource":{{"attributes":[{}]}},"scopeSpans":[{{"spans":[{{)"
      R"("traceId":"01","spanId":"{:02x}","parentSpanId":"{:02x}","name":"s{}","kind":{},)"
      R"("startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[{{"key":)"
      R"("http.response.status_code","value":{{"intValue":"200"}}}}]}}]}}]}}]}})"
      "\n",
      attributes, id, parent, id, kind, start_ns, end_ns);
}
std::string OnHost(const std::string& host, const std::string& service = "shop") {
  return Attribute("host.name", host) + "," + Attribute("service.name", service);
}

class LoadSpansTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("load_spans_test_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static Result<LoadedTraces> Load(const std::vector<std::string>& arguments,
                                   const std::string& clock_by = "") {
    auto inputs = ResolveInputs(arguments);
    if (!inputs) return tl::unexpected(inputs.error());
    inputs->clock_by = clock_by;
    Progress progress(ProgressMode::kOff);
    return LoadTraces(*inputs, progress);
  }
  static std::vector<std::string> Clocks(const LoadedTraces& loaded) {
    std::vector<std::string> names;
    for (const Clock& clock : loaded.traces.clocks) names.push_back(clock.name);
    return names;
  }
  static std::vector<std::string> Processes(const LoadedTraces& loaded) {
    std::vector<std::string> names;
    for (const Process& process : loaded.traces.processes) names.push_back(process.name);
    return names;
  }
  fs::path folder_;
};

TEST_F(LoadSpansTest, MachinesAreClocksAndServicesProcesses) {
  const std::string path = Write("x.jsonl", LineOf(OnHost("a"), 1, 0, 3, 1000, 9000) +
                                                LineOf(OnHost("b", "bank"), 2, 1, 2, 3001, 5000) +
                                                LineOf(OnHost("a", "cart"), 3, 0, 1, 100, 200));
  const auto loaded = Load({path});
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  EXPECT_THAT(Clocks(*loaded), ElementsAre("a", "b"));
  EXPECT_THAT(Processes(*loaded), ElementsAre("a/cart", "a/shop", "b/bank"));
  EXPECT_EQ(loaded->inputs[0].events, 6U + 4U);  // both ends of each message
  EXPECT_EQ(loaded->messages.messages(), 1U);
  EXPECT_EQ(loaded->implied_messages.messages(), 1U);
  EXPECT_EQ(loaded->likely_messages.messages(), 1U);
  EXPECT_EQ(loaded->spans[0].first.ticks, 100);
  EXPECT_EQ(loaded->spans[0].last.ticks, 9000);
}

TEST_F(LoadSpansTest, TheMachineIsToldByTheHighestAttribute) {
  const std::string node = Attribute("k8s.node.name", "node1");
  const std::string id = Attribute("host.id", "4711");
  const std::string path =
      Write("x.jsonl", LineOf(node + "," + Attribute("host.name", "pod1"), 1, 0, 1, 1, 2) +
                           LineOf(node + "," + Attribute("host.name", "pod2"), 2, 0, 1, 1, 2) +
                           LineOf(id + "," + Attribute("host.name", "machine"), 3, 0, 1, 1, 2) +
                           LineOf(Attribute("rack", "7"), 4, 0, 1, 1, 2) +
                           LineOf(Attribute("service.instance.id", "i"), 5, 0, 1, 1, 2));
  const auto loaded = Load({path}, "rack");
  ASSERT_TRUE(loaded) << loaded.error().ToString();
  EXPECT_THAT(Clocks(*loaded), ElementsAre("7", "i", "machine", "node1"));
  EXPECT_EQ(loaded->diagnostics.count("machine-by-instance"), 1U);
  EXPECT_EQ(loaded->diagnostics.count("machine-unknown"), 0U);
  EXPECT_EQ(loaded->diagnostics.count("clock-by-missing"), 3U);
}

TEST_F(LoadSpansTest, AnAttributeThatNothingHasIsAnErrorThatNamesThoseThereAre) {
  const auto loaded = Load({Write("x.jsonl", LineOf(OnHost("a"), 1, 0, 1, 1, 2))}, "host.nmae");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kUsage);
  EXPECT_THAT(loaded.error().message,
              HasSubstr("has the attribute host.nmae; there are host.name, service.name"));
}

TEST_F(LoadSpansTest, WithoutAMachineTheServiceIsOneAndThatIsSaid) {
  const std::string path =
      Write("x.jsonl", LineOf(Attribute("service.name", "shop"), 1, 0, 1, 1, 2) +
                           LineOf(Attribute("x", "y"), 2, 0, 1, 1, 2));
  const auto loaded = Load({path});
  EXPECT_THAT(Clocks(*loaded), ElementsAre("shop", "x.jsonl"));
  EXPECT_EQ(loaded->diagnostics.count("machine-unknown"), 2U);
}

TEST_F(LoadSpansTest, HostsOfOneNameAreToldApartByTheirIds) {
  const auto host = [](const std::string& id) {
    return Attribute("host.id", id) + "," + Attribute("host.name", "localhost");
  };
  const std::string path =
      Write("x.jsonl", LineOf(host("1"), 1, 0, 1, 1, 2) + LineOf(host("2"), 2, 0, 1, 1, 2));
  const auto loaded = Load({path});
  EXPECT_THAT(Clocks(*loaded), ElementsAre("localhost", "localhost-2"));
  EXPECT_EQ(loaded->diagnostics.count("hosts-of-one-name"), 1U);
}

TEST_F(LoadSpansTest, AGivenNameIsThatOfTheOnlyMachine) {
  const std::string one = Write("one.jsonl", LineOf(OnHost("a"), 1, 0, 1, 1, 2));
  const std::string two =
      Write("two.jsonl", LineOf(OnHost("b"), 2, 0, 1, 1, 2) + LineOf(OnHost("c"), 3, 0, 1, 1, 2));
  EXPECT_THAT(Clocks(*Load({"NAME=" + one})), ElementsAre("NAME"));
  const auto loaded = Load({"NAME=" + two});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kUsage);
  EXPECT_THAT(loaded.error().message, HasSubstr("two machines, b and c"));
}

TEST_F(LoadSpansTest, ClocksOfWholeMillisecondsAreCoarse) {
  const std::string path =
      Write("x.jsonl", LineOf(OnHost("ms"), 1, 0, 1, 5 * kMs, 5 * kMs + 123) +
                           LineOf(OnHost("us"), 2, 0, 1, 5 * kMs, 6 * kMs + 1) +
                           LineOf(OnHost("us"), 3, 0, 1, 7 * kUs, 6 * kMs + 1) +
                           LineOf(OnHost("ns"), 4, 0, 1, 7 * kUs + 1, 6 * kMs + 1) +
                           LineOf(OnHost("end"), 5, 0, 1, 7 * kUs + 1, 6 * kMs));
  const auto loaded = Load({path});
  EXPECT_THAT(Clocks(*loaded), ElementsAre("end", "ms", "ns", "us"));
  EXPECT_EQ(loaded->traces.clocks[0].reading_ns, kMs);
  EXPECT_EQ(loaded->traces.clocks[1].reading_ns, kMs);
  EXPECT_EQ(loaded->traces.clocks[2].reading_ns, 0);
  EXPECT_EQ(loaded->traces.clocks[3].reading_ns, kUs);
  const Diagnostic& found = loaded->diagnostics.all().at("coarser-times");
  EXPECT_EQ(found.severity, Severity::kInfo);
  EXPECT_THAT(found.example, HasSubstr("whole milliseconds in ends of shop in " + path));
}

TEST_F(LoadSpansTest, AClockIsAsCoarseAsTheCoarsestServiceOnIt) {
  const std::string path =
      Write("x.jsonl", LineOf(OnHost("a", "exact"), 1, 0, 2, 7 * kMs + 123, 9 * kMs + 456) +
                           LineOf(OnHost("a", "coarse"), 2, 1, 3, 8 * kMs, 8 * kMs + 123));
  EXPECT_EQ(Load({path})->traces.clocks[0].reading_ns, kMs);
}

TEST_F(LoadSpansTest, AClockIsCoarseWhereOnlySpansWithoutALocalParentBeginByACoarseOne) {
  std::string text;
  for (int id = 1; id <= 9; id += 3) {
    text += LineOf(OnHost("a"), id, 0, 2, (7 + id) * kMs, (9 + id) * kMs + 456) +
            LineOf(OnHost("a"), id + 1, id, 1, (7 + id) * kMs + 12'345, (8 + id) * kMs + 456) +
            LineOf(OnHost("a"), id + 2, id, 1, (7 + id) * kMs + 23'456, (8 + id) * kMs + 567);
  }
  EXPECT_EQ(Load({Write("x.jsonl", text)})->traces.clocks[0].reading_ns, kMs);
}

TEST_F(LoadSpansTest, SpansSideBySideAreLanesAndCursorsShowThem) {
  const std::string path =
      Write("x.jsonl", LineOf(OnHost("a"), 1, 0, 2, 10, 90) + LineOf(OnHost("a"), 2, 0, 2, 20, 30) +
                           LineOf(OnHost("a"), 3, 1, 3, 40, 50));
  const auto loaded = Load({path});
  ASSERT_THAT(Processes(*loaded), ElementsAre("a/shop", "a/shop#2"));
  auto cursors = OpenEvents(*loaded, loaded->inputs[0], EventDetail::kNames);
  ASSERT_TRUE(cursors);
  std::string seen;
  while (const TraceEvent* event = (*cursors)[0]->Next()) {
    seen += fmt::format("{} {} {} {};", event->index, event->event.time.ticks,
                        event->event.kind == EventKind::kEnter ? "enter" : "leave", event->name);
  }
  EXPECT_EQ(seen, "0 10 enter s1;1 40 enter s3;2 50 leave s3;3 90 leave s1;");
  EXPECT_THAT(*(*cursors)[1]->TakeTimes(), ElementsAre(LocalTime{20}, LocalTime{30}));
}

TEST_F(LoadSpansTest, FilesOfOneHostShareItsClock) {
  const std::string one = Write("one.jsonl", LineOf(OnHost("a"), 1, 0, 3, 1, 9));
  const std::string two = Write("two.jsonl", LineOf(OnHost("a"), 2, 0, 3, 1, 9));
  const auto loaded = Load({one, two});
  EXPECT_THAT(Clocks(*loaded), ElementsAre("a"));
  EXPECT_THAT(Processes(*loaded), ElementsAre("a/shop", "a/shop-2"));
}

}  // namespace
}  // namespace syncline
