// syncline convert to formats that are folders: what comes out is read by Syncline itself and by
// the formats' own tools.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr const char* kRule = " --match 'send(message) => receive(message)'";

class ConvertFolderTest : public CommandTest {
 protected:
  // Two hosts; b's clock is 1 ms behind. The second message overtakes the first; m5 was lost.
  std::string Trace() const {
    WriteBytes(At("trace.txt"), R"(clock a 1000000000
clock b 1000000000
process p a
process q b
1000000 p enter main
2000000 p send q m1 64
2010000 p send q m2 64
1110000 q recv p m2 64
1140000 q recv p m1 64
1200000 q send p m3
2300000 p recv q m3
2400000 p leave main
12000000 p send q m4
11100000 q recv p m4
11200000 q send p m5
12400000 p mark end
)");
    return At("trace.txt");
  }
  std::string Out() const { return At("out"); }

  // False, with the test skipped, where the build lacks the format's library.
  bool Convert(const std::string& arguments, const std::string& to, int exit_code = 0) {
    fs::remove_all(Out());
    run_ = Syncline("convert " + arguments + " --to " + to + " -o " + Out());
    if (run_.output.find("this build has no") != std::string::npos) return false;
    EXPECT_EQ(run_.exit_code, exit_code) << run_.output;
    return true;
  }
  // What check finds in the output, with exit codes that tell of findings as well.
  Json Check(const std::string& inputs) {
    const std::string path = At("check.json");
    fs::remove(path);
    const RunResult run = Syncline("check -q " + inputs + " --json " + path);
    EXPECT_TRUE(fs::exists(path)) << run.output;
    return fs::exists(path) ? Json::parse(ReadBytes(path)) : Json();
  }
  static std::pair<int, int> MessagesOf(const Json& summary) {
    return {summary["messages"]["total"], summary["messages"]["inverted_before"]};
  }
  static std::string Archive() {
    return std::string(SYNCLINE_SOURCE_DIR) + "/src/read/otf2/testdata/ring/eztrace_log.otf2";
  }
  static std::string Rates() {
    return std::string(SYNCLINE_SOURCE_DIR) +
           "/src/read/ctf/testdata/rates --match 'msg:send(id, src, dst, proto) -> "
           "msg:recv(id, src, dst, proto)'";
  }
  RunResult run_;
};

TEST_F(ConvertFolderTest, OTF2HasTheSourcesMessagesAndClocks) {
  if (!Convert(Trace() + " --recorded", "otf2")) GTEST_SKIP() << run_.output;
  const Json source = Check(Trace());
  const Json written = Check(Out() + "/traces.otf2");
  EXPECT_EQ(MessagesOf(source), std::pair(4, 3));
  EXPECT_EQ(MessagesOf(written), MessagesOf(source));
  EXPECT_EQ(ByName(written["clocks"], "b")["correction"],
            ByName(source["clocks"], "b")["correction"]);
}

TEST_F(ConvertFolderTest, OTF2OfCorrectedTimesHasNoInversions) {
  if (!Convert(Trace(), "otf2")) GTEST_SKIP() << run_.output;
  EXPECT_EQ(MessagesOf(Check(Out())), std::pair(4, 0));
}

TEST_F(ConvertFolderTest, OTF2sOwnProgramSeesBothTimesAndTheTags) {
  if (!HasTool("otf2-print")) GTEST_SKIP() << "needs otf2-print (otf2-tools)";
  if (!Convert(Trace() + " --recorded", "otf2")) GTEST_SKIP() << run_.output;
  const RunResult print = Shell("otf2-print " + Out() + "/traces.otf2");
  EXPECT_EQ(print.exit_code, 0) << print.output;
  EXPECT_THAT(print.output, HasSubstr("MPI_SEND"));
  EXPECT_THAT(print.output, HasSubstr("recorded_ns"));
  EXPECT_THAT(print.output, HasSubstr("Tag: 1, "));
  const RunResult all = Shell("otf2-print -A " + Out() + "/traces.otf2");
  EXPECT_EQ(all.exit_code, 0) << all.output;
}

