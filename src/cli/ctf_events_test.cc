// CTF traces that the program wrote again event by event, as Babeltrace's own program reads them.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/babeltrace_test_util.h"
#include "cli/command_test_util.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

using testing::HasSubstr;

class CtfEvents : public CommandTest {
 protected:
  static constexpr const char* kRule =
      " --match 'msg:send(id, src, dst, proto) -> msg:recv(id, src, dst, proto)'";

  void SetUp() override {
    CommandTest::SetUp();
    if (!HasTool("babeltrace2")) GTEST_SKIP() << "babeltrace2 is not installed";
  }
  static std::string Sample() { return SYNCLINE_SOURCE_DIR "/src/read/ctf/testdata/rates"; }
  static std::string Hosts() { return fmt::format("{0}/hostA {0}/hostB", Sample()); }
  std::string Out() const { return At("out"); }

  static std::vector<std::string> SortedFields(const std::vector<TextEvent>& events) {
    std::vector<std::string> fields;
    fields.reserve(events.size());
    for (const TextEvent& event : events) fields.push_back(event.rest);
    std::sort(fields.begin(), fields.end());
    return fields;
  }
};

TEST_F(CtfEvents, LeaveNoInvertedMessageAndAllFieldsAsTheyWere) {
  const auto s = Summary(fmt::format("sync {} {} --write events -o {}", Hosts(), kRule, Out()), 0);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(DiagnosticCount(s, "events-raised"), 0U);
  const auto recorded = ReadByBabeltrace(Sample());
  const auto written = ReadByBabeltrace(Out());
  EXPECT_EQ(recorded.size(), 403U);
  EXPECT_EQ(MessagesOf(recorded), (TextMessages{108, 54}));
  EXPECT_EQ(MessagesOf(written), (TextMessages{108, 0}));
  EXPECT_TRUE(SortedFields(recorded) == SortedFields(written));
  EXPECT_TRUE(fs::exists(Out() + "/hostA/ch_0"));
}

TEST_F(CtfEvents, OfAWholeRecordingLieWithinTheirBounds) {
  const std::string rates = std::string(SYNCLINE_DATA_DIR) + "/lttng/rates";
  if (!fs::exists(rates)) GTEST_SKIP() << "no recorded traces";
  const auto s = Summary(fmt::format("sync {0}/hostA {0}/hostB {0}/hostC {1} --write events -o {2} "
                                     "--truth {0}/truth.json",
                                     rates, kRule, Out()),
                         0);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  const auto recorded = ReadByBabeltrace(rates);
  const auto written = ReadByBabeltrace(Out());
  EXPECT_EQ(recorded.size(), 6448U);
  EXPECT_EQ(MessagesOf(recorded), (TextMessages{3224, 1612}));
  EXPECT_EQ(MessagesOf(written), (TextMessages{3224, 0}));
  EXPECT_TRUE(SortedFields(recorded) == SortedFields(written));
  EXPECT_TRUE(fs::exists(Out() + "/hostA/ust/uid/0/64-bit/ch_0"));
}

TEST_F(CtfEvents, OfACutStreamAreThoseBeforeTheCut) {
  WriteTwoHosts(At("in"));
  const auto whole = ReadByBabeltrace(At("in"));
  ASSERT_EQ(whole.size(), 5U);
  const std::string file = At("in/b/ch_0");
  fs::resize_file(file, fs::file_size(file) - 1);
  const auto s = Summary(
      fmt::format("sync {0}/a {0}/b {1} --write events -o {2}", At("in"), kTinyRule, Out()), 3);
  EXPECT_EQ(DiagnosticCount(s, "stream-cut-off"), 1U);
  // The last event of all was in the packet that is cut.
  const std::vector<TextEvent> before_the_cut(whole.begin(), whole.end() - 1);
  EXPECT_EQ(SortedFields(ReadByBabeltrace(Out())), SortedFields(before_the_cut));
  EXPECT_TRUE(fs::exists(Out() + "/b/ch_0"));
}

TEST_F(CtfEvents, HaveTheTimesThatThePluginGives) {
  if (!std::string(SYNCLINE_SANITIZERS).empty()) {
    GTEST_SKIP() << "a program without sanitizers cannot load a plugin with them";
  }
  const RunResult run =
      Syncline(fmt::format("sync {} {} --write events -o {}", Hosts(), kRule, Out()));
  ASSERT_EQ(run.exit_code, 0) << run.output;
  const auto written = ReadByBabeltrace(Out());
  const auto corrected =
      ReadByBabeltrace(fmt::format("{} --component=correct:filter.syncline.correct "
                                   "--params='summary=\"{}/syncline.json\"'",
                                   Sample(), Out()),
                       "--plugin-path=" SYNCLINE_PLUGIN_FOLDER);
  ASSERT_EQ(written.size(), corrected.size());
  for (size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(written[i].ns, corrected[i].ns);
    EXPECT_EQ(written[i].rest, corrected[i].rest);
  }
}

TEST_F(CtfEvents, ReplaceOutputsOnlyWhereAskedAndInputsNever) {
  const std::string sync = fmt::format("sync {} {} --write events -o {}", Hosts(), kRule, Out());
  ASSERT_EQ(Syncline(sync).exit_code, 0);
  const RunResult again = Syncline(sync);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.output, HasSubstr("--force"));
  EXPECT_EQ(Syncline(sync + " --force").exit_code, 0);
  EXPECT_EQ(MessagesOf(ReadByBabeltrace(Out())), (TextMessages{108, 0}));

  // A folder that is more than a trace stays.
  WriteBytes(Out() + "/hostA/notes", "text");
  fs::create_directory(Out() + "/hostA/more");
  const RunResult more = Syncline(sync + " --force");
  EXPECT_EQ(more.exit_code, 1);
  EXPECT_THAT(more.output, HasSubstr("is no CTF trace"));
  EXPECT_TRUE(fs::exists(Out() + "/hostA/notes"));
  fs::remove(Out() + "/hostA/more");

  // What was written is a fine input, but not for itself.
  const RunResult onto =
      Syncline(fmt::format("sync {0}/hostA {0}/hostB {1} --force -o {0} --write "
                           "events",
                           Out(), kRule));
  EXPECT_EQ(onto.exit_code, 1);
  EXPECT_THAT(onto.output, HasSubstr("input"));
}

}  // namespace
}  // namespace syncline
