#include "live/exchange/exchange_log.h"

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "match/named_matcher.h"
#include "read/text/text_reader.h"

namespace syncline {
namespace {

struct Messages : MessageSink {
  void OnMessage(const Message& message) override { messages.push_back(message); }
  void OnBroadcast(const Broadcast& broadcast) override {
    receptions.push_back(broadcast.receives.size());
  }
  std::vector<Message> messages;
  std::vector<size_t> receptions;
};

class ExchangeLogTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() /
             ("syncline-exchange-log-" + std::to_string(::getpid())))
                .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // What a reader makes of the log.
  Messages Read() {
    const auto text = ReadWholeFile(path_);
    EXPECT_TRUE(text.has_value());
    TextReader reader = TextReader::FromMemory(*text);
    Messages found;
    NamedMatcher matcher(found);
    while (const Event* event = reader.Next()) matcher.Add(*event, reader.index());
    EXPECT_FALSE(reader.error().has_value()) << reader.error()->ToString();
    Diagnostics diagnostics;
    const auto counts = matcher.Finish(diagnostics);
    EXPECT_EQ(counts.unmatched_sends + counts.unmatched_receives, 0);
    names_.clear();
    for (const Clock& clock : reader.traces().clocks) names_.push_back(clock.name);
    return found;
  }

  std::string path_;
  std::vector<std::string> names_;
};

TEST_F(ExchangeLogTest, MakesEachExchangeTwoMessages) {
  auto log = ExchangeLog::Create(path_, IfExists::kFail, "local");
  ASSERT_TRUE(log.has_value());
  ASSERT_TRUE(log->AddHost("host a").has_value());
  ASSERT_TRUE(log->AddHost("[::1]:5").has_value());
  ASSERT_TRUE(log->Add(0, std::vector{ClockExchange{10, 1011, 1012, 23, 1}}).has_value());
  ASSERT_TRUE(log->Add(1, std::vector{ClockExchange{30, -5, -4, 43, 1}}).has_value());
  ASSERT_TRUE(log->Finish().has_value());
  const Messages found = Read();
  EXPECT_EQ(names_, (std::vector<std::string>{"local", "host%20a", "[::1]:5"}));
  std::vector<std::pair<int64_t, int64_t>> times;
  for (const Message& m : found.messages) {
    times.emplace_back(m.send.time.ticks, m.receive.time.ticks);
  }
  EXPECT_THAT(times, testing::UnorderedElementsAre(std::pair(10, 1011), std::pair(1012, 23),
                                                   std::pair(30, -5), std::pair(-4, 43)));
}

TEST_F(ExchangeLogTest, WritesBroadcastsWithTheirAnswersInOrderOfArrival) {
  auto log = ExchangeLog::Create(path_, IfExists::kFail, "local");
  const GroupRound round = {
      .t1_ns = 10,
      .number = 7,
      .answers = {{.exchange = {10, 111, 112, 40, 7}}, {.exchange = {10, 211, 212, 30, 7}}}};
  ASSERT_TRUE(log->AddHost("a").has_value());
  ASSERT_TRUE(log->AddHost("b").has_value());
  ASSERT_TRUE(log->Add(round, std::vector<size_t>{0, 1}).has_value());
  ASSERT_TRUE(log->Finish().has_value());
  const Messages found = Read();
  EXPECT_EQ(found.receptions, std::vector<size_t>{2});
  std::vector<int64_t> arrivals;
  for (const Message& m : found.messages) {
    if (m.send.time.ticks > 100) arrivals.push_back(m.receive.time.ticks);
  }
  EXPECT_EQ(arrivals, (std::vector<int64_t>{30, 40}));
}

TEST_F(ExchangeLogTest, AppearsOnlyWhenFinished) {
  {
    auto log = ExchangeLog::Create(path_, IfExists::kFail, "local");
    EXPECT_TRUE(log->AddHost("a").has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace syncline
