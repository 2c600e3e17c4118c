// Messages that no order of events satisfies, through the whole program: whatever is done with such
// a trace, something comes out, and they are named.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

class CycleMessages : public CommandTest {
 protected:
  std::string Out() const { return At("out"); }
  std::string In(const std::string& text) const {
    WriteBytes(At("in.txt"), text);
    return At("in.txt");
  }
};

constexpr const char* kHeader =
    "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";

// Messages of two clocks every 10 ms both ways; b is 1.7 s ahead. Messages 100 and 110 of A have
// exchanged their numbers where they are received: what B received as 100th A sends only after nine
// answers to what B received later.
std::string TextWithAWrongMatch() {
  std::string text = kHeader;
  const auto at_b = [](int64_t t) { return t + 1'700'000'000; };
  for (int64_t i = 0; i < 300; ++i) {
    const int64_t t = 1'000'000'000 + i * 10'000'000;
    const int64_t received = i == 100 ? 110 : i == 110 ? 100 : i;
    const int64_t back = t + 5'000'000;
    text += fmt::format("{} A send B {}\n{} B recv A {}\n", t, i, at_b(t + 100'000), received);
    text += fmt::format("{} B send A {}\n{} A recv B {}\n", at_b(back), i, back + 150'000, i);
  }
  return text;
}

// Two right exchanges, and between them one whose request A stamped after its answer.
std::string TextWithALateStamp() {
  return std::string(kHeader) +
         "1000000 A send B 1\n1100000 B recv A 1\n1200000 B send A 1\n1300000 A recv B 1\n"
         "2100000 B recv A 2\n2200000 B send A 2\n2300000 A recv B 2\n2400000 A send B 2\n"
         "3000000 A send B 3\n3100000 B recv A 3\n3200000 B send A 3\n3300000 A recv B 3\n";
}

// A leaves the barrier, and says so, before B comes to it.
std::string TextWithABarrierLeftTooEarly() {
  return std::string(kHeader) + "group all A B\n" +
         "1000000 A send B 1\n1100000 B recv A 1\n1200000 B send A 1\n1300000 A recv B 1\n"
         "2000000 A collective barrier all 1 begin\n2010000 A collective barrier all 1 end\n"
         "2020000 A send B 2\n2120000 B recv A 2\n"
         "2200000 B collective barrier all 1 begin\n2210000 B collective barrier all 1 end\n"
         "3200000 B send A 3\n3300000 A recv B 3\n";
}

TEST_F(CycleMessages, AreSetAsideAndNamed) {
  const auto s = Summary("sync " + In(TextWithAWrongMatch()) + " --group tree-error --report " +
                             At("page.html") + " -o " + Out(),
                         3);
  EXPECT_TRUE(std::filesystem::exists(Out() + "/in.txt"));
  EXPECT_TRUE(std::filesystem::exists(At("page.html")));
  EXPECT_EQ(DiagnosticCount(s, "cycle-messages"), 1U);
  EXPECT_EQ(s["messages"]["in_cycles"], 1);
  EXPECT_EQ(s["messages"]["suspects"], 0);
  ASSERT_EQ(s["suspects"].size(), 1U);
  // Of A's events every second is a send, of B's every second a receive.
  const auto& message = s["suspects"][0];
  EXPECT_EQ(message["why"], "cycle");
  EXPECT_EQ(message["collective"], false);
  EXPECT_EQ(message["send"]["clock"], "a");
  EXPECT_EQ(message["send"]["process"], "A");
  EXPECT_EQ(message["send"]["event"], 2 * 110);
  EXPECT_EQ(message["send"]["local"], 1'000'000'000 + 110 * 10'000'000);
  EXPECT_EQ(message["receive"]["process"], "B");
  EXPECT_EQ(message["receive"]["event"], 2 * 100);
  EXPECT_LT(message["delay_ns"], 0);
  // It counts as it is; all others are in order.
  EXPECT_EQ(s["messages"]["total"], 600);
  EXPECT_EQ(s["messages"]["inverted_after"], 1);
  EXPECT_EQ(s["messages"]["too_fast_after"], 0);
}

TEST_F(CycleMessages, AreSaid) {
  const RunResult run =
      Syncline("sync " + In(TextWithAWrongMatch()) + " --group tree-error -o " + Out());
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, HasSubstr("\n1 message closes a cycle of messages, which no times "));
  EXPECT_THAT(run.output, HasSubstr("(event 220 of A to event 200 of B: would have taken −"));
}

// Each process receives what the other sends afterwards, again and again.
TEST_F(CycleMessages, ThereMayBeMany) {
  std::string text = kHeader;
  constexpr int64_t kPairs = 400;
  for (int64_t i = 0; i < kPairs; ++i) {
    const int64_t t = i * 1'000'000;
    text += fmt::format("{} B recv A {}\n{} B send A {}\n", t, i, t + 10, i);
    text += fmt::format("{} A recv B {}\n{} A send B {}\n", t + 20, i, t + 30, i);
  }
  const auto s = Summary("sync " + In(text) + " --group tree-error -o " + Out(), 3);
  EXPECT_EQ(DiagnosticCount(s, "cycle-messages"), static_cast<uint64_t>(kPairs));
  EXPECT_EQ(s["messages"]["in_cycles"], kPairs);
  EXPECT_EQ(s["suspects"].size(), 100U);
}

TEST_F(CycleMessages, EndOfACollectiveIsNamedLikeAMessage) {
  const auto s =
      Summary("sync " + In(TextWithABarrierLeftTooEarly()) + " --group tree-error -o " + Out(), 3);
  EXPECT_EQ(DiagnosticCount(s, "cycle-messages"), 1U);
  ASSERT_EQ(s["suspects"].size(), 1U);
  const auto& wait = s["suspects"][0];
  EXPECT_EQ(wait["collective"], true);
  EXPECT_EQ(wait["why"], "cycle");
  EXPECT_EQ(wait["send"]["process"], "B");
  EXPECT_EQ(wait["send"]["event"], 3);
  EXPECT_EQ(wait["send"]["local"], 2'200'000);
  EXPECT_EQ(wait["receive"]["process"], "A");
  EXPECT_EQ(wait["receive"]["event"], 3);
  EXPECT_EQ(wait["receive"]["local"], 2'010'000);
  EXPECT_LT(wait["delay_ns"], 0);
}

TEST_F(CycleMessages, AreSaidAndLeftOutByConvertWithASummary) {
  for (const std::string& text : {TextWithAWrongMatch(), TextWithABarrierLeftTooEarly()}) {
    const std::string in = In(text);
    ASSERT_EQ(Syncline("sync " + in + " --group tree-error -f -o " + Out()).exit_code, 3);
    const std::string convert =
        "convert " + in + " -f --to csv -o " + At("events.csv") + " --messages " + At("m.csv");
    const auto ends = [&](const std::string& times, int exit_code) {
      const RunResult run = Syncline(convert + times);
      EXPECT_EQ(run.exit_code, exit_code) << run.output;
      EXPECT_EQ(run.output.find("1 × cycle-messages") != std::string::npos, exit_code == 3);
      return Shell("cut -d, -f1-6 " + At("m.csv")).output;
    };
    const std::string all = ends(" --recorded", 0);
    const std::string left = ends(" --group tree-error", 3);
    EXPECT_EQ(std::ranges::count(left, '\n'), std::ranges::count(all, '\n') - 1);
    EXPECT_EQ(ends(" --summary " + Out() + "/syncline.json", 3), left);
  }
}

TEST_F(CycleMessages, HaveNoArrowsAndNoVectorClocks) {
  const std::string in = In(TextWithALateStamp());
  for (const char* times :
       {"--group tree-error", "--group tree-error --logical none", "--recorded"}) {
    const RunResult run =
        Syncline(fmt::format("convert {} {} --force --to shiviz -o {}", in, times, Out()));
    EXPECT_EQ(run.exit_code, 3) << run.output;
    EXPECT_THAT(run.output, HasSubstr("cycle-messages"));
    EXPECT_THAT(run.output, HasSubstr("(event 3 of A to event 2 of B: would have taken −"));
    // A knows of B what the answer tells; B has not heard of A's fourth event.
    const std::string log = ReadBytes(Out());
    EXPECT_THAT(log, HasSubstr("A {\"A\":3,\"B\":4}\nreceive from B"));
    EXPECT_THAT(log, HasSubstr("B {\"A\":1,\"B\":3}\nreceive from A"));
  }
  const RunResult run =
      Syncline(fmt::format("convert {} --group tree-error --force --to csv -o {} --messages {}", in,
                           Out(), At("messages.csv")));
  EXPECT_EQ(run.exit_code, 3) << run.output;
  const std::string messages = ReadBytes(At("messages.csv"));
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 1 + 6 - 1);
}

TEST_F(CycleMessages, DoNotStopTheClockOverAnArchive) {
  const std::string in = In(TextWithALateStamp());
  if (Syncline("convert " + in + " --recorded --to otf2 -o " + At("archive")).exit_code != 0) {
    GTEST_SKIP() << "no OTF2";
  }
  const std::string anchor = At("archive/traces.otf2");
  const RunResult run = Syncline("filter " + anchor + " " + Out() + " --json " + At("s.json"));
  EXPECT_EQ(run.exit_code, 3) << run.output;
  const auto s = nlohmann::json::parse(ReadBytes(At("s.json")));
  EXPECT_EQ(DiagnosticCount(s, "cycle-messages"), 1U);
  EXPECT_EQ(s["messages"]["inverted_after"], 1);
  EXPECT_EQ(Summary("sync " + anchor + " --group tree-error -o " + At("out2"),
                    3)["messages"]["in_cycles"],
            1);
}

}  // namespace
}  // namespace syncline