TEST_F(ConvertFolderTest, AnotherReaderOfOTF2SeesTheSameInversions) {
  if (Shell("/usr/bin/python3 -c 'import otf2'").exit_code != 0) {
    GTEST_SKIP() << "needs python3-otf2";
  }
  if (!Convert(Trace() + " --recorded", "otf2")) GTEST_SKIP() << run_.output;
  const RunResult counted =
      Shell(fmt::format("/usr/bin/python3 {}/src/cli/testdata/{} {}", SYNCLINE_SOURCE_DIR,
                        "count_inverted.py", Out() + "/traces.otf2"));
  EXPECT_EQ(counted.output, "4 messages, 3 inverted\n");
}

TEST_F(ConvertFolderTest, OTF2OfAnArchiveHasItsMessagesAndCollectives) {
  if (!Convert(Archive() + " -q --recorded", "otf2", 3)) GTEST_SKIP() << run_.output;
  const Json source = Check(Archive());
  const Json written = Check(Out());
  EXPECT_GT(MessagesOf(source).first, 0);
  EXPECT_EQ(MessagesOf(written), MessagesOf(source));
  for (const Json& clock : source["clocks"]) {
    EXPECT_EQ(ByName(written["clocks"], clock["name"])["correction"], clock["correction"]);
  }
}

TEST_F(ConvertFolderTest, CTFHasTheSourcesMessagesByTheDocumentedRule) {
  if (!Convert(Trace() + " --recorded", "ctf")) GTEST_SKIP() << run_.output;
  EXPECT_TRUE(fs::exists(Out() + "/a/metadata"));
  EXPECT_TRUE(fs::exists(Out() + "/b/q"));
  const Json written = Check(Out() + kRule);
  const Json source = Check(Trace());
  EXPECT_EQ(MessagesOf(written), MessagesOf(source));
  EXPECT_EQ(ByName(written["clocks"], "b")["correction"],
            ByName(source["clocks"], "b")["correction"]);
  ASSERT_TRUE(Convert(Trace(), "ctf"));
  EXPECT_EQ(MessagesOf(Check(Out() + kRule)), std::pair(4, 0));
}

TEST_F(ConvertFolderTest, BabeltraceReadsEveryEventInOrder) {
  if (!HasTool("babeltrace2")) GTEST_SKIP() << "needs babeltrace2";
  if (!Convert(Trace() + " --recorded", "ctf")) GTEST_SKIP() << run_.output;
  const RunResult all = Shell("babeltrace2 --clock-cycles " + Out());
  EXPECT_EQ(all.exit_code, 0) << all.output;
  EXPECT_EQ(std::count(all.output.begin(), all.output.end(), '\n'), 16 - 4) << all.output;
  const auto place = [&](const std::string& text) { return all.output.find(text); };
  EXPECT_LT(place("name = \"main\""), place("receive: "));
  EXPECT_LT(place("receive: "), place("send: "));
  EXPECT_LT(place("send: "), place("name = \"end\""));
  EXPECT_THAT(all.output, HasSubstr("peer = \"q\", bytes = 64"));
}

TEST_F(ConvertFolderTest, CTFOfCTFHasItsMessages) {
  if (!Convert(Rates() + " -q --recorded", "ctf", 0)) GTEST_SKIP() << run_.output;
  EXPECT_EQ(MessagesOf(Check(Out() + kRule)), MessagesOf(Check(Rates())));
}

TEST_F(ConvertFolderTest, CapturesBecomeEither) {
  const Json source = Check(Samples());
  if (Convert(Samples() + " -q --recorded", "ctf")) {
    EXPECT_EQ(MessagesOf(Check(Out() + kRule)), MessagesOf(source));
  }
  if (Convert(Samples() + " -q --recorded", "otf2")) {
    EXPECT_EQ(MessagesOf(Check(Out())), MessagesOf(source));
  }
}

