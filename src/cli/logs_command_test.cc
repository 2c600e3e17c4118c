// The whole program on logs: the samples, with known truth, by commands of the manual.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kMillisecondNs = 1'000'000;
const std::string kLogs = SYNCLINE_SOURCE_DIR "/examples/logs/";
const std::string kOfServices =
    " --match '\"calling payments\"(reqId) -> \"request received\"(reqId)'"
    " --match '\"request completed\"(reqId) late <= 1ms -> \"payments answered\"(reqId)'";

class LogsCommand : public CommandTest {
 protected:
  static std::string LogSample(const std::string& name) { return kLogs + "samples/" + name; }
  static std::string Services() {
    return LogSample("services/orders.log") + " " + LogSample("services/payments.log") +
           " --rules " + kLogs + "pino.rules" + kOfServices;
  }
  // 100 requests of a, one each 101 ms, and b's answers, whose clock is half a second ahead. Of
  // each file's times, by number, the decimals.
  void WriteExchanges(const std::function<int(int number)>& decimals) const {
    std::string a;
    std::string b;
    for (int i = 0; i < 100; ++i) {
      const int64_t sent = 100 * kMillisecondNs + 101'234'567LL * i;
      const auto record = [&](int number, int64_t ns, const std::string& kind) {
        const std::string fraction = fmt::format("{:09}", ns % (1000 * kMillisecondNs));
        return fmt::format(
            "{{\"time\": \"2026-11-18T11:06:{:02}.{}Z\", \"msg\": \"{}\", \"id\": {}}}\n",
            40 + ns / (1000 * kMillisecondNs),
            fraction.substr(0, static_cast<size_t>(decimals(number))), kind, i);
      };
      a += record(2 * i, sent, "req") +
           record(2 * i + 1, sent + 7 * kMillisecondNs + 1234 * i, "ans");
      b += record(2 * i, sent + 502 * kMillisecondNs + 4321 * i, "got") +
           record(2 * i + 1, sent + 505 * kMillisecondNs + 5678 * i, "sent");
    }
    WriteBytes(At("a.log"), a);
    WriteBytes(At("b.log"), b);
    WriteBytes(At("r.rules"), "read json time=time kind=msg\n");
  }
  std::string Exchanges(const std::string& of_answers = "") const {
    return At("a.log") + " " + At("b.log") + " --rules " + At("r.rules") +
           " --match 'req(id) -> got(id)' --match 'sent(id)" + of_answers + " -> ans(id)'";
  }
  // Nothing inverted is left, and every true time lies within its bound.
  void ExpectTrue(const std::string& arguments, const std::string& truth) const {
    const auto done =
        Syncline("sync " + arguments + " -o " + At("out") + " --force --truth " + LogSample(truth));
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_THAT(done.output, HasSubstr("after correction none is."));
    EXPECT_THAT(done.output, HasSubstr("none outside the reported bounds"));
  }
};

TEST_F(LogsCommand, OfTwoServicesAreCorrected) {
  ExpectTrue(Services(), "services/truth.json");
  // 859 ms less, to the millisecond; a stack trace stands where it stood.
  const std::string before = ReadBytes(LogSample("services/payments.log"));
  const std::string after = ReadBytes(At("out/payments.log"));
  EXPECT_EQ(before.size(), after.size());
  EXPECT_THAT(before, HasSubstr("\"time\":1793606407722,"));
  EXPECT_THAT(after, HasSubstr("\"time\":17936064068"));
  EXPECT_THAT(after, HasSubstr("TypeError: amount is undefined\n    at pay (pay.js:17)\n"));
}

TEST_F(LogsCommand, ATextOfThemKeepsTheirMilliseconds) {
  ASSERT_EQ(Syncline("convert " + Services() + " --recorded --to text -o " + At("c.txt")).exit_code,
            0);
  EXPECT_THAT(ReadBytes(At("c.txt")), HasSubstr("clock web-1 1000000000 0 1000000\n"));
  const auto done = Syncline("sync " + At("c.txt") + " -o " + At("out") + " --truth " +
                             LogSample("services/truth.json"));
  EXPECT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(done.output, HasSubstr("none outside the reported bounds"));
  const auto archive = Syncline("convert " + Services() + " --recorded --to otf2 -o " + At("c"));
  if (archive.output.find("libotf2") != std::string::npos) GTEST_SKIP() << archive.output;
  EXPECT_THAT(archive.output,
              HasSubstr("2 × resolution-left-out (clock web-1: up to 1.000 ms; clock pay-1"));
}

