#include "live/exchange/exchange_client.h"

#include <algorithm>
#include <array>
#include <utility>

#include <sys/random.h>

#include "base/try.h"
#include "record/counter/counter.h"

namespace syncline {
namespace {

// One byte more than a packet, so that longer ones are seen to be.
using ReceiveBuffer = std::array<std::byte, kExchangePacketBytes + 1>;

}  // namespace

Result<uint64_t> RandomSession() {
  uint64_t session = 0;
  if (::getrandom(&session, sizeof session, 0) == sizeof session) return session;
  return Fail(ErrorCode::kUnreadable, "the system gives no random numbers");
}

Result<ExchangeClient> ExchangeClient::Connect(const Endpoint& peer, ClientOptions options) {
  SYNCLINE_ASSIGN(auto socket, UdpSocket::Connect(peer, options.stamps));
  SYNCLINE_ASSIGN(const auto session, RandomSession());
  return ExchangeClient(std::move(socket), std::move(options), session);
}

Result<std::vector<ClockExchange>> ExchangeClient::Burst(uint32_t exchanges, int64_t spacing_ns) {
  std::vector<ClockExchange> burst;
  for (uint32_t i = 0; i < exchanges && !was_stopped_; ++i) {
    const int64_t began = SteadyNs();
    SYNCLINE_ASSIGN(const auto answered, AskOnce());
    if (answered) {
      if (!burst.empty()) RefineDeparture(burst.back(), answered->answer, counts_);
      burst.push_back(answered->exchange);
    }
    if (i + 1 == exchanges || was_stopped_) break;
    const int64_t left = spacing_ns - (SteadyNs() - began);
    if (left > 0) was_stopped_ = WaitForStop(options_.stop, left);
  }
  return burst;
}

Result<std::optional<ExchangeClient::Answered>> ExchangeClient::AskOnce() {
  const ExchangePacket question = {.kind = ExchangePacket::Kind::kQuestion,
                                   .session = session_,
                                   .number = ++number_,
                                   .t1_ns = ReadSystemNs(CLOCK_REALTIME)};
  const ExchangeBytes bytes = EncodeExchange(question, options_.key);
  ++counts_.asked;
  SYNCLINE_ASSIGN(const auto sent, socket_.Send(bytes));
  if (sent.refused) {
    ++counts_.unanswered;
    ++counts_.refused;
    return std::nullopt;
  }
  auto answered = AwaitAnswer(question, sent);
  if (answered) ++(*answered ? counts_.answered : counts_.unanswered);
  return answered;
}

Result<std::optional<ExchangeClient::Answered>> ExchangeClient::AwaitAnswer(
    const ExchangePacket& question, const UdpSocket::Sent& sent) {
  const int64_t deadline = SteadyNs() + options_.timeout_ns;
  ReceiveBuffer buffer = {};
  for (;;) {
    const int64_t left = std::max<int64_t>(0, deadline - SteadyNs());
    SYNCLINE_ASSIGN(const auto datagram, socket_.Receive(buffer, left, options_.stop));
    if (datagram.outcome != Datagram::Outcome::kArrived) {
      was_stopped_ = datagram.outcome == Datagram::Outcome::kStopped;
      if (datagram.outcome == Datagram::Outcome::kRefused) ++counts_.refused;
      return std::nullopt;
    }
    const auto size = std::min(datagram.size, buffer.size());
    const auto answer =
        AcceptAnswer(std::span(buffer).first(size), options_.key, question, counts_);
    if (!answer && left > 0) continue;
    if (!answer) return std::nullopt;
    const auto departed = socket_.KernelDeparture(sent);
    counts_.contradictory_stamps += socket_.TakeContradictoryStamps();
    return Answered{.exchange = {.t1_ns = departed.value_or(sent.before_ns),
                                 .t2_ns = answer->t2_ns,
                                 .t3_ns = answer->t3_ns,
                                 .t4_ns = datagram.arrived.ns,
                                 .number = answer->number,
                                 .by_kernel = {.t1 = departed.has_value(),
                                               .t2 = answer->is_arrival_by_kernel,
                                               .t4 = datagram.arrived.by_kernel}},
                    .answer = *answer};
  }
}

std::optional<ExchangePacket> AcceptAnswer(std::span<const std::byte> bytes, const PacketKey& key,
                                           const ExchangePacket& question, ClientCounts& counts) {
  const auto packet = DecodeExchange(bytes, key);
  if (!packet) {
    ++(packet.error() == PacketRefusal::kMalformed ? counts.malformed : counts.unauthenticated);
    return std::nullopt;
  }
  if (packet->kind == ExchangePacket::Kind::kAnswer && packet->session == question.session &&
      packet->number == question.number && packet->t1_ns == question.t1_ns) {
    return *packet;
  }
  ++counts.unexpected;
  return std::nullopt;
}

void RefineDeparture(ClockExchange& earlier, const ExchangePacket& later, ClientCounts& counts) {
  if (later.earlier_number == 0 || earlier.number != later.earlier_number) return;
  ClockExchange refined = earlier;
  refined.t3_ns = later.earlier_t3_ns;
  refined.by_kernel.t3 = true;
  if (refined.t3_ns < earlier.t3_ns || (OffsetOf(earlier) && !OffsetOf(refined))) {
    ++counts.contradictory_stamps;
    return;
  }
  earlier = refined;
}

}  // namespace syncline
