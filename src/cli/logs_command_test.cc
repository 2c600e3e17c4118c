// The whole program on logs: the samples, with known truth, by commands of the manual.
#include <string>

#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

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
