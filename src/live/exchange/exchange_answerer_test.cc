#include "live/exchange/exchange_answerer.h"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

using Kind = ExchangePacket::Kind;

Endpoint HostAt(uint8_t host, uint16_t port) {
  return *ResolveEndpoint({.host = "192.0.2." + std::to_string(host), .port = port});
}

ExchangePacket Question(uint64_t number, uint64_t session = 77) {
  return {.kind = Kind::kQuestion, .session = session, .number = number, .t1_ns = 1000};
}

// A server without sockets.
struct Server {
  explicit Server(AnswererOptions options = {}) : key(options.key), answerer(std::move(options)) {}

  std::optional<ExchangePacket> Bytes(std::span<const std::byte> bytes, const Endpoint& from,
                                      int64_t steady_ns = 0) {
    const auto answer = answerer.Answer(
        {.bytes = bytes, .from = from, .arrived = {5000, true}, .steady_ns = steady_ns},
        [] { return int64_t{5100}; });
    if (!answer) return std::nullopt;
    return *DecodeExchange(*answer, key);
  }
  std::optional<ExchangePacket> Ask(const ExchangePacket& question,
                                    const Endpoint& from = HostAt(1, 9), int64_t steady_ns = 0) {
    return Bytes(EncodeExchange(question, key), from, steady_ns);
  }
  const AnswererCounts& counts() const { return answerer.counts(); }

  PacketKey key;
  ExchangeAnswerer answerer;
};

uint64_t SumOf(const AnswererCounts& c) {
  return c.answered + c.malformed + c.unauthenticated + c.repeated + c.misplaced + c.rate_limited;
}

TEST(SeenNumbers, TakesEachNumberOnceInAnyOrder) {
  SeenNumbers seen;
  EXPECT_TRUE(seen.Add(5));
  EXPECT_FALSE(seen.Add(5));
  EXPECT_TRUE(seen.Add(3));
  EXPECT_TRUE(seen.Add(4));
  EXPECT_FALSE(seen.Add(3));
  EXPECT_TRUE(seen.Add(5 + 63));
  EXPECT_FALSE(seen.Add(5));
  EXPECT_TRUE(seen.Add(6));
  EXPECT_TRUE(seen.Add(5 + 64));
  EXPECT_FALSE(seen.Add(5));  // too old to tell
  EXPECT_TRUE(seen.Add(UINT64_MAX));
  EXPECT_FALSE(seen.Add(UINT64_MAX));
  EXPECT_FALSE(seen.Add(0));
}

TEST(SeenNumbers, AgreesWithASetWhereThatRemembersTheLatestSixtyFour) {
  std::mt19937_64 random(11);
  SeenNumbers seen;
  std::set<uint64_t> all;
  uint64_t highest = 0;
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t number = 1 + i / 4 + random() % 100;
    const bool is_old = number + 64 <= highest;
    EXPECT_EQ(seen.Add(number), !is_old && !all.contains(number)) << i;
    all.insert(number);
    highest = std::max(highest, number);
  }
}

TEST(ExchangeAnswerer, TellsArrivalAndDepartureOnItsDistortedClock) {
  Server server({.distortion = {.offset_ns = 1'000'000}});
  const auto answer = server.Ask(Question(1));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(*answer, (ExchangePacket{.kind = Kind::kAnswer,
                                     .is_arrival_by_kernel = true,
                                     .session = 77,
                                     .number = 1,
                                     .t1_ns = 1000,
                                     .t2_ns = 5000 + 1'000'000,
                                     .t3_ns = 5100 + 1'000'000}));
}

TEST(ExchangeAnswerer, TellsTheKernelsStampInTheSessionsNextAnswer) {
  Server server({.distortion = {.offset_ns = 1'000'000}});
  server.answerer.NoteDeparture(4);  // of nothing
  server.Ask(Question(1));
  server.answerer.NoteDeparture(5120);
  EXPECT_EQ(server.Ask(Question(1, 78))->earlier_number, 0);  // another session
  const auto second = server.Ask(Question(2));
  EXPECT_EQ(second->earlier_number, 1);
  EXPECT_EQ(second->earlier_t3_ns, 5120 + 1'000'000);
  // Without a stamp of the second the third repeats the first's, whose number says so.
  EXPECT_EQ(server.Ask(Question(3))->earlier_number, 1);
  EXPECT_EQ(server.counts().departures_by_kernel, 1);
}

TEST(ExchangeAnswerer, IgnoresRepetitionsOfASession) {
  Server server;
  EXPECT_TRUE(server.Ask(Question(1)).has_value());
  EXPECT_FALSE(server.Ask(Question(1)).has_value());
  EXPECT_TRUE(
      server.Ask(Question(1), HostAt(1, 10)).has_value());  // other peers number for themselves
  EXPECT_TRUE(server.Ask(Question(1, 78)).has_value());
  EXPECT_EQ(server.counts().repeated, 1);
  EXPECT_EQ(server.counts().answered, 3);
}

