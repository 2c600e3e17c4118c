#include "live/exchange/group_probe.h"

#include <algorithm>
#include <array>

#include "base/int128.h"
#include "base/try.h"
#include "record/counter/counter.h"

namespace syncline {
namespace {

const GroupAnswer* AnswerOf(const GroupRound& round, const Endpoint& host) {
  const auto found = std::ranges::find(round.answers, host, &GroupAnswer::from);
  return found == round.answers.end() ? nullptr : &*found;
}

}  // namespace

Result<GroupProbe> GroupProbe::Open(const Endpoint& group, ClientOptions options) {
  SYNCLINE_ASSIGN(auto socket, UdpSocket::Open(group.family(), options.stamps));
  SYNCLINE_ASSIGN(const auto session, RandomSession());
  return GroupProbe(std::move(socket), group, std::move(options), session);
}

Result<std::vector<GroupRound>> GroupProbe::Burst(uint32_t rounds, int64_t spacing_ns) {
  std::vector<GroupRound> burst;
  for (uint32_t i = 0; i < rounds && !was_stopped_; ++i) {
    const int64_t began = SteadyNs();
    SYNCLINE_ASSIGN(auto round, AskAll(burst.empty() ? nullptr : &burst.back()));
    burst.push_back(std::move(round));
    const int64_t left = spacing_ns - (SteadyNs() - began);
    if (i + 1 < rounds && !was_stopped_ && left > 0) {
      was_stopped_ = WaitForStop(options_.stop, left);
    }
  }
  return burst;
}

Result<GroupRound> GroupProbe::AskAll(GroupRound* before) {
  const ExchangePacket question = {.kind = ExchangePacket::Kind::kGroupQuestion,
                                   .session = session_,
                                   .number = ++number_,
                                   .t1_ns = ReadSystemNs(CLOCK_REALTIME)};
  const ExchangeBytes bytes = EncodeExchange(question, options_.key);
  ++counts_.asked;
  SYNCLINE_ASSIGN(const auto sent, socket_.Send(bytes, group_));
  GroupRound round = {.t1_ns = sent.before_ns, .number = question.number};
  SYNCLINE_TRY(Collect(question, sent, round, before));
  if (const auto departed = socket_.KernelDeparture(sent)) {
    round.t1_ns = *departed;
    for (GroupAnswer& answer : round.answers) {
      answer.exchange.t1_ns = *departed;
      answer.exchange.by_kernel.t1 = true;
    }
  }
  counts_.contradictory_stamps += socket_.TakeContradictoryStamps();
  counts_.answered += round.answers.size();
  if (round.answers.empty()) ++counts_.unanswered;
  return round;
}

Result<void> GroupProbe::Collect(const ExchangePacket& question, const UdpSocket::Sent& sent,
                                 GroupRound& round, GroupRound* before) {
  const int64_t deadline = SteadyNs() + options_.timeout_ns;
  round.t1_ns = sent.before_ns;
  std::array<std::byte, kExchangePacketBytes + 1> buffer = {};
  for (;;) {
    const int64_t left = deadline - SteadyNs();
    if (left <= 0) return {};
    SYNCLINE_ASSIGN(const auto datagram, socket_.Receive(buffer, left, options_.stop));
    if (datagram.outcome == Datagram::Outcome::kRefused) continue;
    was_stopped_ = datagram.outcome == Datagram::Outcome::kStopped;
    if (datagram.outcome != Datagram::Outcome::kArrived) return {};
    const auto bytes = std::span(buffer).first(std::min(datagram.size, buffer.size()));
    Take(datagram, bytes, question, round, before);
  }
}

bool GroupProbe::Admit(const Endpoint& place) {
  if (std::ranges::find(known_, place) != known_.end()) return true;
  if (known_.size() == kMostHosts) return false;
  known_.push_back(place);
  return true;
}

void GroupProbe::Take(const Datagram& datagram, std::span<const std::byte> bytes,
                      const ExchangePacket& question, GroupRound& round, GroupRound* before) {
  const auto answer = AcceptAnswer(bytes, options_.key, question, counts_);
  if (!answer) return;
  if (AnswerOf(round, datagram.from) != nullptr || !Admit(datagram.from)) {
    ++counts_.unexpected;
    return;
  }
  round.answers.push_back({.from = datagram.from,
                           .exchange = {.t1_ns = round.t1_ns,
                                        .t2_ns = answer->t2_ns,
                                        .t3_ns = answer->t3_ns,
                                        .t4_ns = datagram.arrived.ns,
                                        .number = answer->number,
                                        .by_kernel = {.t2 = answer->is_arrival_by_kernel,
                                                      .t4 = datagram.arrived.by_kernel}}});
  if (before == nullptr) return;
  for (GroupAnswer& earlier : before->answers) {
    if (earlier.from == datagram.from) RefineDeparture(earlier.exchange, *answer, counts_);
  }
}

ReceptionDifference CompareReceptions(std::span<const GroupRound> rounds, const Endpoint& host,
                                      const Endpoint& other) {
  ReceptionDifference result;
  Int128 sum = 0;
  for (const GroupRound& round : rounds) {
    const GroupAnswer* a = AnswerOf(round, host);
    const GroupAnswer* b = AnswerOf(round, other);
    if (a == nullptr || b == nullptr) continue;
    const int64_t difference = Saturate(static_cast<Int128>(a->exchange.t2_ns) - b->exchange.t2_ns);
    sum += difference;
    result.least_ns = result.rounds == 0 ? difference : std::min(result.least_ns, difference);
    result.largest_ns = result.rounds == 0 ? difference : std::max(result.largest_ns, difference);
    ++result.rounds;
  }
  if (result.rounds > 0) {
    result.mean_ns = Saturate(FloorDiv(sum, static_cast<Int128>(result.rounds)));
  }
  return result;
}

}  // namespace syncline
