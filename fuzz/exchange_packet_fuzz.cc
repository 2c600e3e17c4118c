// Takes any bytes as a datagram, and holds the packets of exchanges and what answers them to:
// - a packet that is read is written as the same bytes;
// - with a key nothing is read that was not signed with it, and signed packets are read;
// - a datagram is answered at most once, at its own length, and counted once;
// - what asks takes only an answer to its own question.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "live/exchange/exchange_answerer.h"
#include "live/exchange/exchange_client.h"

namespace syncline {
namespace {

void CheckReading(std::span<const std::byte> bytes) {
  const auto packet = DecodeExchange(bytes, {});
  if (!packet) return;
  const ExchangeBytes again = EncodeExchange(*packet, {});
  SYNCLINE_CHECK(std::equal(bytes.begin(), bytes.end(), again.begin(), again.end()));
  const PacketKey key("0123456789abcdef");
  SYNCLINE_CHECK(!DecodeExchange(bytes, key));
  SYNCLINE_CHECK(DecodeExchange(EncodeExchange(*packet, key), key) == *packet);
}

void CheckAnswering(std::span<const std::byte> bytes, bool to_group) {
  ExchangeAnswerer answerer({.distortion = {.offset_ns = 5, .drift_ppb = 7}});
  const ExchangeAnswerer::Arrival arrival = {.bytes = bytes,
                                             .arrived = {INT64_MAX, true},
                                             .was_to_group = to_group,
                                             .serves_group = to_group};
  const auto now = [] { return INT64_MIN; };
  const auto answer = answerer.Answer(arrival, now);
  if (answer) {
    SYNCLINE_CHECK(answer->size() == bytes.size());
    SYNCLINE_CHECK(DecodeExchange(*answer, {}).has_value());
    answerer.NoteDeparture(INT64_MAX);
  }
  SYNCLINE_CHECK(!answerer.Answer(arrival, now));
  const AnswererCounts& c = answerer.counts();
  SYNCLINE_CHECK(c.received == 2 && c.answered == (answer ? 1 : 0));
  SYNCLINE_CHECK(c.received == c.answered + c.malformed + c.unauthenticated + c.repeated +
                                   c.misplaced + c.rate_limited);
}

void CheckAsking(std::span<const std::byte> bytes) {
  const ExchangePacket question = {.session = 0x0102030405060708, .number = 1, .t1_ns = 1000};
  ClientCounts counts;
  const auto answer = AcceptAnswer(bytes, {}, question, counts);
  SYNCLINE_CHECK(counts.malformed + counts.unauthenticated + counts.unexpected == (answer ? 0 : 1));
  if (!answer) return;
  ClockExchange exchange = {1000, answer->t2_ns, answer->t3_ns, 2000, answer->number};
  const auto before = OffsetOf(exchange);
  RefineDeparture(exchange, *answer, counts);
  SYNCLINE_CHECK(!before || OffsetOf(exchange));
  FiguresOf(std::span(&exchange, 1));
}

}  // namespace
}  // namespace syncline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  syncline::CheckReading(bytes);
  syncline::CheckAnswering(bytes, false);
  syncline::CheckAnswering(bytes, true);
  syncline::CheckAsking(bytes);
  return 0;
}