TEST_F(LogsCommand, OfTwoJournalsAreCorrected) {
  const std::string line = "MESSAGE ~ \"job (?P<id>\\d+) ";
  ExpectTrue(LogSample("journald/hosta.json") + " " + LogSample("journald/hostb.json") +
                 " --rules " + kLogs + "journald.rules --match 'scheduler(id) where " + line +
                 "handed out\" -> worker(id) where " + line +
                 "taken\"' --match 'worker(id) where " + line +
                 "done\" -> scheduler(id) where MESSAGE ~ \"of job (?P<id>\\d+)\"'",
             "journald/truth.json");
}

TEST_F(LogsCommand, OfAProxyAndAnApplicationAreCorrected) {
  ExpectTrue(LogSample("nginx/access.log") + " " + LogSample("nginx/app.log") + " --rules " +
                 kLogs + "nginx.rules --rules " + kLogs +
                 "pino.rules --match 'access:begin(id) -> \"request received\"(requestId)' "
                 "--match '\"sending the answer\"(requestId) -> access:end(id)'",
             "nginx/truth.json");
}

TEST_F(LogsCommand, OfTimesOfTwoPrecisionsTheCoarserOneCounts) {
  WriteExchanges([](int number) { return number % 3 == 0 ? 3 : 6; });
  const auto done = Syncline("convert " + Exchanges() + " --reference a --to csv -o " + At("c"));
  EXPECT_EQ(done.exit_code, 0) << done.output;
  // Each third of 200 times, in either file.
  EXPECT_THAT(done.output, HasSubstr("134 × coarser-times"));
  EXPECT_THAT(ReadBytes(At("c")),
              HasSubstr("1795000000100000000,1795000000100000000,1000000,a,a,0,send"));
}

