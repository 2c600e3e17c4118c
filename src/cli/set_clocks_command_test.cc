// Clocks that were set, through the whole program: at the very beginning, and by half a century;
// and clocks that two processes only seem to share.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

constexpr int64_t kMsNs = 1'000'000;
constexpr int64_t kSecondNs = 1'000 * kMsNs;
constexpr int64_t kStartNs = 1'795'263'390 * kSecondNs;  // in 2026

class ClocksThatWereSet : public CommandTest {
 protected:
  std::string Out() const { return At("out"); }
  std::string In(const std::string& text) const {
    WriteBytes(At("in.txt"), text);
    return At("in.txt");
  }
};

// 200 exchanges, one in 100 ms, each way 50 to 199 µs. `b_at`: b's reading at a time since a's
// first.
std::string Exchanges(const std::function<int64_t(int64_t)>& b_at) {
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
  for (int64_t k = 0; k < 200; ++k) {
    const int64_t there = 50'000 + k * 37 % 150 * 1'000, back = 50'000 + k * 53 % 150 * 1'000;
    const int64_t sent = k * 100 * kMsNs, received = sent + there, answered = received + 1'000;
    text +=
        fmt::format("{} A send B q{}\n{} B recv A q{}\n", kStartNs + sent, k, b_at(received), k);
    text += fmt::format("{} B send A r{}\n{} A recv B r{}\n", b_at(answered), k,
                        kStartNs + answered + back, k);
  }
  return text;
}

TEST_F(ClocksThatWereSet, TheFirstExchangeIsAllThatIsFromBeforeTheStep) {
  for (const char* clocks : {"--clock 1:jump=-5ms@50ms",
                             "--delay 50us:200us --clock 1:jump=-50ms@50ms --clock '*:hz=1000'"}) {
    SCOPED_TRACE(clocks);
    const RunResult made =
        Syncline(fmt::format("simulate two --steps 200 {} -q -f -o {}", clocks, At("made")));
    ASSERT_EQ(made.exit_code, 0) << made.output;
    const auto s = Summary(
        "sync " + At("made/trace.txt") + " --truth " + At("made/truth.json") + " -f -o " + Out(),
        0);
    EXPECT_EQ(s["steps"].size(), 1U);
    EXPECT_EQ(s["truth"]["outside_bound"], 0);
    EXPECT_LT(s["truth"]["max_error_ns"], 2 * kMsNs);
  }
}

// A board without a battery: from 1970 to the present.
TEST_F(ClocksThatWereSet, ByHalfACenturyLeavesNoBoundsAndMovesNobodyElse) {
  const std::string text =
      Exchanges([](int64_t t) { return t < 10 * kSecondNs ? t : kStartNs + t; });
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  const auto s = Summary("sync " + In(text) + " -o " + Out(), 3);
  EXPECT_EQ(DiagnosticCount(s, "messages-contradict"), 1U);
  EXPECT_EQ(s["messages"]["suspects"], 200);
  EXPECT_EQ(ByName(s["clocks"], "b")["quality"], "approximate");
  EXPECT_TRUE(ByName(s["clocks"], "b")["bound_ns"]["best"].is_null());
  EXPECT_THAT(ReadBytes(Out() + "/in.txt"), HasSubstr(last));
  const RunResult check = Syncline("check " + At("in.txt"));
  EXPECT_EQ(check.exit_code, 3);
  EXPECT_THAT(check.output, HasSubstr("stamped more than four and a half years from the first"));
}

TEST_F(ClocksThatWereSet, ProcessesThatDoNotShareTheirClockAreSaid) {
  const std::string text =
      "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess C a\nprocess B b\n"
      "3600000000010 A send C 1\n5000 C recv A 1\n3600000000020 A send B 1\n"
      "3600000000030 B recv A 1\n3600000000040 B send A 1\n3600000000050 A recv B 1\n";
  const auto s = Summary("sync " + In(text) + " -f -o " + Out(), 3);
  EXPECT_EQ(DiagnosticCount(s, "inverted-on-one-clock"), 1U);
  const RunResult run = Syncline("sync " + At("in.txt") + " -f -o " + Out());
  EXPECT_THAT(run.output, HasSubstr("at most 3599.999995 s from the corrected one (a)"));
  EXPECT_THAT(run.output, HasSubstr("(a: received up to 3599.999995 s before sent)"));
}

