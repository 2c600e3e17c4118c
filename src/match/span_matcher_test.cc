#include "match/span_matcher.h"

#include <utility>

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Times = std::pair<int64_t, int64_t>;

class PairCollector : public MessageSink {
 public:
  void OnMessage(const Message& m) override {
    times.emplace_back(m.send.time.ticks, m.receive.time.ticks);
  }
  void OnBroadcast(const Broadcast& /*broadcast*/) override {}
  std::vector<Times> times;  // sent, received
};

// A span of trace 1 on a machine.
SpanToMatch SpanOf(uint64_t id, uint64_t parent, SpanKind kind, uint32_t clock, int64_t start,
                   int64_t end) {
  SpanToMatch span;
  span.key = {0, 1, id};
  if (parent != 0) span.parent = {0, 1, parent};
  span.kind = kind;
  span.clock = ClockId(clock);
  span.start = {ProcessId(clock), 2 * id, {start}};
  span.end = {ProcessId(clock), 2 * id + 1, {end}};
  span.has_start = span.has_end = true;
  return span;
}
SpanToMatch Client(uint64_t id, int64_t start, int64_t end, int16_t http_status = 200) {
  SpanToMatch span = SpanOf(id, 0, SpanKind::kClient, 0, start, end);
  span.http_status = http_status;
  return span;
}
SpanToMatch Server(uint64_t id, uint64_t parent, int64_t start, int64_t end) {
  return SpanOf(id, parent, SpanKind::kServer, 1, start, end);
}

struct Matched {
  std::vector<Times> certain, implied, likely;
  SpanMatchCounts counts;
  Diagnostics diagnostics;
};

Matched Match(const std::vector<SpanToMatch>& spans, const std::vector<SpanLink>& links = {}) {
  PairCollector certain, implied, likely;
  Matched matched;
  matched.counts = MatchSpans(spans, links, {certain, implied, likely}, matched.diagnostics);
  matched.certain = certain.times;
  matched.implied = implied.times;
  matched.likely = likely.times;
  return matched;
}

TEST(SpanMatcher, AnAnsweredCallIsAMessageEachWay) {
  const Matched m = Match({Client(1, 100, 200), Server(2, 1, 130, 180)});
  EXPECT_THAT(m.certain, ElementsAre(Times(100, 130)));
  EXPECT_THAT(m.implied, ElementsAre(Times(130, 200)));
  EXPECT_THAT(m.likely, ElementsAre(Times(180, 200)));
  EXPECT_TRUE(m.diagnostics.all().empty());
}

TEST(SpanMatcher, ACallWithoutSignOfAnAnswerOnlyBegins) {
  SpanToMatch other_system = Client(1, 100, 200, 0);
  SpanToMatch failed = other_system;
  failed.is_rpc = failed.is_error = true;
  SpanToMatch timed_out = Client(1, 100, 200, 200);
  timed_out.grpc_status = 4;
  for (const SpanToMatch& client : {other_system, failed, timed_out}) {
    const Matched m = Match({client, Server(2, 1, 130, 180)});
    EXPECT_THAT(m.certain, ElementsAre(Times(100, 130)));
    EXPECT_THAT(m.implied, IsEmpty());
    EXPECT_THAT(m.likely, IsEmpty());
    EXPECT_EQ(m.diagnostics.count("calls-unanswered"), 1U);
  }
}

TEST(SpanMatcher, OnlyGrpcsOwnStatusProvesThatARemoteCallWasAnswered) {
  SpanToMatch client = Client(1, 100, 200, 0);
  client.is_grpc = client.is_rpc = true;
  client.grpc_status = 0;
  EXPECT_THAT(Match({client, Server(2, 1, 130, 180)}).implied, ElementsAre(Times(130, 200)));
  SpanToMatch without_status = client;
  without_status.grpc_status = -1;
  SpanToMatch other_system = client;
  other_system.is_grpc = false;
  // One way, it would have ended as well.
  SpanToMatch carried_by_http = other_system;
  carried_by_http.grpc_status = -1;
  carried_by_http.http_status = 200;
  for (const SpanToMatch& maybe : {without_status, other_system, carried_by_http}) {
    const Matched m = Match({maybe, Server(2, 1, 130, 180)});
    EXPECT_THAT(m.implied, IsEmpty());
    EXPECT_THAT(m.likely, ElementsAre(Times(180, 200)));
    EXPECT_EQ(m.diagnostics.count("answers-uncertain"), 1U);
  }
}