// A program of milliseconds that writes six decimals.
TEST_F(LogsCommand, WholeMillisecondsWithZerosBehindThemAreNoMicroseconds) {
  for (const int64_t step_ns : {kMillisecondNs, kMillisecondNs + 1'000}) {
    std::string of[2];
    for (int64_t i = 0; i < 10; ++i) {
      for (int64_t k = 0; k < 4; ++k) {
        of[k % 3 == 0 ? 0 : 1] +=
            fmt::format("{{\"time\":1700000000.{:06},\"msg\":\"{}\",\"id\":{}}}\n",
                        (10 * i + k + 1) * step_ns / 1'000, "abcd"[k], i);
      }
    }
    WriteBytes(At("a.log"), of[0]);
    WriteBytes(At("b.log"), of[1]);
    WriteBytes(At("r.rules"), "read json time=time kind=msg\na(id) -> b(id)\nc(id) -> d(id)\n");
    const auto s =
        Summary("check " + At("a.log") + " " + At("b.log") + " --rules " + At("r.rules"), 0);
    const bool is_whole = step_ns == kMillisecondNs;
    for (size_t i = 0; i < 2; ++i)
      EXPECT_EQ(s["clocks"][i]["reading_ns"], is_whole ? kMillisecondNs : 1'000);
    EXPECT_EQ(DiagnosticCount(s, "coarser-times"), is_whole ? 2 * 20 : 0);
  }
}

// A receive of whole seconds is written late, and the answer after it with it: what received that,
// on a finer clock, has to wait for it.
TEST_F(LogsCommand, AnswersWaitForSendsThatRoundingTookAlong) {
  WriteBytes(At("host0.log"),
             "2023-11-14T22:13:20Z host0 rcv7 id=7\n2023-11-14T22:13:20Z host0 ans7 id=7\n"
             "2023-11-14T22:13:20Z host0 rcv2 id=2\n");
  WriteBytes(At("host1.log"),
             "2023-11-14T22:13:20.081292943Z host1 snd7 id=7\n"
             "2023-11-14T22:13:20.089779361Z host1 got7 id=7\n"
             "2023-11-14T22:13:20.090837691Z host1 snd2 id=2\n");
  WriteBytes(At("r.rules"),
             R"(read text "^(?P<time>\S+) (?P<host>\S+) (?P<kind>\w+) id=(?P<id>\d+)$")"
             "\nsnd*(id) -> rcv*(id)\nans*(id) -> got*(id)\n");
  const auto done = Syncline("sync " + At("host0.log") + " " + At("host1.log") + " --rules " +
                             At("r.rules") + " --reference host0 -o " + At("out"));
  EXPECT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(ReadBytes(At("out/host0.log")), HasSubstr("22:13:21Z host0 ans7"));
  EXPECT_THAT(ReadBytes(At("out/host1.log")), HasSubstr("22:13:21.000000000Z host1 got7"));
}

// b's milliseconds are rounded to those that it has, behind which its receives are moved.
TEST_F(LogsCommand, ComparisonsAllowForWhatRoundingMovesToo) {
  WriteBytes(At("a.log"),
             "{\"time\":1790000000034234785,\"kind\":\"ask\",\"id\":0}\n"
             "{\"time\":1790000000035223295,\"kind\":\"got\",\"id\":0}\n"
             "{\"time\":1790000000360329669,\"kind\":\"ask\",\"id\":1}\n"
             "{\"time\":1790000000361310315,\"kind\":\"got\",\"id\":1}\n");
  WriteBytes(At("b.log"),
             "{\"time\":1790000000178,\"kind\":\"asked\",\"id\":0}\n"
             "{\"time\":1790000000178,\"kind\":\"answer\",\"id\":0}\n"
             "{\"time\":1790000000505,\"kind\":\"asked\",\"id\":1}\n"
             "{\"time\":1790000000505,\"kind\":\"answer\",\"id\":1}\n");
  WriteBytes(At("r.rules"),
             "read json time=time kind=kind\nask(id) -> asked(id)\nanswer(id) -> got(id)\n");
  const std::string logs =
      At("a.log") + " " + At("b.log") + " --rules " + At("r.rules") + " --reference a";
  const auto compared = Summary("compare --methods drift-bounded " + logs, 0)["methods"][0];
  const auto synced = Summary("sync --logical none -o " + At("out") + " " + logs, 0);
  for (const auto& s : {compared, synced}) {
    EXPECT_EQ(ByName(s["clocks"], "b")["bound_ns"]["worst"], 2'603'349);
  }
}

// The stamp is the event; how early its message may have left is none.
TEST_F(LogsCommand, ALateSendIsOneEvent) {
  WriteExchanges([](int) { return 6; });
  const std::string late = Exchanges(" late <= 3ms");
  const auto summary = Summary("check --reference a " + late, 0);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(summary["inputs"][i]["events"], 200);
    EXPECT_EQ(summary["clocks"][i]["events"], 200);
  }
  const auto csv = Syncline("convert --reference a " + late + " --to csv -o - -q");
  EXPECT_EQ(csv.exit_code, 0) << csv.output;
  EXPECT_EQ(std::count(csv.output.begin(), csv.output.end(), '\n'), 1 + 400);
  // b's first answer, of 505 ms.
  EXPECT_THAT(csv.output, HasSubstr(",1795000000605000000,"));
  EXPECT_THAT(csv.output, HasSubstr(",b,b,1,send,sent,a,"));
  EXPECT_THAT(csv.output, Not(HasSubstr(",mark,")));
  // Read again, bounds rest on when it may have left.
  ASSERT_EQ(Syncline("convert " + late + " --recorded --to text -o " + At("c.txt")).exit_code, 0);
  const auto again = Summary("check --reference a " + At("c.txt"), 0);
  // But for half a microsecond, to which times of the log are written.
  const auto worst = [](const auto& of) {
    return ByName(of["clocks"], "b")["bound_ns"]["worst"].template get<int64_t>();
  };
  EXPECT_EQ(worst(again) + 500, worst(summary));
}

TEST_F(LogsCommand, AByteOrderMarkIsNoPartOfTheFirstRecord) {
  WriteExchanges([](int) { return 6; });
  const std::string mark = "\xEF\xBB\xBF";
  WriteBytes(At("b.log"), mark + ReadBytes(At("b.log")));
  const auto done = Syncline("sync " + Exchanges() + " --reference b -o " + At("out"));
  EXPECT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(done.output, HasSubstr("Of 200 messages"));
  EXPECT_EQ(ReadBytes(At("out/b.log")), ReadBytes(At("b.log")));
}

TEST_F(LogsCommand, AFieldIsNotAddedWhereThereIsOneOfItsName) {
  WriteExchanges([](int) { return 6; });
  const auto done = Syncline("sync " + Exchanges() + " -o " + At("out") + " --add-field id");
  EXPECT_EQ(done.exit_code, 1) << done.output;
  EXPECT_THAT(done.output,
              HasSubstr(".log:1:1: --add-field needs another name: there is a field id"));
  EXPECT_FALSE(fs::exists(At("out/a.log")));
}

TEST_F(LogsCommand, AHeadLineIsNoRecordOfColumnsByNumber) {
  const std::string head = "when,what,number\n";
  WriteBytes(At("a.csv"), head + "1700000000.000001,s,1\n");
  WriteBytes(At("b.csv"), head + "1700000000.500001,r,1\nnever 7,r,2\n");
  const auto done =
      Syncline("sync " + At("a.csv") + " " + At("b.csv") + " --match 's(3) -> r(3)' --match '" +
               "read csv time=1 kind=2' --add-field corrected -o " + At("out"));
  EXPECT_THAT(done.output, HasSubstr("1 × lines-with-unknown-time (" + At("b.csv") + ":3"));
  EXPECT_THAT(ReadBytes(At("out/a.csv")), HasSubstr("when,what,number,corrected\n"));
}

TEST_F(LogsCommand, FromStandardInputAreRefusedAsSuch) {
  WriteExchanges([](int) { return 6; });
  const auto done =
      Syncline("check - --rules " + At("r.rules") + " --match 'a(id) -> b(id)' < " + At("a.log"));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.output, HasSubstr("logs are read from files, not from standard input"));
}

TEST_F(LogsCommand, AFieldIsAddedInsteadOnRequest) {
  const auto done = Syncline("sync " + Services() + " -o " + At("out") + " --add-field corrected");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  const std::string after = ReadBytes(At("out/payments.log"));
  EXPECT_THAT(after, HasSubstr("\"time\":1793606407722,\"corrected\":17936064068"));
}

TEST_F(LogsCommand, WithoutRulesTheKindsOfRecordsAreNamed) {
  const auto done =
      Syncline("check " + LogSample("services/orders.log") + " " +
               LogSample("services/payments.log") + " --rules " + kLogs + "pino.rules");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.output, HasSubstr("Kinds of records are: calling payments, payments answered"));
}

