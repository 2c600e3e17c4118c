// CTF traces whose data stays: what the program says of them, and what Babeltrace's own reads.
#include <string>

#include <fmt/format.h>

#include "cli/babeltrace_test_util.h"
#include "cli/command_test_util.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

class CtfMetadataCommand : public CommandTest {
 protected:
  static constexpr const char* kRule =
      " --match 'msg:send(id, src, dst, proto) -> msg:recv(id, src, dst, proto)'";

  void SetUp() override {
    CommandTest::SetUp();
    if (!HasTool("babeltrace2")) GTEST_SKIP() << "babeltrace2 is not installed";
  }
  static std::string Sample() { return SYNCLINE_SOURCE_DIR "/src/read/ctf/testdata/rates"; }
  static std::string Hosts() { return fmt::format("{0}/hostA {0}/hostB", Sample()); }
  static std::string Data(const std::string& name) {
    const std::string folder = SYNCLINE_DATA_DIR;
    return !folder.empty() && fs::exists(folder + name) ? folder + name : "";
  }
  std::string Out() const { return At("out"); }
};

TEST_F(CtfMetadataCommand, IsTheDefaultAndLeavesDataFilesAlone) {
  const auto summary = Summary(fmt::format("sync {} {} -o {}", Hosts(), kRule, Out()), 0);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  EXPECT_EQ(DiagnosticCount(summary, "clock-blocks-insufficient"), 0U);
  const auto recorded = ReadByBabeltrace(Sample());
  const auto written = ReadByBabeltrace(Out());
  EXPECT_EQ(MessagesOf(recorded), (TextMessages{108, 54}));
  EXPECT_EQ(MessagesOf(written), (TextMessages{108, 0}));
  EXPECT_EQ(written.size(), recorded.size());
  EXPECT_TRUE(fs::exists(Out() + "/hostA/ch_0"));
  for (const auto& entry : fs::recursive_directory_iterator(Out() + "/hostA")) {
    if (!entry.is_regular_file() || entry.path().filename() == "metadata") continue;
    const fs::path original = Sample() / entry.path().lexically_relative(Out());
    EXPECT_EQ(ReadBytes(entry.path()), ReadBytes(original)) << entry.path();
  }
}

TEST_F(CtfMetadataCommand, OfAWholeRecordingHoldsForEveryMessage) {
  const std::string rates = Data("/lttng/rates");
  if (rates.empty()) GTEST_SKIP() << "no recorded traces";
  const auto summary =
      Summary(fmt::format("sync {0}/hostA {0}/hostB {0}/hostC {1} --write metadata -o {2} "
                          "--truth {0}/truth.json",
                          rates, kRule, Out()),
              0);
  EXPECT_EQ(summary["truth"]["outside_bound"], 0);
  EXPECT_GE(DiagnosticCount(summary, "clock-blocks-rounded"), 1U);
  EXPECT_EQ(MessagesOf(ReadByBabeltrace(rates)), (TextMessages{3224, 1612}));
  const auto written = ReadByBabeltrace(Out());
  EXPECT_EQ(written.size(), 6448U);
  EXPECT_EQ(MessagesOf(written), (TextMessages{3224, 0}));
}

TEST_F(CtfMetadataCommand, EventsAreWrittenWhereReadersWouldStop) {
  const std::string scp = Data("/tracecompass");
  if (scp.empty()) GTEST_SKIP() << "no recorded traces";
  const auto summary = Summary(fmt::format("sync {} -o {}", scp, Out()), 0);
  EXPECT_EQ(DiagnosticCount(summary, "clock-blocks-insufficient"), 1U);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  EXPECT_EQ(ReadByBabeltrace(Out()).size(), 85'729U + 110'771U);
}

// What was cut off stays cut off: data files are not touched.
TEST_F(CtfMetadataCommand, OfACutStreamKeepsTheFileAsItIs) {
  WriteTwoHosts(folder_);
  const std::string file = At("b/ch_0");
  fs::resize_file(file, fs::file_size(file) - 1);
  const auto summary =
      Summary(fmt::format("sync {} {} {} -o {}", At("a"), At("b"), kTinyRule, Out()), 3);
  EXPECT_EQ(DiagnosticCount(summary, "stream-cut-off"), 1U);
  EXPECT_EQ(DiagnosticCount(summary, "clock-blocks-insufficient"), 0U);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  EXPECT_EQ(ReadBytes(Out() + "/b/ch_0"), ReadBytes(file));
}

TEST_F(CtfMetadataCommand, AnotherRunReplacesTracesOnlyWhenForced) {
  const std::string command = fmt::format("sync {} {} -o {}", Hosts(), kRule, Out());
  ASSERT_EQ(Syncline(command).exit_code, 0);
  EXPECT_EQ(Syncline(command).exit_code, 1);
  EXPECT_EQ(Syncline(command + " --force").exit_code, 0);
  EXPECT_EQ(MessagesOf(ReadByBabeltrace(Out())).inverted, 0);
}

// b is 1.7 s ahead, so that all its answers seem to come before the requests.
TEST_F(CtfMetadataCommand, OfAFreshRecordingIsReadInTrueOrder) {
  const RunResult recorded =
      Shell(fmt::format("{}/examples/lttng/record.sh {}", SYNCLINE_SOURCE_DIR, At("recorded")));
  if (recorded.exit_code == 77) GTEST_SKIP() << recorded.output;
  ASSERT_EQ(recorded.exit_code, 0) << recorded.output;
  const auto summary =
      Summary(fmt::format("sync a={0}/a b={0}/b -o {1} --reference a "
                          "--match 'msg:send(id, src, dst) -> msg:recv(id, src, dst)'",
                          At("recorded"), Out()),
              0);
  EXPECT_EQ(summary["messages"]["total"], 600);
  EXPECT_EQ(summary["messages"]["inverted_before"], 300);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  const auto b = ByName(summary["clocks"], "b");
  // And 35 ppm of the second or so that it takes.
  EXPECT_NEAR(b["offset_ns"].get<double>(), 1.7e9, 1e6 + b["bound_ns"]["worst"].get<double>());
  const auto written = ReadByBabeltrace(Out());
  EXPECT_EQ(written.size(), 1200U);
  EXPECT_EQ(MessagesOf(written, " }"), (TextMessages{600, 0}));
}

}  // namespace
}  // namespace syncline
