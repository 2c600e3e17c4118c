// The command simulate scale as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

class ScaleCommand : public CommandTest {
 protected:
  static nlohmann::json Groups(const std::string& arguments) {
    const RunResult run = Syncline("simulate scale --json - " + arguments);
    EXPECT_EQ(run.exit_code, 0) << run.output;
    return nlohmann::json::parse(run.output)["groups"];
  }
};

TEST_F(ScaleCommand, ComparesAllStrategiesForEverySize) {
  const auto groups = Groups("--processes 2..1000,64 --exchanges 4 --exchange-cost 100us");
  // Sizes 2, 10, 100, 1000 and 64, and no broadcast for 2.
  ASSERT_EQ(groups.size(), 5 * 3 - 1);
  EXPECT_EQ(groups[0]["processes"], 2);
  EXPECT_EQ(groups[8]["processes"], 1000);
  EXPECT_EQ(groups[8]["strategy"], "root");
  EXPECT_EQ(groups[8]["time_ns"], 999 * 4 * 100'000);
  EXPECT_EQ(groups[9]["strategy"], "tree");
  EXPECT_EQ(groups[9]["time_ns"], 10 * 4 * 100'000);
  EXPECT_EQ(groups[9]["messages"], 999 * 2 * 4);
  EXPECT_EQ(groups[10]["messages"], 2 * 4 + 1);
  EXPECT_TRUE(groups[10]["worst_bound_ns"].is_null());
  EXPECT_EQ(groups[11]["processes"], 64);
  for (const auto& group : groups) {
    EXPECT_EQ(group["outside_bound"], 0);
    EXPECT_LE(group["rms_error_ns"], group["largest_error_ns"]);
  }
}

TEST_F(ScaleCommand, PrintsTheTableAndWhatItRestsOn) {
  const RunResult run = Syncline("simulate scale --processes 8 --strategies tree --mean-excess 0");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.output, HasSubstr("Bursts of 10 exchanges of 12.3 µs"));
  EXPECT_THAT(run.output, HasSubstr("tree"));
  EXPECT_THAT(run.output, testing::Not(HasSubstr("broadcast ")));
}

TEST_F(ScaleCommand, TheSeedDecidesEveryByteAndOptionsMayComeFromAFile) {
  WriteBytes(At("options"), "processes = \"50\"\nseed = 5\njson = \"-\"\n");
  const auto text = [&](const std::string& more) {
    return Syncline("simulate scale --config " + At("options") + more).output;
  };
  EXPECT_EQ(text(""), text(""));
  EXPECT_NE(text(""), text(" --seed 6"));
}

TEST_F(ScaleCommand, CostsMayBeThoseThatWereMeasured) {
  WriteBytes(At("probe.json"),
             R"({"hosts": [{"exchanges": {"least_trip_ns": 40000, "mean_trip_ns": 60000}},
                           {"exchanges": {"least_trip_ns": 20001, "mean_trip_ns": 44000}},
                           {"exchanges": {"least_trip_ns": null, "mean_trip_ns": null}}]})");
  const auto model = [&](const std::string& more) {
    const RunResult run =
        Syncline("simulate scale --processes 2 --json - --measured " + At("probe.json") + more);
    EXPECT_EQ(run.exit_code, 0) << run.output;
    return nlohmann::json::parse(run.output)["model"];
  };
  // Halves of the means over the two hosts that answered.
  EXPECT_EQ(model("")["exchange_cost_ns"], (60'000 + 44'000) / 2);
  EXPECT_EQ(model("")["least_delay_ns"], (40'000 + 20'001) / 2 / 2);
  EXPECT_EQ(model("")["mean_excess_ns"], (60'000 + 44'000 - 40'000 - 20'001) / 2 / 2);
  WriteBytes(At("probe.json"),
             R"({"hosts": [{"exchanges": {"least_trip_ns": 500, "mean_trip_ns": 1000}}]})");
  EXPECT_EQ(model("")["exchange_cost_ns"], 12'300);  // no less than the default
  EXPECT_EQ(model(" --exchange-cost 1ms")["exchange_cost_ns"], 1'000'000);
}

TEST_F(ScaleCommand, AFileWithoutMeasurementsIsRefused) {
  struct Case {
    const char* content;
    const char* said;
  };
  for (const Case& c : {Case{"no JSON", "no list of hosts"}, Case{"[]", "no list of hosts"},
                        Case{R"({"hosts": 3})", "no list of hosts"},
                        Case{R"({"hosts": [3, {"exchanges": {"least_trip_ns": 5}}]})",
                             "no host in it has answered"}}) {
    WriteBytes(At("probe.json"), c.content);
    const RunResult run = Syncline("simulate scale --measured " + At("probe.json"));
    EXPECT_EQ(run.exit_code, 2) << c.content;
    EXPECT_THAT(run.output, HasSubstr(c.said));
  }
  EXPECT_EQ(Syncline("simulate scale --measured " + At("none")).exit_code, 2);
}

TEST_F(ScaleCommand, WrongUseIsRefused) {
  struct Case {
    const char* arguments;
    const char* said;
  };
  for (const Case& c :
       {Case{"--processes 1", "--processes: '1': at character 1: expected 2 or more processes"},
        Case{"--processes 5..3", "an upper limit not below the lower one"},
        Case{"--processes 2,", "--processes: '2,': at character 3"},
        Case{"--processes 2-5", "',' or the end"}, Case{"--processes 99999999", "--processes"},
        Case{"--exchanges 0", "a burst has 1 to"}, Case{"--least-delay 5mz", "the unit"},
        Case{"--drift 200ppm", "more than bounds allow"}, Case{"--min-delay 1s", "for granted"},
        Case{"--exchange-cost 1us", "an exchange costs at least"},
        Case{"--strategies ring", "--strategies"}, Case{"surplus", "surplus"}}) {
    const RunResult run = Syncline(std::string("simulate scale ") + c.arguments);
    EXPECT_EQ(run.exit_code, 1) << c.arguments << run.output;
    EXPECT_THAT(run.output, HasSubstr(c.said)) << c.arguments;
  }
  EXPECT_EQ(Syncline("simulate").exit_code, 1);
  EXPECT_THAT(Syncline("simulate ring").output, HasSubstr("--output"));
}

TEST_F(ScaleCommand, ExistingOutputIsNotReplacedUnasked) {
  WriteBytes(At("scale.json"), "mine");
  const std::string arguments = "simulate scale --processes 4 --json " + At("scale.json");
  EXPECT_EQ(Syncline(arguments).exit_code, 1);
  EXPECT_EQ(ReadBytes(At("scale.json")), "mine");
  EXPECT_EQ(Syncline(arguments + " --force").exit_code, 0);
  EXPECT_NE(ReadBytes(At("scale.json")), "mine");
}

}  // namespace
}  // namespace syncline