// Nothing need be a message where nothing is corrected.
TEST_F(LogsCommand, AreConvertedAsRecordedWithoutMessages) {
  WriteExchanges([](int) { return 9; });
  for (const bool has_rule : {false, true}) {
    const std::string log = At("a.log") + " --rules " + At("r.rules") +
                            (has_rule ? " --match 'req(id) -> nothing(id)'" : "");
    const auto done = Syncline("convert " + log + " --recorded --to csv -f -o " + At("a.csv"));
    EXPECT_EQ(done.exit_code, has_rule ? 3 : 0) << done.output;  // rule-without-messages
    EXPECT_THAT(done.output, HasSubstr("no-messages"));
    const std::string table = ReadBytes(At("a.csv"));
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 200);
    for (const char* command : {"check ", "concurrency ", "convert --to csv -o x "}) {
      const auto failed = Syncline(command + log);
      EXPECT_EQ(failed.exit_code, has_rule ? 4 : 1) << failed.output;
      EXPECT_THAT(failed.output, HasSubstr(has_rule ? "no records of the logs" : "no rule says"));
    }
  }
}

// A proxy writes a line when a request has ended, in whole milliseconds: nothing says that B had
// ended before A began.
TEST_F(LogsCommand, BeginsThatSendComeFirstOfTheirReading) {
  WriteBytes(At("proxy.log"),
             "{\"start\":1700000000.100,\"took\":0.000,\"id\":\"B\"}\n"
             "{\"start\":1700000000.100,\"took\":0.003,\"id\":\"A\"}\n");
  WriteBytes(At("app.log"),
             "{\"time\":1700000000.1000,\"kind\":\"got\",\"id\":\"B\"}\n"
             "{\"time\":1700000000.1002,\"kind\":\"got\",\"id\":\"A\"}\n"
             "{\"time\":1700000000.1005,\"kind\":\"answer\",\"id\":\"B\"}\n"
             "{\"time\":1700000000.1020,\"kind\":\"answer\",\"id\":\"A\"}\n");
  WriteBytes(At("r.rules"),
             "read json in \"proxy*\" begin=start took=took(s) as req\n"
             "read json in \"app*\" time=time kind=kind\n"
             "req:begin(id) -> got(id)\nanswer(id) -> req:end(id)\n");
  const std::string logs = At("proxy.log") + " " + At("app.log") + " --rules " + At("r.rules") +
                           " --reference proxy -f -o " + At("out");
  for (const char* command :
       {"sync ", "convert --to csv ", "convert --to shiviz ", "convert --to csv --logical none "}) {
    const auto done = Syncline(command + logs);
    fs::remove_all(At("out"));
    EXPECT_THAT(done.output, Not(HasSubstr("cycle"))) << command;
    if (std::string(command).find("none") != std::string::npos) continue;
    EXPECT_EQ(done.exit_code, 0) << command << done.output;
    EXPECT_THAT(done.output, HasSubstr("after correction none is")) << command;
  }
}