// Files of names that no file can have, text that is markup elsewhere.
TEST_F(ConvertFolderTest, CTFTakesAnyNames) {
  WriteBytes(At("names.txt"),
             "clock . 1000000000\nclock a/\"b 1000000000\nprocess metadata .\nprocess ../x a/\"b\n"
             "1 metadata send ../x 1\n2 ../x recv metadata 1\n3 ../x send metadata 1\n"
             "4 metadata recv ../x 1\n5 metadata mark <script>\n");
  if (!Convert(At("names.txt") + " --recorded", "ctf")) GTEST_SKIP() << run_.output;
  EXPECT_TRUE(fs::exists(Out() + "/_./metadata-2"));
  EXPECT_TRUE(fs::exists(Out() + "/a__b/_.._x"));
  EXPECT_EQ(MessagesOf(Check(Out() + kRule)), std::pair(2, 0));
}

TEST_F(ConvertFolderTest, TimesBeforeZeroAreShiftedAndSaid) {
  WriteBytes(At("early.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
             "-500 p send q 1\n-400 q recv p 1\n-300 q send p 2\n-200 p recv q 2\n");
  for (const std::string to : {"otf2", "ctf"}) {
    if (!Convert(At("early.txt") + " --recorded", to)) continue;
    EXPECT_THAT(run_.output, HasSubstr("times-shifted")) << to;
    EXPECT_EQ(MessagesOf(Check(Out() + (to == "ctf" ? kRule : ""))), std::pair(2, 0)) << to;
  }
}

TEST_F(ConvertFolderTest, TimesFartherApartThanReadersTakeLeaveNoFolder) {
  WriteBytes(At("far.txt"),
             "clock a 1000000000\nprocess p a\n-9223372036854775808 p mark x\n"
             "9223372036854775807 p mark y\n");
  for (const std::string to : {"otf2", "ctf"}) {
    const RunResult run =
        Syncline(fmt::format("convert {} --recorded --to {} -o {}", At("far.txt"), to, Out()));
    EXPECT_EQ(run.exit_code, 2) << run.output;
    EXPECT_FALSE(fs::exists(Out()));
    EXPECT_EQ(Shell("ls -d " + Out() + "*").output.find(".partial"), std::string::npos);
  }
}

TEST_F(ConvertFolderTest, FoldersOfOthersAreNotReplaced) {
  for (const std::string to : {"otf2", "ctf"}) {
    if (!Convert(Trace() + " -q", to)) continue;
    const std::string again = fmt::format("convert {} -q --to {} -o {}", Trace(), to, Out());
    EXPECT_THAT(Syncline(again).output, HasSubstr("--force"));
    EXPECT_EQ(Syncline(again + " --force").exit_code, 0);
    WriteBytes(Out() + "/mine", "text");
    const RunResult run = Syncline(again + " --force");
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.output, HasSubstr("holds more than traces"));
    EXPECT_EQ(ReadBytes(Out() + "/mine"), "text");
  }
}

TEST_F(ConvertFolderTest, TheInputsFolderIsNeverTheOutput) {
  fs::create_directories(At("in"));
  WriteBytes(At("in/trace.txt"), ReadBytes(Trace()));
  for (const std::string to : {"otf2", "ctf"}) {
    const RunResult run =
        Syncline(fmt::format("convert {} --to {} --force -o {}", At("in/trace.txt"), to, At("in")));
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.output, HasSubstr("holds or lies in an input"));
    EXPECT_EQ(Syncline(fmt::format("convert {} --to {} -o -", Trace(), to)).exit_code, 1);
  }
  EXPECT_TRUE(fs::exists(At("in/trace.txt")));
}

}  // namespace
}  // namespace syncline