TEST(SpanMatcher, AStatusThatAProxyGivesIsNoAnswerOfTheServer) {
  for (const auto status : std::to_array<int16_t>({202, 408, 499, 502, 503, 504})) {
    const Matched m = Match({Client(1, 100, 200, status), Server(2, 1, 130, 180)});
    EXPECT_THAT(m.certain, ElementsAre(Times(100, 130)));
    EXPECT_THAT(m.implied, IsEmpty());
    EXPECT_EQ(m.diagnostics.count("answers-of-proxies"), 1U);
  }
  EXPECT_EQ(Match({Client(1, 100, 200, 500), Server(2, 1, 130, 180)}).implied.size(), 1U);
}

TEST(SpanMatcher, OfACallThatWasRetriedNoServerIsTheOneThatAnswered) {
  const Matched m = Match({Client(1, 100, 200), Server(2, 1, 130, 180), Server(3, 1, 150, 190)});
  EXPECT_THAT(m.certain, ElementsAre(Times(100, 130), Times(100, 150)));
  EXPECT_THAT(m.implied, IsEmpty());
  EXPECT_EQ(m.diagnostics.count("calls-with-several-servers"), 2U);
}

TEST(SpanMatcher, TheEndOfAServerThatWentOnIsLeftOut) {
  SpanToMatch broken_off = Client(1, 100, 200, 200);
  broken_off.is_error = true;
  const Matched m = Match({broken_off, Server(2, 1, 130, 180)});
  EXPECT_THAT(m.implied, ElementsAre(Times(130, 200)));
  EXPECT_THAT(m.likely, IsEmpty());
  EXPECT_EQ(m.diagnostics.count("calls-broken-off"), 1U);
  // Whatever the clocks show, it ran longer than the client waited.
  const Matched longer = Match({Client(1, 100, 200), Server(2, 1, 5000, 5101)});
  EXPECT_THAT(longer.implied, ElementsAre(Times(5000, 200)));
  EXPECT_THAT(longer.likely, IsEmpty());
  EXPECT_EQ(longer.diagnostics.count("late-ends"), 1U);
}

TEST(SpanMatcher, AnEndBeforeTheStartSaysNothing) {
  const Matched client = Match({Client(1, 100, 90), Server(2, 1, 130, 180)});
  EXPECT_THAT(client.certain, ElementsAre(Times(100, 130)));
  EXPECT_THAT(client.implied, IsEmpty());
  EXPECT_THAT(client.likely, IsEmpty());
  const Matched server = Match({Client(1, 100, 200), Server(2, 1, 130, 120)});
  EXPECT_THAT(server.implied, ElementsAre(Times(130, 200)));
  EXPECT_THAT(server.likely, IsEmpty());
  SpanToMatch fetch = SpanOf(2, 1, SpanKind::kConsumer, 1, 130, 120);
  fetch.is_reception = true;
  EXPECT_THAT(Match({SpanOf(1, 0, SpanKind::kProducer, 0, 100, 110), fetch}).certain, IsEmpty());
}

TEST(SpanMatcher, ASpanOnTheSameClockIsNoMessage) {
  const Matched m = Match({SpanOf(1, 0, SpanKind::kServer, 0, 100, 200),
                           SpanOf(2, 1, SpanKind::kInternal, 0, 130, 180)});
  EXPECT_THAT(m.certain, IsEmpty());
  EXPECT_EQ(m.counts.unmatched_receives, 0U);
}

TEST(SpanMatcher, AChildOfAnyKindOnAnotherMachineBeginsAfterItsParent) {
  const Matched m = Match({SpanOf(1, 0, SpanKind::kInternal, 0, 100, 200),
                           SpanOf(2, 1, SpanKind::kInternal, 1, 130, 500)});
  EXPECT_THAT(m.certain, ElementsAre(Times(100, 130)));
  EXPECT_THAT(m.implied, IsEmpty());
}