// It may have left when the answer came, which has the same reading then.
TEST_F(LogsCommand, ALateSendMayHaveLeftBeforeAnAnswerOfItsReading) {
  const auto line = [](int64_t ms, const char* kind, int id) {
    return fmt::format("{{\"time\":{},\"kind\":\"{}\",\"id\":{}}}\n", ms, kind, id);
  };
  WriteBytes(At("h0.log"), line(1735689614365, "answered", 1) + line(1735689614365, "ask", 1) +
                               line(1735689658291, "asked", 2) + line(1735689658296, "ans", 2));
  WriteBytes(At("h1.log"), line(1735689614366, "asked", 1) + line(1735689614371, "ans", 1) +
                               line(1735689658283, "answered", 2) + line(1735689658288, "ask", 2));
  WriteBytes(At("r.rules"),
             "read json time=time kind=kind\nask(id) late <= 5ms -> asked(id)\n"
             "ans(id) late <= 5ms -> answered(id)\n");
  const std::string logs = At("h0.log") + " " + At("h1.log") + " --rules " + At("r.rules") +
                           " --reference h0 -f -o " + At("out");
  for (const char* command : {"convert --to csv ", "convert --to text "}) {
    const auto done = Syncline(command + logs);
    EXPECT_EQ(done.exit_code, 0) << command << done.output;
    EXPECT_THAT(done.output, HasSubstr("after correction none is")) << command;
  }
}

// b sends at 4.2 ms, receives at 4.6 and logs at 5.0 that it sent: of milliseconds, whichever way
// they are written.
TEST_F(LogsCommand, ALateSendMayHaveLeftBeforeWhatHasTheReadingOfItsTick) {
  WriteBytes(At("a.log"),
             "{\"time\":1790000000.0043,\"kind\":\"rcv\",\"id\":1}\n"
             "{\"time\":1790000000.0044,\"kind\":\"ask\",\"id\":2}\n");
  WriteBytes(
      At("r.rules"),
      "read json time=time kind=kind\nsnd(id) late <= 800us -> rcv(id)\nask(id) -> rcv(id)\n");
  for (const char* digits : {"", "000"}) {
    std::string b;
    for (int ms = 4; ms < 13; ++ms) {
      const char* kind = ms == 4 ? "rcv" : ms == 5 ? "snd" : "idle";
      b += fmt::format("{{\"time\":1790000000{:03}{},\"kind\":\"{}\",\"id\":{}}}\n", ms, digits,
                       kind, 6 - ms);
    }
    WriteBytes(At("b.log"), b);
    const auto done = Syncline("sync " + At("a.log") + " " + At("b.log") + " --rules " +
                               At("r.rules") + " --reference a -f -o " + At("out"));
    EXPECT_EQ(done.exit_code, 0) << digits << done.output;
    EXPECT_THAT(done.output, Not(HasSubstr("cycle"))) << digits;
  }
}

