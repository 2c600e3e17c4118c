// Messages that contradict all others, through the whole program.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

class SuspectMessages : public CommandTest {
 protected:
  std::string Out() const { return At("out"); }
};

// Messages of two clocks every 10 ms both ways; b is 1.7 s ahead and 35 ppm fast. Messages 100 and
// 110 of A have exchanged their numbers where they are received: 100 seems to come 100 ms late, 110
// as much too early. From the middle on b is `later_ppm` faster.
std::string TextWithTwoSuspects(int64_t later_ppm = 0) {
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
  const auto at_b = [&](int64_t t) {
    const int64_t later = std::max<int64_t>(0, t - 2'500'000'000);
    return t + 1'700'000'000 + (t * 35 + later * later_ppm) / 1'000'000;
  };
  for (int64_t i = 0; i < 300; ++i) {
    const int64_t t = 1'000'000'000 + i * 10'000'000;
    const int64_t received = i == 100 ? 110 : i == 110 ? 100 : i;
    const int64_t back = t + 5'000'000;
    text += fmt::format("{} A send B {}\n{} B recv A {}\n", t, i, at_b(t + 100'000), received);
    text += fmt::format("{} B send A {}\n{} A recv B {}\n", at_b(back), i, back + 150'000, i);
  }
  return text;
}

TEST_F(SuspectMessages, AreSetAsideAndNamed) {
  WriteBytes(At("in.txt"), TextWithTwoSuspects());
  const auto s = Summary("sync " + At("in.txt") + " --group joint -o " + Out(), 3);
  EXPECT_EQ(DiagnosticCount(s, "suspect-messages"), 1U);
  EXPECT_EQ(DiagnosticCount(s, "no-joint-solution"), 0U);
  EXPECT_EQ(s["messages"]["suspects"], 1);
  ASSERT_EQ(s["suspects"].size(), 1U);
  // Of A's events every second is a send, of B's every second a receive.
  const auto& suspect = s["suspects"][0];
  EXPECT_EQ(suspect["send"]["clock"], "a");
  EXPECT_EQ(suspect["send"]["process"], "A");
  EXPECT_EQ(suspect["send"]["event"], 2 * 110);
  EXPECT_EQ(suspect["send"]["local"], 1'000'000'000 + 110 * 10'000'000);
  EXPECT_EQ(suspect["receive"]["process"], "B");
  EXPECT_EQ(suspect["receive"]["event"], 2 * 100);
  EXPECT_NEAR(suspect["delay_ns"].get<double>(), -100'000'000 + 125'000, 1000);
  // It counts as it is, and no event is moved for its sake.
  EXPECT_EQ(s["messages"]["total"], 600);
  EXPECT_EQ(s["messages"]["inverted_after"], 1);
  EXPECT_FALSE(s.contains("logical"));
  EXPECT_EQ(s["pairs"][0]["messages_ab"], 300);
  EXPECT_EQ(ByName(s["clocks"], "b")["quality"], "accurate");
  EXPECT_EQ(s["bounds_assume"], "suspects matched wrongly");
}

TEST_F(SuspectMessages, AreAWeaknessThatCanBeAccepted) {
  WriteBytes(At("in.txt"), TextWithTwoSuspects());
  EXPECT_EQ(Syncline("check " + At("in.txt")).exit_code, 3);
  EXPECT_EQ(Syncline("check " + At("in.txt") + " --accept-weakness").exit_code, 0);
}

// Each takes 1 ms, but from b to a 9 ms: half of that round trip is 5 ms, while over c it is 2 ms
// from a to b.
TEST_F(SuspectMessages, AreNoneWherePathsAreNotSymmetricAfterAll) {
  std::vector<std::pair<int64_t, std::string>> events;
  int number = 0;
  for (int64_t i = 0; i < 50; ++i) {
    for (int from = 0; from < 3; ++from) {
      for (int to = 0; to < 3; ++to) {
        if (from == to) continue;
        const int64_t sent = i * 100'000'000 + ++number * 1000;
        const int64_t delay = from == 1 && to == 0 ? 9'000'000 : 1'000'000;
        events.emplace_back(sent, fmt::format("{} send {} m{}", from, to, number));
        events.emplace_back(sent + delay, fmt::format("{} recv {} m{}", to, from, number));
      }
    }
  }
  std::sort(events.begin(), events.end());
  std::string text =
      "clock a 1000000000\nclock b 1000000000\nclock c 1000000000\n"
      "process 0 a\nprocess 1 b\nprocess 2 c\n";
  for (const auto& [time, event] : events) text += fmt::format("{} {}\n", time, event);
  WriteBytes(At("in.txt"), text);
  const auto plain = Summary("check " + At("in.txt"), 0);
  const auto s = Summary("check " + At("in.txt") + " --min-delay auto", 0);
  EXPECT_EQ(DiagnosticCount(s, "paths-not-symmetric"), 50U);
  EXPECT_EQ(s["bounds_assume"], "nothing");
  EXPECT_EQ(s["clocks"], plain["clocks"]);
}

TEST_F(SuspectMessages, AreNoneForJointWhereNoLinesFitTheOthersEither) {
  WriteBytes(At("in.txt"), TextWithTwoSuspects(500));
  const auto s = Summary("check " + At("in.txt") + " --group joint", 3);
  EXPECT_EQ(DiagnosticCount(s, "no-joint-solution"), 1U);
  EXPECT_EQ(s["suspects"].size(), 0U);
  EXPECT_EQ(ByName(s["clocks"], "b")["quality"], "approximate");
}

TEST_F(SuspectMessages, AreNotPutInOrderByTheLogicalClock) {
  // The end of a barrier makes the logical clock run.
  WriteBytes(At("in.txt"), TextWithTwoSuspects() +
                               "group all A B\n"
                               "5000000000 A collective barrier all 1 begin\n"
                               "5000500000 A collective barrier all 1 end\n"
                               "6700175000 B collective barrier all 1 begin\n"
                               "6700675000 B collective barrier all 1 end\n");
  const auto s = Summary("sync " + At("in.txt") + " --group joint -o " + Out(), 3);
  EXPECT_EQ(s["suspects"].size(), 1U);
  EXPECT_EQ(s["messages"]["inverted_after"], 1);
  ASSERT_TRUE(s.contains("logical"));
  EXPECT_EQ(s["logical"]["events_moved"], 0);
}

TEST_F(SuspectMessages, AreWhatBoundsAssumeToBeWrong) {
  WriteBytes(At("in.txt"), TextWithTwoSuspects());
  const RunResult run = Syncline("check " + At("in.txt") + " --group joint --min-delay 50000");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output,
              testing::HasSubstr("\n1 message contradicts the others: it is suspected"));
  EXPECT_THAT(run.output, testing::HasSubstr(
                              "\nIf the suspect alone is matched wrongly and every other message "
                              "takes at least its minimum delay, every true time lies within"));
  EXPECT_THAT(run.output,
              testing::HasSubstr("(event 220 of A to event 200 of B: would have taken"));
}

TEST_F(SuspectMessages, TheVerdictSaysThatBoundsRestOnThem) {
  WriteBytes(At("in.txt"), TextWithTwoSuspects());
  for (const char* group : {"drift-bounded", "joint"}) {
    const RunResult run = Syncline(fmt::format("check {} --group {}", At("in.txt"), group));
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_THAT(run.output,
                testing::HasSubstr("\nIf the suspect alone is matched wrongly, every "));
  }
}

// The summary names them.
TEST_F(SuspectMessages, AreSaidAndLeftOutByConvertWithASummary) {
  WriteBytes(At("in.txt"), TextWithTwoSuspects());
  ASSERT_EQ(Syncline("sync -q " + At("in.txt") + " --reference a -o " + Out()).exit_code, 3);
  const std::string convert = "convert " + At("in.txt") + " -f --to csv -o " + At("events.csv") +
                              " --messages " + At("messages.csv");
  ASSERT_EQ(Syncline(convert + " --reference a").exit_code, 3);
  const std::string messages = ReadBytes(At("messages.csv"));
  const RunResult run = Syncline(convert + " --summary " + Out() + "/syncline.json");
  EXPECT_EQ(run.exit_code, 3) << run.output;
  EXPECT_THAT(run.output, testing::HasSubstr("1 × suspect-messages (event 220 of A to event 200"));
  EXPECT_EQ(ReadBytes(At("messages.csv")), messages);
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1 + 600 - 1);
  auto summary = nlohmann::json::parse(ReadBytes(Out() + "/syncline.json"));
  summary["messages"]["suspects"] = 3;
  WriteBytes(At("more.json"), summary.dump());
  EXPECT_THAT(Syncline(convert + " --summary " + At("more.json")).output,
              testing::HasSubstr("2 × suspects-not-named"));
}

TEST_F(SuspectMessages, CanBeSwitchedOff) {
  WriteBytes(At("in.txt"), TextWithTwoSuspects());
  const auto s = Summary("check " + At("in.txt") + " --group joint --max-suspects 0", 3);
  EXPECT_EQ(DiagnosticCount(s, "no-joint-solution"), 1U);
  EXPECT_EQ(s["suspects"].size(), 0U);
  EXPECT_EQ(s["bounds_assume"], "nothing");
  for (const char* share : {"0.5", "-0.1", "1%", ""}) {
    const RunResult run =
        Syncline(fmt::format("check {} --max-suspects '{}'", At("in.txt"), share));
    EXPECT_EQ(run.exit_code, 1) << share;
    EXPECT_THAT(run.output, testing::HasSubstr("--max-suspects"));
  }
}

}  // namespace
}  // namespace syncline