TEST(SpanMatcher, ConsumersFollowTheirProducersByParentOrLink) {
  const SpanToMatch producer = SpanOf(1, 0, SpanKind::kProducer, 0, 100, 900);
  const SpanToMatch child = SpanOf(2, 1, SpanKind::kConsumer, 1, 130, 180);
  const SpanToMatch linked = SpanOf(3, 0, SpanKind::kConsumer, 1, 140, 180);
  const Matched m = Match({producer, child, linked}, {{1, producer.key}, {2, producer.key}});
  EXPECT_THAT(m.certain, ElementsAre(Times(100, 130), Times(100, 140)));
}

TEST(SpanMatcher, AConsumerThatWaitsForMessagesOnlyEndsAfterThem) {
  const SpanToMatch producer = SpanOf(1, 0, SpanKind::kProducer, 0, 100, 110);
  SpanToMatch waiting = SpanOf(2, 0, SpanKind::kConsumer, 1, 20, 180);
  waiting.is_reception = true;
  EXPECT_THAT(Match({producer, waiting}, {{1, producer.key}}).certain,
              ElementsAre(Times(100, 180)));
}

TEST(SpanMatcher, WhatFetchesMessagesOnlyEndsAfterThemWhateverItsKind) {
  const SpanToMatch producer = SpanOf(1, 0, SpanKind::kProducer, 0, 100, 110);
  SpanToMatch child = SpanOf(2, 1, SpanKind::kClient, 1, 20, 180);
  SpanToMatch linked = SpanOf(3, 0, SpanKind::kClient, 1, 30, 190);
  child.is_reception = linked.is_reception = true;
  EXPECT_THAT(Match({producer, child, linked}, {{2, producer.key}}).certain,
              ElementsAre(Times(100, 180), Times(100, 190)));
}

TEST(SpanMatcher, LinksOfOthersSayNothing) {
  const SpanToMatch server = SpanOf(1, 0, SpanKind::kServer, 0, 100, 110);
  const SpanToMatch consumer = SpanOf(2, 0, SpanKind::kConsumer, 1, 20, 180);
  EXPECT_THAT(Match({server, consumer}, {{1, server.key}, {0, consumer.key}}).certain, IsEmpty());
}

TEST(SpanMatcher, ALinkToAnIdThatSeveralSpansHaveSaysNothing) {
  const SpanToMatch producer = SpanOf(1, 0, SpanKind::kProducer, 0, 100, 110);
  const SpanToMatch other = SpanOf(1, 0, SpanKind::kProducer, 1, 150, 160);
  const SpanToMatch consumer = SpanOf(2, 0, SpanKind::kConsumer, 2, 140, 180);
  for (const auto& spans : {std::vector{consumer, producer, other}, {consumer, other, producer}}) {
    const Matched m = Match(spans, {{0, producer.key}});
    EXPECT_THAT(m.certain, IsEmpty());
    EXPECT_EQ(m.diagnostics.count("span-ids-ambiguous"), 1U);
  }
}

TEST(SpanMatcher, SpansThatCameTwiceCountOnce) {
  const Matched m = Match(
      {Client(1, 100, 200), Server(2, 1, 130, 180), Client(1, 100, 200), Server(2, 1, 130, 180)});
  EXPECT_EQ(m.certain.size(), 1U);
  EXPECT_EQ(m.implied.size(), 1U);
  EXPECT_EQ(m.diagnostics.count("duplicate-spans"), 2U);
}

TEST(SpanMatcher, LinksOfSpansThatCameTwiceCountOnce) {
  const SpanToMatch producer = SpanOf(1, 0, SpanKind::kProducer, 0, 100, 110);
  const SpanToMatch consumer = SpanOf(2, 0, SpanKind::kConsumer, 1, 140, 180);
  const Matched m =
      Match({producer, consumer, producer, consumer}, {{1, producer.key}, {3, producer.key}});
  EXPECT_THAT(m.certain, ElementsAre(Times(100, 140)));
  EXPECT_EQ(m.counts.unmatched_sends, 0U);
}