// A client asks twice, at 100.10 and 101.10 ms. A request began at a millisecond that is computed,
// of two that were cut off: the second may have come before the first had ended, and need not.
TEST_F(LogsCommand, WhatIsReceivedAtAComputedMomentMayHaveComeLater) {
  WriteBytes(At("client.log"),
             "{\"time\":1790000000100100000,\"kind\":\"ask\",\"id\":1}\n"
             "{\"time\":1790000000101050000,\"kind\":\"got\",\"id\":1}\n"
             "{\"time\":1790000000101100000,\"kind\":\"ask\",\"id\":2}\n"
             "{\"time\":1790000000104600000,\"kind\":\"got\",\"id\":2}\n");
  WriteBytes(At("access.log"),
             "{\"end\":1790000000.101,\"took\":0.000,\"id\":1}\n"
             "{\"end\":1790000000.104,\"took\":0.003,\"id\":2}\n");
  WriteBytes(At("r.rules"),
             "read json in \"client*\" time=time kind=kind\n"
             "read json in \"access*\" end=end took=took(s) as req\n"
             "ask(id) -> req:begin(id)\nreq:end(id) -> got(id)\n");
  const std::string logs = At("access.log") + " " + At("client.log") + " --rules " + At("r.rules") +
                           " --reference client ";
  for (const char* command : {"sync ", "convert --to csv ", "convert --to text "}) {
    const auto done = Syncline(command + logs + "-f -o " + At("out"));
    EXPECT_EQ(done.exit_code, 0) << command << done.output;
    EXPECT_THAT(done.output, HasSubstr("after correction none is")) << command;
    if (command == std::string("sync ")) fs::remove_all(At("out"));
  }
  EXPECT_THAT(Syncline("check " + At("out")).output, Not(HasSubstr("cycle")));
}

