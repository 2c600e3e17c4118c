#include "live/exchange/exchange_answerer.h"

namespace syncline {
namespace {

constexpr size_t kSets = 256;

bool IsQuestionFor(const ExchangePacket& packet, const ExchangeAnswerer::Arrival& arrival) {
  if (arrival.was_to_group != arrival.serves_group) return false;
  return packet.kind == (arrival.serves_group ? ExchangePacket::Kind::kGroupQuestion
                                              : ExchangePacket::Kind::kQuestion);
}

}  // namespace

bool SeenNumbers::Add(uint64_t number) {
  if (number > highest_) {
    const uint64_t ahead = number - highest_;
    seen_ = ahead < 64 ? seen_ << ahead | 1 : 1;
    highest_ = number;
    return true;
  }
  const uint64_t behind = highest_ - number;
  if (behind >= 64 || (seen_ >> behind & 1) != 0) return false;
  seen_ |= uint64_t{1} << behind;
  return true;
}

ExchangeAnswerer::ExchangeAnswerer(AnswererOptions options)
    : options_(std::move(options)), rates_(kSets), sessions_(kSets) {}

std::optional<ExchangePacket> ExchangeAnswerer::Prepare(const Arrival& arrival) {
  ++counts_.received;
  const auto ignore = [](uint64_t& count) {
    ++count;
    return std::nullopt;
  };
  const auto question = DecodeExchange(arrival.bytes, options_.key);
  if (!question) {
    return ignore(question.error() == PacketRefusal::kMalformed ? counts_.malformed
                                                                : counts_.unauthenticated);
  }
  if (!IsQuestionFor(*question, arrival)) return ignore(counts_.misplaced);
  SessionKey key = {arrival.from, question->session};
  Session& session = sessions_.At(key);
  if (!session.seen.Add(question->number)) return ignore(counts_.repeated);
  // Last, so that what others send in a host's name does not use up its rate.
  if (!rates_.At({arrival.from}).Take(options_.rate, arrival.steady_ns)) {
    return ignore(counts_.rate_limited);
  }
  ++counts_.answered;
  if (arrival.arrived.by_kernel) ++counts_.arrivals_by_kernel;
  latest_ = std::move(key);
  latest_number_ = question->number;
  return ExchangePacket{.kind = ExchangePacket::Kind::kAnswer,
                        .is_arrival_by_kernel = arrival.arrived.by_kernel,
                        .session = question->session,
                        .number = question->number,
                        .t1_ns = question->t1_ns,
                        .t2_ns = options_.distortion.Shown(arrival.arrived.ns),
                        .earlier_number = session.answered_number,
                        .earlier_t3_ns = session.departed_ns};
}

void ExchangeAnswerer::NoteDeparture(int64_t kernel_ns) {
  if (latest_number_ == 0) return;
  Session& session = sessions_.At(latest_);
  session.answered_number = latest_number_;
  session.departed_ns = options_.distortion.Shown(kernel_ns);
  ++counts_.departures_by_kernel;
}

}  // namespace syncline