// b is set ahead by 40 ms, and back by 22 soon after; one message tells of what was between.
TEST_F(ClocksThatWereSet, WhatOneMessageSaysOfASecondStepIsSaid) {
  const auto synced = [&](const std::string& between, int exit_code) {
    std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
    const auto exchange = [&](int64_t k, int64_t ahead) {
      const int64_t t = k * kSecondNs;
      text += fmt::format("{} A send B q{}\n{} B recv A q{}\n", t, k, t + 100'000 + ahead, k);
      text +=
          fmt::format("{} B send A r{}\n{} A recv B r{}\n", t + 200'000 + ahead, k, t + 300'000, k);
    };
    for (int64_t k = 0; k < 20; ++k) exchange(k, 0);
    text += between;
    for (int64_t k = 25; k < 45; ++k) exchange(k, 18 * kMsNs);
    return Summary("sync " + In(text) + " --reference a -f -o " + Out(), exit_code);
  };
  const auto without = synced("", 0);
  EXPECT_EQ(without["messages"]["suspects"], 0);
  EXPECT_EQ(ByName(without["clocks"], "b")["quality"], "accurate");
  const auto with = synced(fmt::format("{} B send A between\n{} A recv B between\n",
                                       22 * kSecondNs + 40 * kMsNs, 22 * kSecondNs + 100'000),
                           3);
  EXPECT_EQ(with["steps"].size(), 1U);
  EXPECT_EQ(with["messages"]["suspects"], 1);
  const auto b = ByName(with["clocks"], "b");
  EXPECT_EQ(b["quality"], "incomplete");
  EXPECT_GT(b["unbounded_share"], 0.1);
}

// Two processes with 100 ms between their events; b is set back by 60 ms. Whichever of them reads
// 2.04 s then, the other one reads more before.
TEST_F(ClocksThatWereSet, WhatNoProcessOfTheClockSawIsSaid) {
  const auto synced = [&](int64_t ahead, int exit_code) {
    std::map<int64_t, std::string> events;  // by true time
    const auto b_at = [&](int64_t t) { return t < 2'100 * kMsNs ? t : t + ahead; };
    for (int64_t k = 0; k < 80; ++k) {
      const char process = k % 2 == 0 ? 'P' : 'Q';
      const int64_t t = k * 50 * kMsNs + k % 2 * 5 * kMsNs;
      events[t] = fmt::format("{} A send {} q{}\n", t, process, k);
      events[t + 100'000] = fmt::format("{} {} recv A q{}\n", b_at(t + 100'000), process, k);
      events[t + 200'000] = fmt::format("{} {} send A r{}\n", b_at(t + 200'000), process, k);
      events[t + 300'000] = fmt::format("{} A recv {} r{}\n", t + 300'000, process, k);
    }
    std::string text =
        "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess P b\nprocess Q b\n";
    for (const auto& [at, event] : events) text += event;
    return Summary("sync " + In(text) + " --reference a -f -o " + Out(), exit_code);
  };
  EXPECT_EQ(DiagnosticCount(synced(-60 * kMsNs, 3), "clock-epoch-ambiguous"), 1);
  EXPECT_EQ(DiagnosticCount(synced(60 * kMsNs, 0), "clock-epoch-ambiguous"), 0);
}

// P pauses while b is set back, and reads more behind than before.
TEST_F(ClocksThatWereSet, CheckFindsWhatOneOfTwoProcessesSawAsSyncDoes) {
  std::string text =
      "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess P b\nprocess Q b\n";
  for (int64_t k = 0; k < 80; ++k) {
    const char process = k % 2 == 0 || (k >= 39 && k < 60) ? 'Q' : 'P';
    const int64_t t = k * 100 * kMsNs, at_b = t - (k < 40 ? 0 : 1'500 * kMsNs);
    text += fmt::format("{} A send {} q{}\n{} {} recv A q{}\n", t, process, k, at_b + 100'000,
                        process, k);
    text += fmt::format("{} {} send A r{}\n{} A recv {} r{}\n", at_b + 200'000, process, k,
                        t + 300'000, process, k);
  }
  const auto checked = Summary("check " + In(text), 3);
  const auto synced = Summary("sync " + In(text) + " -o " + Out(), 3);
  EXPECT_GT(DiagnosticCount(checked, "clock-epoch-ambiguous"), 0U);
  EXPECT_EQ(checked["steps"].size(), 1U);
  EXPECT_EQ(checked["steps"], synced["steps"]);
  EXPECT_EQ(checked["clocks"], synced["clocks"]);
  const auto from_pipe = nlohmann::json::parse(
      Shell("cat " + At("in.txt") + " | " SYNCLINE_PROGRAM " check - -q --json -").output);
  EXPECT_EQ(from_pipe["clocks"], synced["clocks"]);
}

TEST_F(ClocksThatWereSet, InstantsCountFromTheFirstCorrectedReadingOfAReferenceThatWasSet) {
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
  for (int64_t k = 0; k < 200; ++k) {
    const int64_t t = k * 100 * kMsNs, at_b = t + (k < 100 ? 100 : 80) * kSecondNs;
    text += fmt::format("{0} A send B q{2}\n{1} B recv A q{2}\n", t, at_b + 100'000, k);
    text += fmt::format("{1} B send A r{2}\n{0} A recv B r{2}\n", t + 300'000, at_b + 200'000, k);
  }
  const auto s = Summary("check " + In(text) + " --reference b", 0);
  ASSERT_EQ(s["steps"].size(), 1U);
  EXPECT_THAT(s["steps"][0]["text"].get<std::string>(),
              HasSubstr("between 9.90 s and 10.00 s after b's first event"));
}

// b is set ahead by 300 ms; a and c agree with each other all the time.
TEST_F(ClocksThatWereSet, ThatItWasTheReferenceIsSaidToBeAssumed) {
  std::string text =
      "clock a 1000000000\nclock b 1000000000\nclock c 1000000000\n"
      "process A a\nprocess B b\nprocess C c\n";
  for (int64_t k = 0; k < 400; ++k) {
    const char peer = k % 2 == 0 ? 'B' : 'C';
    const int64_t t = k * 50 * kMsNs, at_peer = t + (peer == 'B' && k >= 200 ? 300 * kMsNs : 0);
    text += fmt::format("{} A send {} {}\n{} {} recv A {}\n", t, peer, 2 * k, at_peer + 100'000,
                        peer, 2 * k);
    text += fmt::format("{} {} send A {}\n{} A recv {} {}\n", at_peer + 200'000, peer, 2 * k + 1,
                        t + 300'000, peer, 2 * k + 1);
  }
  const auto said = [&](const char* reference) {
    return Syncline(fmt::format("check {} --reference {}", In(text), reference)).output;
  };
  constexpr const char* kAssumed = " That b was set, not all others at once, is assumed.\n";
  EXPECT_THAT(said("b"), HasSubstr(kAssumed));
  EXPECT_THAT(said("a"), testing::Not(HasSubstr("is assumed")));
}

// b is ahead by 50 ms for 1 s, in which it only sends: by how much more, nothing tells.
TEST_F(ClocksThatWereSet, TheAmountOfAStepIsToldAsWellAsItIsKnown) {
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
  for (int64_t k = 0; k < 400; ++k) {
    const int64_t t = k * 100 * kMsNs, ahead = k >= 200 && k < 210 ? 50 * kMsNs : 0;
    if (ahead == 0) {
      text += fmt::format("{} A send B q{}\n{} B recv A q{}\n", t, k, t + 100'000, k);
    }
    text +=
        fmt::format("{} B send A r{}\n{} A recv B r{}\n", t + 200'000 + ahead, k, t + 300'000, k);
  }
  const auto s = Summary("sync " + In(text) + " --reference a -f -o " + Out(), 0);
  ASSERT_EQ(s["steps"].size(), 2U);
  const auto& step = s["steps"][0];
  EXPECT_LE(step["least_ahead_ns"], 50 * kMsNs);
  EXPECT_GE(step["most_ahead_ns"], 50 * kMsNs);
  EXPECT_GT(step["most_ahead_ns"], 100 * kMsNs);
  EXPECT_LE(step["after_ns"], 20 * kSecondNs);
  EXPECT_GE(step["before_ns"], 20 * kSecondNs);
  EXPECT_THAT(step["text"].get<std::string>(), HasSubstr("clock b was set ahead by 49."));
  EXPECT_THAT(step["text"].get<std::string>(), HasSubstr(" ms to "));
}

// By exactly 10 s, between exchanges that leave 0.3 ms.
TEST_F(ClocksThatWereSet, BackByHowMuchIsToldAsWellAsMessagesDo) {
  constexpr int64_t kTrue = -10 * kSecondNs;
  const std::string text =
      Exchanges([](int64_t t) { return kStartNs + t + (t < 10 * kSecondNs ? 0 : kTrue); });
  const auto s = Summary("check " + In(text) + " --reference a", 0);
  ASSERT_EQ(s["steps"].size(), 1U);
  const auto& step = s["steps"][0];
  EXPECT_LE(step["least_ahead_ns"], kTrue);
  EXPECT_GE(step["least_ahead_ns"], kTrue - kMsNs / 2);
  EXPECT_GE(step["most_ahead_ns"], kTrue);
  EXPECT_LE(step["most_ahead_ns"], kTrue + kMsNs / 2);
  EXPECT_NEAR(step["ahead_ns"].get<double>(), kTrue, kMsNs / 4);
  // How far a clock of any rate ran ahead before it was set back nothing tells.
  const auto any = Summary("check " + At("in.txt") + " --reference a --max-drift-ppm inf", 0);
  ASSERT_EQ(any["steps"].size(), 1U);
  EXPECT_TRUE(any["steps"][0]["least_ahead_ns"].is_null());
  EXPECT_GE(any["steps"][0]["most_ahead_ns"], kTrue);
  EXPECT_NEAR(any["steps"][0]["ahead_ns"].get<double>(), kTrue, kMsNs / 4);
  EXPECT_THAT(any["steps"][0]["text"].get<std::string>(), HasSubstr("set back by about "));
}

// Of two exchanges at most 1.266 s and at least 1.166 s apart by a, in which b shows 77.2 ms less.
TEST_F(ClocksThatWereSet, WhatItWasSetBackByLiesWithinWhatIsSaid) {
  const auto s = Summary("check " +
                             In("clock c0 1000000000\nclock c1 1000000000\n"
                                "process pc0 c0\nprocess pc1 c1\n"
                                "1700000000636952809 pc0 send pc1 m2\n"
                                "1700000010081117041 pc1 recv pc0 m2\n"
                                "1700000010609817048 pc1 send pc0 m1\n"
                                "1700000001165663194 pc0 recv pc1 m1\n"
                                "1700000001263984689 pc0 send pc1 m0\n"
                                "1700000010532665448 pc1 recv pc0 m0\n"
                                "1700000011084988692 pc1 send pc0 m3\n"
                                "1700000001816318594 pc0 recv pc1 m3\n") +
                             " --reference c0",
                         0);
  ASSERT_EQ(s["steps"].size(), 1U);
  constexpr int64_t kTrue = -175'475'959;
  EXPECT_LE(s["steps"][0]["least_ahead_ns"], kTrue);
  EXPECT_GE(s["steps"][0]["most_ahead_ns"], kTrue);
}

// b is set in the middle; of its events there, one is less certain than those about it.
TEST_F(ClocksThatWereSet, NoEventIsLessCertainThanTheWorstThatIsSaid) {
  struct Sent {
    char from, to;
    int64_t sent_us, received_us;
  };
  constexpr Sent kMessages[] = {{'B', 'A', 2327233, 6903542},   {'B', 'A', 7278290, 11854826},
                                {'A', 'B', 13898881, 9322308},  {'B', 'A', 14539806, 19116621},
                                {'A', 'B', 20743465, 16166606}, {'A', 'B', 25420757, 20843712},
                                {'B', 'A', 20873791, 25450887}, {'B', 'A', 22107380, 26671211},
                                {'A', 'B', 32702666, 28138592}, {'B', 'A', 31868865, 36433114},
                                {'B', 'A', 37891655, 42456187}, {'B', 'A', 41346546, 45911224},
                                {'A', 'B', 48342609, 43777875}, {'B', 'A', 44523272, 49088065},
                                {'B', 'A', 45572469, 50137351}, {'A', 'B', 57642106, 53076947}};
  std::string text = "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n";
  int id = 0;
  for (const auto& [from, to, sent_us, received_us] : kMessages) {
    text += fmt::format("{}000 {} send {} {}\n{}000 {} recv {} {}\n", sent_us, from, to, id,
                        received_us, to, from, id);
    ++id;
  }
  const auto s = Summary(
      "convert " + In(text) + " --reference a --logical none --to csv -q -o " + At("events.csv"),
      0);
  ASSERT_EQ(s["steps"].size(), 1U);
  int64_t worst_ns = 0;
  std::istringstream lines(ReadBytes(At("events.csv")));
  for (std::string line; std::getline(lines, line);) {
    long long time_ns = 0, recorded_ns = 0, bound_ns = 0;
    if (std::sscanf(line.c_str(), "%lld,%lld,%lld,b,", &time_ns, &recorded_ns, &bound_ns) == 3) {
      worst_ns = std::max<int64_t>(worst_ns, bound_ns);
    }
  }
  EXPECT_GT(worst_ns, 0);
  EXPECT_LE(worst_ns, ByName(s["clocks"], "b")["bound_ns"]["worst"]);
}

// The end of summer time in a log of one host: its lines are put in order of their times, so that
// what is later seems to come first.
TEST_F(ClocksThatWereSet, AnHourBackInALogLeavesNoBound) {
  std::string a, b;
  const auto line = [](int64_t ms, const char* event, int64_t id) {
    return fmt::format(R"({{"time": {}.{:03}, "msg": "{}", "id": {}}})"
                       "\n",
                       1'795'000'000 + ms / 1000, ms % 1000, event, id);
  };
  for (int64_t k = 0; k < 60; ++k) {
    const int64_t at = k * 250, ahead = k < 30 ? 3'600'850 : 850;
    a += line(at, "asks", k) + line(at + 10, "hears", k);
    b += line(at + 3 + ahead, "gets", k) + line(at + 6 + ahead, "answers", k);
  }
  WriteBytes(At("a.log"), a);
  WriteBytes(At("b.log"), b);
  WriteBytes(At("r.rules"), "read json time=time kind=msg\n");
  const auto s = Summary(
      fmt::format("sync {} {} --rules {} --match 'asks(id) -> gets(id)' --match 'answers(id) -> "
                  "hears(id)' --reference a -f -o {}",
                  At("a.log"), At("b.log"), At("r.rules"), Out()),
      3);
  EXPECT_EQ(ByName(s["clocks"], "b")["quality"], "incomplete");
  EXPECT_TRUE(ByName(s["clocks"], "b")["bound_ns"]["best"].is_null());
  EXPECT_EQ(DiagnosticCount(s, "messages-contradict"), 1);
}

// Nothing but the order of events tells where the mark belongs that b stamped before it was set
// back by 1 ms.
TEST_F(ClocksThatWereSet, WhatCameBeforeASetBackIsWrittenBeforeWhatCameBehind) {
  const std::string text =
      "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
      "1000000 p send q 1\n1100000 p recv q 2\n1540000 q mark before\n540000 q recv p 1\n"
      "541000 q send p 2\n";
  // Nothing says how early the mark may have been.
  const auto s = Summary("sync " + In(text) + " --reference a -f -o " + Out(), 3);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_THAT(ReadBytes(Out() + "/in.txt"),
              HasSubstr("\n1049500 q mark before\n1049500 q recv p 1\n1050499 q send p 2\n"));
}

// In 100 µs b shows a reading again that it had 1 s before; what is known of the one says nothing
// of the other.
TEST_F(ClocksThatWereSet, NothingBoundsWhatNoMessageFollows) {
  const std::string text =
      "clock a 1000000000\nclock b 1000000000\nprocess p a\nprocess q b\n"
      "1000000100 p recv q 1\n1000000000 q send p 1\n100000 q mark after\n200000 q mark end\n";
  const auto s = Summary("check " + In(text) + " --reference a --bounds 3", 3);
  const auto bounds = ByName(s["clocks"], "b")["bounds"];
  ASSERT_EQ(bounds.size(), 3U);
  EXPECT_EQ(bounds[0]["upper_ns"], 1'000'000'101);
  EXPECT_EQ(bounds[2]["epoch"], 1);
  EXPECT_TRUE(bounds[2]["upper_ns"].is_null());
  // It follows on what came before.
  EXPECT_THAT(Syncline("convert " + At("in.txt") + " --reference a --to csv -q -o -").output,
              HasSubstr("\n1000000100,100000,,b,q,1,mark,after,,,,,,\r\n"));
}

// Clock and reading where it was sent, and received.
struct Passed {
  int from = 0;
  int64_t sent = 0;
  int to = 0;
  int64_t received = 0;
};

// Each clock's events in the order of the messages that they are of.
std::string TextOf(int clocks, std::initializer_list<Passed> messages) {
  std::string text;
  for (int c = 0; c < clocks; ++c) {
    text += fmt::format("clock c{0} 1000000000\nprocess p{0} c{0}\n", c);
  }
  int id = 0;
  for (const auto& [from, sent, to, received] : messages) {
    text += fmt::format("{0} p{1} send p{2} m{4}\n{3} p{2} recv p{1} m{4}\n", sent, from, to,
                        received, id++);
  }
  return text;
}

// The third event of 1 is from before the set-back that its fourth shows. By the last message
// there was less time until then than by the first two.
TEST_F(ClocksThatWereSet, TheLengthsOfEpochsCountForTheirOrder) {
  const std::string text = TextOf(2, {{0, 20767847771, 1, 10959871165},
                                      {1, 30554200652, 0, 40362335719},
                                      {0, 49706491521, 1, 40070665531},
                                      {0, 49838442233, 1, 40030465227},
                                      {1, 42727995136, 0, 52536129574}});
  const auto s = Summary("sync " + In(text) + " --reference c0 -f -o " + Out(), 3);
  EXPECT_EQ(s["messages"]["suspects"], 1);
  EXPECT_EQ(s["steps"].size(), 1U);
}

// Two clocks were set together. The message between them while they were can be from behind the
// step of 2 by its receive, and one that 2 sent before it is from before that step, but later.
TEST_F(ClocksThatWereSet, MessagesAboutAStepThatAreOutOfOrderAreSuspects) {
  const std::string text =
      TextOf(4, {{1, 5179392832, 2, -368789066},   {0, 2838973585, 1, 7844177326},
                 {2, 2588152583, 1, 8139386151},   {2, 2624808911, 3, 3164954974},
                 {1, 8584603150, 2, 3035518503},   {2, 4369569858, 1, 8920499502},
                 {1, 11419275601, 2, 6869193217},  {0, 7421680588, 1, 12427353953},
                 {2, 12056416397, 1, 16608293359}, {1, 22300893137, 2, 17750958875},
                 {1, 27689555284, 2, 23139486597}, {1, 28049138083, 2, 23499685437},
                 {1, 32279517112, 2, 27733917663}, {1, 33142005548, 2, 28592141832},
                 {1, 36260006301, 2, 31709996192}, {3, 35150345354, 0, 34157970454},
                 {1, 43245906396, 2, 38695456797}, {2, 46492168987, 3, 47031380955},
                 {2, 49203497640, 1, 53754119515}, {2, 56046724255, 1, 60597595746},
                 {1, 61848615739, 2, 57299172326}});
  const auto s = Summary("sync " + In(text) + " --reference c0 -f -o " + Out(), 3);
  EXPECT_EQ(s["messages"]["suspects"], 2);
  EXPECT_TRUE(ByName(s["clocks"], "c3")["bound_ns"]["best"].is_null());
}

// Of what 0 shows behind its step nothing is known but by messages that lead to it.
TEST_F(ClocksThatWereSet, AStepThatOneSideBoundsIsSaid) {
  const std::string text = TextOf(3, {{1, 5911895508, 0, 5378177725},
                                      {0, 11234488711, 2, 6389863309},
                                      {1, 12473774864, 0, 11939429622},
                                      {2, 9681007179, 0, 14525606137},
                                      {0, 15852288965, 2, 11007705160},
                                      {0, 20374123976, 1, 20909278641},
                                      {1, 21343046242, 0, 20807852904},
                                      {0, 24531340611, 1, 25066892835},
                                      {2, 23454871617, 0, 28299346501},
                                      {0, 28926988672, 1, 29462961256},
                                      {1, 37106124801, 0, 36569424168},
                                      {0, 37486062421, 2, 32641673493},
                                      {1, 49755757310, 0, 49217847096},
                                      {0, 53590483670, 1, 54128814849},
                                      {2, 52408481597, 0, 57191332555},
                                      {1, 60455733564, 0, 59915332595}});
  const RunResult run = Syncline("check " + In(text) + " --reference c0");
  EXPECT_THAT(run.output, HasSubstr("Clock c0 was set back by about 57.585 ms between "));
  EXPECT_THAT(run.output, HasSubstr("That c0 was set, not all others at once, is assumed."));
}

// Few messages before the step of 0, or of 3, cannot tell which of the two it was.
TEST_F(ClocksThatWereSet, NobodyIsSaidToBeSetWhereMessagesTellNotWho) {
  const std::string text =
      TextOf(4, {{3, 1263205144, 0, 394700285},    {0, 395088256, 3, 1264686452},
                 {3, 1612116824, 0, 743489593},    {0, 744162358, 3, 1613594595},
                 {0, 5528453791, 3, 5398052711},   {0, 6225265131, 3, 6094935674},
                 {3, 6095053124, 0, 6226457141},   {2, 55709712647, 3, 55665557507},
                 {3, 55665623746, 2, 55711611170}, {0, 57724258135, 3, 57595554958},
                 {3, 57595804076, 0, 57725295265}, {0, 58302518106, 1, 57686599845},
                 {1, 57686635416, 0, 58303670405}, {1, 59214671195, 0, 59831839298},
                 {0, 59831863050, 1, 59215992165}, {3, 61354833287, 2, 61399789268},
                 {2, 61400162275, 3, 61356597806}, {3, 62968239385, 0, 63097569968},
                 {0, 63097818035, 3, 62969284693}, {3, 63052538697, 0, 63181942119},
                 {3, 63585060971, 2, 63629945887}, {2, 63630367229, 3, 63587629287},
                 {0, 67816952942, 1, 67201494899}, {1, 67201709907, 0, 67818409021},
                 {1, 72168216256, 0, 72784499338}, {0, 74853218447, 1, 74238258129},
                 {1, 74238302676, 0, 74854616566}, {3, 76201423890, 0, 76330634541},
                 {0, 76330645060, 3, 76202534232}, {1, 76987299302, 0, 77603246144},
                 {0, 78065474506, 1, 77450760445}, {1, 77451162276, 0, 78067077671},
                 {0, 80131279365, 1, 79516621788}, {3, 81141431018, 2, 81186177669},
                 {3, 81887885428, 0, 82016719414}, {0, 82017070556, 3, 81889170529},
                 {1, 81446572357, 0, 82062286725}});
  const auto s = Summary("check " + In(text) + " --reference c0", 3);
  EXPECT_EQ(s["steps"], nlohmann::json::array());
  EXPECT_EQ(ByName(s["clocks"], "c3")["reason"],
            "set when too few messages could tell which clocks were");
}

// Its pairs see the step after silences in which their clocks drift by more than a delay.
TEST_F(ClocksThatWereSet, OneBetweenTwoOthersWasSetAlone) {
  const auto read = [](int clock, int64_t at) {
    constexpr int64_t kDriftPpm[] = {0, -150, 50};
    return at + at / 1'000'000 * kDriftPpm[clock] +
           (clock == 1 && at > 10 * kSecondNs ? 200 : 0) * kMsNs;
  };
  std::string text = TextOf(3, {});
  for (int k = 0; k < 32; ++k) {
    const int64_t sent = (k * 660 + k * k * 37 % 400) * kMsNs, received = sent + 1000;
    const int from = k % 4 < 2 ? 0 : 2;
    const auto line = [&](int clock, int64_t at, const char* what, int other, char id) {
      text += fmt::format("{} p{} {} p{} {}{}\n", read(clock, at), clock, what, other, id, k);
    };
    line(from, sent, "send", 1, 'q');
    line(1, received, "recv", from, 'q');
    line(1, received + 1000, "send", from, 'r');
    line(from, received + 2000, "recv", 1, 'r');
  }
  const auto s = Summary("check " + In(text) + " --reference c0", 0);
  ASSERT_EQ(s["steps"].size(), 1U);
  EXPECT_EQ(s["steps"][0]["clock"], "c1");
}

}  // namespace
}  // namespace syncline