// Of whole seconds, durations in microseconds. 1: h asks at 105.6 s and has its answer at 107.2 s;
// meanwhile it got something at 105.9 s. 2: h serves from 126.5 s, which is computed as 125.6 s, to
// 128.9 s; it asked at 126.2 s.
TEST_F(LogsCommand, WhatStampsInOneTickSayNothingOfMakesNoCycle) {
  const auto lines = [](const std::vector<std::pair<int64_t, std::string>>& events) {
    std::string text;
    for (const auto& [ms, rest] : events) {
      text += fmt::format("{{\"time\":1790000{:03}{:03}000000,{}}}\n", ms / 1000, ms % 1000, rest);
    }
    return text;
  };
  WriteBytes(At("h.log"),
             "{\"time\":1790000105,\"kind\":\"got\",\"id\":2}\n"
             "{\"end\":1790000107,\"took\":1600000,\"kind\":\"call\",\"id\":1}\n"
             "{\"time\":1790000126,\"kind\":\"ask\",\"id\":3}\n"
             "{\"end\":1790000128,\"took\":2400000,\"kind\":\"serve\",\"id\":4}\n");
  WriteBytes(At("o.log"), lines({{105'700, R"("kind":"got","id":1)"},
                                 {105'800, R"("kind":"ask","id":2)"},
                                 {107'100, R"("kind":"ask","id":1)"},
                                 {126'300, R"("kind":"got","id":3)"},
                                 {126'400, R"("kind":"ask","id":4)"}}));
  WriteBytes(At("r.rules"),
             "read json time=time kind=kind\nread json end=end took=took(us) kind=kind\n"
             "call:begin(id) -> got(id)\nask(id) -> got(id)\nask(id) -> call:end(id)\n"
             "ask(id) -> serve:begin(id)\n");
  for (const char* command : {"sync ", "convert --to csv "}) {
    const auto done = Syncline(command + At("h.log") + " " + At("o.log") + " --rules " +
                               At("r.rules") + " --reference o -f -o " + At("out"));
    fs::remove_all(At("out"));
    EXPECT_EQ(done.exit_code, 0) << command << done.output;
    EXPECT_THAT(done.output, HasSubstr("after correction none is")) << command;
  }
}

TEST_F(LogsCommand, DurationsOfWholeMillisecondsAreNoNanoseconds) {
  for (const int64_t finer_ns : {0, 1}) {
    std::string a;
    std::string b;
    for (int64_t i = 1; i <= 40; ++i) {
      const int64_t ns = 1'790'000'000'000'123'457 + i * 1'234'567'891;
      a += fmt::format("{{\"time\":{},\"took\":{},\"id\":{}}}\n", ns,
                       7 * i * kMillisecondNs + i * i * finer_ns, i);
      b += fmt::format("{{\"time\":{},\"id\":{}}}\n", ns - 1'999, i);
    }
    WriteBytes(At("a.log"), a);
    WriteBytes(At("b.log"), b);
    WriteBytes(At("r.rules"),
               "read json in \"a*\" end=time took=took(ns) as req\n"
               "read json in \"b*\" time=time as sent\nsent(id) -> req:end(id)\n");
    const auto s =
        Summary("check " + At("a.log") + " " + At("b.log") + " --rules " + At("r.rules"), 3);
    const int64_t reading_ns = ByName(s["clocks"], "a")["reading_ns"].get<int64_t>();
    EXPECT_EQ(reading_ns, finer_ns > 0 ? 2 : kMillisecondNs + 1);
    EXPECT_EQ(DiagnosticCount(s, "coarser-times"), finer_ns > 0 ? 0U : 40U);
  }
}

TEST_F(LogsCommand, AKeyMayBeANumberWithoutFraction) {
  const auto line = [](int ms, const char* kind, const char* id) {
    return fmt::format("{{\"time\":17000000000{:02},\"kind\":\"{}\",\"id\":{}}}\n", ms, kind, id);
  };
  WriteBytes(At("a.log"), line(0, "ask", "7.0") + line(20, "answered", "7.0") +
                              line(30, "ask", "8e1") + line(50, "answered", "\"7.0\""));
  WriteBytes(At("b.log"),
             line(5, "asked", "7") + line(10, "answer", "7") + line(35, "asked", "80"));
  WriteBytes(At("r.rules"),
             "read json time=time kind=kind\nask(id) -> asked(id)\nanswer(id) -> answered(id)\n");
  const auto s =
      Summary("check " + At("a.log") + " " + At("b.log") + " --rules " + At("r.rules"), 0);
  EXPECT_EQ(s["messages"]["total"], 3);
}

TEST_F(LogsCommand, WhatIsNoRecordIsCountedAndKept) {
  WriteBytes(At("a.log"),
             "{\"time\":1700000000000,\"msg\":\"s\",\"id\":1}\r\nnot JSON \xff\n"
             "{\"time\":\"tomorrow\",\"msg\":\"s\",\"id\":2}\n{\"msg\":\"s\"");
  WriteBytes(At("b.log"), "{\"time\":1700000001000,\"msg\":\"r\",\"id\":1}\n");
  const auto done = Syncline("sync " + At("a.log") + " " + At("b.log") + " --reference a --rules " +
                             kLogs + "pino.rules --match 's(id) -> r(id)' -o " + At("out"));
  EXPECT_EQ(done.exit_code, 3) << done.output;
  EXPECT_THAT(done.output, HasSubstr("lines-without-record"));
  EXPECT_THAT(done.output, HasSubstr("lines-with-unknown-time"));
  EXPECT_EQ(ReadBytes(At("out/a.log")), ReadBytes(At("a.log")));
}

}  // namespace
}  // namespace syncline