TEST(ExchangeAnswerer, AnswersQuestionsToItsOwnAddressOnly) {
  const ExchangePacket question = Question(1);
  struct Case {
    Kind kind;
    bool was_to_group;
    bool serves_group;
    bool is_answered;
  };
  for (const Case& c :
       {Case{Kind::kQuestion, false, false, true}, Case{Kind::kGroupQuestion, true, true, true},
        Case{Kind::kQuestion, true, false, false}, Case{Kind::kQuestion, true, true, false},
        Case{Kind::kGroupQuestion, false, false, false},
        Case{Kind::kGroupQuestion, true, false, false},
        Case{Kind::kGroupQuestion, false, true, false}, Case{Kind::kAnswer, false, false, false},
        Case{Kind::kAnswer, true, true, false}}) {
    ExchangePacket packet = question;
    packet.kind = c.kind;
    const ExchangeBytes bytes = EncodeExchange(packet, {});
    ExchangeAnswerer answerer({});
    const auto answer = answerer.Answer({.bytes = bytes,
                                         .from = HostAt(1, 9),
                                         .was_to_group = c.was_to_group,
                                         .serves_group = c.serves_group},
                                        [] { return int64_t{0}; });
    EXPECT_EQ(answer.has_value(), c.is_answered);
    EXPECT_EQ(answerer.counts().misplaced, c.is_answered ? 0 : 1);
  }
}

TEST(ExchangeAnswerer, HoldsEachAddressToItsRateWhateverThePort) {
  Server server({.rate = {.per_second = 10, .at_once = 5}});
  uint64_t answered = 0;
  for (uint16_t i = 1; i <= 100; ++i) {
    answered += server.Ask(Question(1), HostAt(1, i)).has_value() ? 1 : 0;
  }
  EXPECT_EQ(answered, 5);
  EXPECT_EQ(server.counts().rate_limited, 95);
  EXPECT_TRUE(server.Ask(Question(1), HostAt(2, 1)).has_value());
  // 1 s later the first address has ten more, of which five at once.
  answered = 0;
  for (uint16_t i = 1; i <= 100; ++i) {
    answered += server.Ask(Question(2), HostAt(1, i), 1'000'000'000).has_value() ? 1 : 0;
  }
  EXPECT_EQ(answered, 5);
}

TEST(ExchangeAnswerer, WhatOthersSendInAHostsNameDoesNotUseUpItsRate) {
  const PacketKey key("0123456789abcdef");
  Server server({.key = key, .rate = {.per_second = 10, .at_once = 5}});
  EXPECT_TRUE(server.Ask(Question(1)).has_value());
  for (uint64_t i = 0; i < 1000; ++i) {
    server.Bytes(EncodeExchange(Question(2 + i), {}), HostAt(1, 9));  // unsigned
    server.Bytes(EncodeExchange(Question(2 + i), PacketKey("0123456789abcdeg")), HostAt(1, 9));
    server.Bytes(EncodeExchange(Question(1), key), HostAt(1, 9));  // replayed
    server.Bytes({}, HostAt(1, 9));
  }
  for (uint64_t i = 2; i <= 5; ++i) EXPECT_TRUE(server.Ask(Question(i)).has_value()) << i;
  EXPECT_FALSE(server.Ask(Question(6)).has_value());
  EXPECT_EQ(server.counts().rate_limited, 1);
}

TEST(ExchangeAnswerer, CountsEveryDatagramOnce) {
  std::mt19937_64 random(3);
  const PacketKey key("0123456789abcdef");
  Server server({.key = key, .rate = {.per_second = 100'000, .at_once = 10}});
  for (int i = 0; i < 3000; ++i) {
    ExchangePacket packet = Question(1 + random() % 500);
    packet.kind = static_cast<Kind>(1 + random() % 3);
    ExchangeBytes bytes = EncodeExchange(packet, random() % 4 == 0 ? PacketKey() : key);
    if (random() % 3 == 0) bytes[random() % bytes.size()] ^= std::byte{1} << random() % 8;
    server.Bytes(std::span(bytes).first(random() % 5 == 0 ? random() % 105 % 104 : 104),
                 HostAt(1, 9));
  }
  const AnswererCounts& c = server.counts();
  EXPECT_EQ(c.received, 3000);
  EXPECT_EQ(SumOf(c), c.received);
  for (const uint64_t count :
       {c.answered, c.malformed, c.unauthenticated, c.repeated, c.misplaced, c.rate_limited}) {
    EXPECT_GT(count, 0);
  }
}

}  // namespace
}  // namespace syncline