TEST(SpanMatcher, BothSidesThatShareAnIdMayComeTwice) {
  const std::vector<SpanToMatch> once = {Client(1, 100, 200), Server(1, 0, 130, 180)};
  const Matched m = Match({once[0], once[1], once[0], once[1]});
  EXPECT_THAT(m.certain, ElementsAre(Times(100, 130)));
  EXPECT_THAT(m.implied, ElementsAre(Times(130, 200)));
  EXPECT_EQ(m.diagnostics.count("duplicate-spans"), 2U);
}

TEST(SpanMatcher, BothSidesOfACallMayShareTheirId) {
  const SpanToMatch server = Server(1, 0, 130, 180);
  const SpanToMatch child = SpanOf(3, 1, SpanKind::kInternal, 2, 150, 160);
  const Matched m = Match({server, Client(1, 100, 200), child});
  EXPECT_THAT(m.certain, ElementsAre(Times(100, 130), Times(130, 150)));
  EXPECT_THAT(m.implied, ElementsAre(Times(130, 200)));
}

TEST(SpanMatcher, AServerThatSharesItsIdWithSeveralClientsIsNoOnes) {
  const SpanToMatch client = Client(1, 100, 200);
  const SpanToMatch other = SpanOf(1, 0, SpanKind::kClient, 2, 210, 300);
  const SpanToMatch server = Server(1, 0, 230, 280);
  for (const auto& spans : {std::vector{client, server, other}, {other, client, server}}) {
    const Matched m = Match(spans);
    EXPECT_THAT(m.certain, IsEmpty());
    EXPECT_THAT(m.implied, IsEmpty());
    EXPECT_EQ(m.counts.unmatched_receives, 1U);
    EXPECT_EQ(m.diagnostics.count("span-ids-ambiguous"), 1U);
  }
}

TEST(SpanMatcher, AChildBesideOneOfSeveralSpansOfAnIdIsItsChild) {
  // As a connection that a client makes before its request is out.
  const SpanToMatch client = Client(1, 100, 200);
  const SpanToMatch server = Server(1, 0, 130, 180);
  const SpanToMatch connect = SpanOf(3, 1, SpanKind::kInternal, 0, 110, 120);
  for (const auto& spans : {std::vector{client, server, connect}, {connect, server, client}}) {
    const Matched m = Match(spans);
    EXPECT_THAT(m.certain, ElementsAre(Times(100, 130)));
    EXPECT_EQ(m.counts.unmatched_receives, 0U);
    EXPECT_EQ(m.diagnostics.count("span-ids-ambiguous"), 0U);
  }
}

TEST(SpanMatcher, AParentsIdThatSeveralSpansOfOtherMachinesHaveSaysNothing) {
  const SpanToMatch one = SpanOf(1, 0, SpanKind::kInternal, 0, 100, 200);
  const SpanToMatch other = SpanOf(1, 0, SpanKind::kInternal, 1, 110, 200);
  const SpanToMatch one_server = Server(4, 0, 100, 200);
  const SpanToMatch other_server = SpanOf(4, 0, SpanKind::kServer, 0, 110, 200);
  const Matched m =
      Match({one, other, one_server, other_server, SpanOf(2, 1, SpanKind::kInternal, 2, 130, 180),
             SpanOf(3, 4, SpanKind::kInternal, 2, 130, 180)});
  EXPECT_THAT(m.certain, IsEmpty());
  EXPECT_EQ(m.counts.unmatched_receives, 2U);
  EXPECT_EQ(m.diagnostics.count("span-ids-ambiguous"), 2U);
}

TEST(SpanMatcher, WhatMissesItsPartnerIsCounted) {
  const Matched m = Match({Client(1, 100, 200), Server(2, 7, 130, 180)});
  EXPECT_EQ(m.counts.unmatched_sends, 1U);
  EXPECT_EQ(m.counts.unmatched_receives, 1U);
}

}  // namespace
}  // namespace syncline
