#include "match/copy_resolver.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "match/match_test_util.h"

namespace syncline {
namespace {

struct CopySpec {
  uint16_t capture = 0;
  CopyDirection direction = CopyDirection::kUnknown;
  uint8_t hop_limit = 64;
  uint64_t strict = 1;
  uint32_t length = 0;  // above 0: a TCP segment with data
  bool is_group = false;
  bool concerns_host = false;
  bool has_id = true;
};

struct CopyCase {
  std::string name;
  std::vector<CopySpec> copies;  // packet numbers are the places here
  std::vector<Found> messages;
  std::vector<PacketFate> fates;  // of the copies, sorted
  size_t broadcasts = 0;
};

PacketRecord RecordOf(const CopySpec& c, uint32_t index) {
  PacketRecord r;
  r.strict = c.strict;
  r.capture = c.capture;
  r.index_low = index;
  r.time = 1000 + index;
  r.hop_limit = c.hop_limit;
  r.direction_bits = static_cast<uint32_t>(c.direction) & 3;
  r.payload_length = c.length & 0xffff;
  r.is_mergeable = c.length > 0 ? 1 : 0;
  r.is_group = c.is_group ? 1 : 0;
  r.concerns_host = c.concerns_host ? 1 : 0;
  r.has_id = c.has_id ? 1 : 0;
  return r;
}

void Check(const CopyCase& c, const std::vector<uint32_t>& order) {
  // Captures 0 … 3 on clocks of their own, capture 4 on the clock of capture 0.
  std::vector<CaptureOrigin> origins;
  for (uint32_t i = 0; i < 4; ++i) origins.push_back({ProcessId(i), ClockId(i)});
  origins.push_back({ProcessId(4), ClockId(0)});
  CollectingSink sink;
  MatchLedger ledger(origins, sink);
  DirectionByTiming timing;
  CopyResolver resolver(ledger, timing);
  std::vector<PacketRecord> records;
  records.reserve(order.size());
  for (const uint32_t i : order) records.push_back(RecordOf(c.copies[i], i));
  ASSERT_TRUE(resolver.Resolve(records));
  ASSERT_TRUE(timing.Finish(ledger));
  const PacketMatchCounts counts = ledger.TakeCounts();
  EXPECT_EQ(sink.messages, (std::set<Found>(c.messages.begin(), c.messages.end())));
  EXPECT_EQ(sink.broadcasts.size(), c.broadcasts);
  std::vector<PacketFate> fates;
  for (size_t f = 0; f < kPacketFates; ++f) {
    for (const auto& capture : counts.captures) {
      fates.insert(fates.end(), capture.by_fate[f], static_cast<PacketFate>(f));
    }
  }
  EXPECT_EQ(fates, c.fates);
}

std::vector<CopyCase> Cases() {
  using enum CopyDirection;
  using enum PacketFate;
  return {
      {"one copy", {{0, kOut}}, {}, {kUnmatchedSend}},
      {"sent and received", {{0, kOut}, {1, kIn}}, {{0, 0, 1, 1}}, {kMatched, kMatched}},
      {"received before it was sent",
       {{0, kOut, 60}, {1, kIn, 64}},
       {},
       {kUnmatchedSend, kUnmatchedReceive}},
      {"two sent", {{0, kOut}, {1, kOut}}, {}, {kSameHost, kSameHost}},
      {"two received", {{0, kIn}, {1, kIn}}, {}, {kSameHost, kSameHost}},
      {"two sent, one received",
       {{0, kOut}, {1, kOut}, {2, kIn}},
       {},
       {kUnmatchedReceive, kSameHost, kSameHost}},
      {"twice in one capture",
       {{0, kOut}, {0, kOut}, {1, kIn}},
       {},
       {kAmbiguous, kAmbiguous, kAmbiguous}},
      {"a router between",
       {{0, kOut, 64}, {1, kIn, 64}, {1, kOut, 63}, {2, kIn, 63}},
       {{0, 0, 1, 1}, {1, 2, 2, 3}},
       {kMatched, kMatched, kMatched, kMatched}},
      {"a router whose output was not captured",
       {{0, kOut, 64}, {1, kIn, 64}, {2, kIn, 63}},
       {{0, 0, 1, 1}, {0, 0, 2, 2}},
       {kMatched, kMatched, kMatched}},
      {"two captures of the sender's clock",
       {{0, kOut}, {4, kOut}, {1, kIn}},
       {{4, 1, 1, 2}},
       {kMatched, kMatched, kSameClock}},
      {"two captures of the receiver's clock",
       {{0, kIn}, {4, kIn}, {1, kOut}},
       {{1, 2, 0, 0}},
       {kMatched, kMatched, kSameClock}},
      {"only one clock", {{0, kOut}, {4, kOut}}, {}, {kUnmatchedSend, kSameClock}},
      {"unknown beside sent", {{0, kOut}, {1}}, {{0, 0, 1, 1}}, {kMatched, kMatched}},
      {"unknown beside received may be of other hosts",
       {{0}, {1, kIn}},
       {},
       {kUnmatchedReceive, kDirectionUnknown}},
      {"unknown beside received, but of its host",
       {{.capture = 0, .concerns_host = true}, {1, kIn}},
       {{0, 0, 1, 1}},
       {kMatched, kMatched}},
      {"unknown, nearer to the sender",
       {{0, kUnknown, 64}, {1, kIn, 63}},
       {{0, 0, 1, 1}},
       {kMatched, kMatched}},
      {"both unknown, hop limits tell",
       {{0, kUnknown, 62}, {1, kUnknown, 63}},
       {{1, 1, 0, 0}},
       {kMatched, kMatched}},
      {"both unknown", {{0}, {1}}, {}, {kDirectionUnknown, kDirectionUnknown}},
      {"unknown between known ones",
       {{0, kOut}, {1}, {2, kIn}},
       {{0, 0, 2, 2}},
       {kMatched, kMatched, kDirectionUnknown}},
      {"broadcast",
       {{.capture = 0, .direction = kOut, .is_group = true},
        {.capture = 1, .direction = kIn, .is_group = true},
        {.capture = 2, .direction = kIn, .is_group = true}},
       {{0, 0, 1, 1}, {0, 0, 2, 2}},
       {kMatched, kMatched, kMatched},
       1},
      {"broadcast, seen as such by the receivers only",
       {{0, kOut},
        {.capture = 1, .direction = kIn, .is_group = true},
        {.capture = 2, .direction = kIn, .is_group = true}},
       {{0, 0, 1, 1}, {0, 0, 2, 2}},
       {kMatched, kMatched, kMatched},
       1},
      {"broadcast to unknown receivers",
       {{.capture = 0, .direction = kOut, .is_group = true},
        {.capture = 1, .is_group = true},
        {.capture = 2, .is_group = true}},
       {{0, 0, 1, 1}, {0, 0, 2, 2}},
       {kMatched, kMatched, kMatched},
       1},
      {"broadcast with unknown sender",
       {{.capture = 0, .is_group = true},
        {.capture = 1, .direction = kIn, .is_group = true},
        {.capture = 2, .direction = kIn, .is_group = true}},
       {},
       {kBroadcastOnly, kBroadcastOnly, kDirectionUnknown},
       1},
      {"receivers behind a router are another broadcast",
       {{.capture = 0, .direction = kIn, .hop_limit = 4, .is_group = true},
        {.capture = 1, .direction = kIn, .hop_limit = 4, .is_group = true},
        {.capture = 2, .direction = kIn, .hop_limit = 3, .is_group = true}},
       {},
       {kBroadcastOnly, kBroadcastOnly, kUnmatchedReceive},
       1},
      {"merged", {{0, kOut, 64, 1, 10}, {1, kIn, 64, 2, 30}}, {{0, 0, 1, 1}}, {kMatched, kMatched}},
      {"same length, other bytes",
       {{0, kOut, 64, 1, 10}, {1, kIn, 64, 2, 10}},
       {},
       {kUnmatchedSend, kUnmatchedReceive}},
      {"merged, but two end alike",
       {{0, kOut, 64, 1, 10}, {0, kOut, 64, 2, 20}, {1, kIn, 64, 3, 30}},
       {},
       {kUnmatchedSend, kUnmatchedSend, kUnmatchedReceive}},
      {"equal ones match beside one that ends alike",
       {{0, kOut, 64, 1, 10}, {0, kOut, 64, 2, 20}, {1, kIn, 64, 2, 20}},
       {{0, 1, 1, 2}},
       {kMatched, kMatched, kUnmatchedSend}},
      {"without ids they do not",
       {{.capture = 0, .direction = kOut, .strict = 1, .length = 10, .has_id = false},
        {.capture = 0, .direction = kOut, .strict = 2, .length = 20, .has_id = false},
        {.capture = 1, .direction = kIn, .strict = 2, .length = 20, .has_id = false}},
       {},
       {kAmbiguous, kAmbiguous, kAmbiguous}},
  };
}

TEST(CopyResolver, ResolvesInAnyOrderOfCopies) {
  for (const CopyCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    std::vector<uint32_t> order(c.copies.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    do {
      Check(c, order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

}  // namespace
}  // namespace syncline
