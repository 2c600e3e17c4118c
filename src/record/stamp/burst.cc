#include "record/stamp/burst.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/int128.h"
#include "record/counter/round_trips.h"
#include "record/stamp/thread_log.h"

namespace syncline {
namespace {

constexpr uint64_t kMagic = 0x315453525542'4C53;  // "SLBURST1"

void Put(std::span<std::byte> bytes, uint64_t value) {
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(value & 0xFF);
    value >>= 8;
  }
}

uint64_t Take(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint64_t>(bytes[i]);
  return value;
}

bool Send(const syncline_stamp_channel& channel, const BurstPacket& packet) {
  const auto bytes = Encode(packet);
  return channel.send(channel.context, bytes.data(), bytes.size()) == 0;
}

// What arrived, and the counter when it had.
struct Arrival {
  int status = SYNCLINE_STAMP_OK;
  BurstPacket packet;
  int64_t ticks = 0;
};

Arrival Receive(const syncline_stamp_channel& channel, const ThreadLog& log,
                BurstPacket::Kind kind) {
  std::array<std::byte, kBurstPacketBytes> bytes = {};
  if (channel.receive(channel.context, bytes.data(), bytes.size()) != 0) {
    return {.status = SYNCLINE_STAMP_CHANNEL_FAILED};
  }
  Arrival arrival = {.ticks = log.ReadTicks()};
  const auto packet = DecodeBurstPacket(bytes);
  if (!packet || packet->kind != kind) return {.status = SYNCLINE_STAMP_BAD_PACKET};
  arrival.packet = *packet;
  return arrival;
}

// Why this thread cannot take part, or 0.
int RefuseBurst(int peer, const syncline_stamp_channel& channel) {
  const ThreadLog* log = OwnThreadLog();
  if (log == nullptr || !log->is_open) return Recorder::Global().RefuseStamp();
  if (channel.send == nullptr || channel.receive == nullptr) return SYNCLINE_STAMP_BAD_OPTION;
  if (peer < 0 || peer >= log->handles->peers) return SYNCLINE_STAMP_BAD_NAME;
  return SYNCLINE_STAMP_OK;
}

class Asker {
 public:
  Asker(int peer, const syncline_stamp_channel& channel, const ThreadLog& log)
      : peer_(peer), channel_(channel), log_(log) {}

  // A status after which no more questions make sense, or 0.
  int Ask(uint32_t remaining) {
    const auto anchor = Recorder::Global().AnchorNow();
    if (!anchor) return anchor.error().status;
    const uint64_t message = Recorder::Global().NextQuestion();
    const int64_t asked = log_.ReadTicks();
    Keep(AddStampAt(asked, StampKind::kAsk, peer_, message, kBurstPacketBytes));
    if (!Send(channel_, {.remaining = remaining, .message = message})) {
      return SYNCLINE_STAMP_CHANNEL_FAILED;
    }
    const Arrival answer = Receive(channel_, log_, BurstPacket::Kind::kAnswer);
    if (answer.status != SYNCLINE_STAMP_OK) return answer.status;
    if (answer.packet.message != message) return SYNCLINE_STAMP_BAD_PACKET;
    Keep(AddStampAt(answer.ticks, StampKind::kAnswered, peer_, message, kBurstPacketBytes));
    ++exchanges_;
    const auto estimate = EstimateOffset({.asked = OnSystemClock(*anchor, asked),
                                          .received_ns = answer.packet.received_ns,
                                          .answered_ns = answer.packet.sent_ns,
                                          .peer_bound_ns = answer.packet.bound_ns,
                                          .done = OnSystemClock(*anchor, answer.ticks)});
    if (estimate) estimates_.push_back(*estimate);
    return SYNCLINE_STAMP_OK;
  }

  syncline_stamp_burst Result(int status) const {
    syncline_stamp_burst result = {};
    result.status = status != SYNCLINE_STAMP_OK ? status : stamp_status_;
    result.exchanges = exchanges_;
    result.bound_ns = std::numeric_limits<int64_t>::max();
    if (estimates_.empty()) return result;
    std::vector<int64_t> trips;
    for (const OffsetEstimate& e : estimates_) trips.push_back(e.trip_ns);
    const RoundTrips of_all = RoundTripsOf(trips);
    result.used = of_all.used;
    result.least_trip_ns = of_all.least_ns;
    result.mean_trip_ns = of_all.mean_ns;
    result.largest_trip_ns = of_all.largest_ns;
    const auto best = std::ranges::min_element(estimates_, {}, &OffsetEstimate::bound_ns);
    result.offset_ns = best->offset_ns;
    result.bound_ns = best->bound_ns;
    return result;
  }

 private:
  // The exchange goes on where the trace cannot keep it; the caller learns of it at the end.
  void Keep(int status) {
    if (stamp_status_ == SYNCLINE_STAMP_OK) stamp_status_ = status;
  }

  int peer_;
  const syncline_stamp_channel& channel_;
  const ThreadLog& log_;
  int stamp_status_ = SYNCLINE_STAMP_OK;
  uint64_t exchanges_ = 0;
  std::vector<OffsetEstimate> estimates_;
};

}  // namespace

std::array<std::byte, kBurstPacketBytes> Encode(const BurstPacket& packet) {
  std::array<std::byte, kBurstPacketBytes> bytes = {};
  const std::span all(bytes);
  Put(all.subspan(0, 8), kMagic);
  Put(all.subspan(8, 4), static_cast<uint32_t>(packet.kind));
  Put(all.subspan(12, 4), packet.remaining);
  Put(all.subspan(16, 8), packet.message);
  Put(all.subspan(24, 8), static_cast<uint64_t>(packet.received_ns));
  Put(all.subspan(32, 8), static_cast<uint64_t>(packet.sent_ns));
  Put(all.subspan(40, 8), static_cast<uint64_t>(packet.bound_ns));
  return bytes;
}

std::optional<BurstPacket> DecodeBurstPacket(std::span<const std::byte, kBurstPacketBytes> bytes) {
  const uint64_t kind = Take(bytes.subspan(8, 4));
  if (Take(bytes.subspan(0, 8)) != kMagic || kind < 1 || kind > 2) return std::nullopt;
  const BurstPacket packet = {.kind = static_cast<BurstPacket::Kind>(kind),
                              .remaining = static_cast<uint32_t>(Take(bytes.subspan(12, 4))),
                              .message = Take(bytes.subspan(16, 8)),
                              .received_ns = static_cast<int64_t>(Take(bytes.subspan(24, 8))),
                              .sent_ns = static_cast<int64_t>(Take(bytes.subspan(32, 8))),
                              .bound_ns = static_cast<int64_t>(Take(bytes.subspan(40, 8)))};
  if (packet.bound_ns < 0) return std::nullopt;
  return packet;
}

std::optional<OffsetEstimate> EstimateOffset(const Exchange& exchange) {
  const Int128 least = static_cast<Int128>(exchange.asked.ns) - exchange.received_ns;
  const Int128 most = static_cast<Int128>(exchange.done.ns) - exchange.answered_ns;
  const Int128 reading =
      static_cast<Int128>(std::max(exchange.asked.bound_ns, exchange.done.bound_ns)) +
      exchange.peer_bound_ns;
  if (most - least + 2 * reading < 0) return std::nullopt;
  const Int128 trip = std::max<Int128>(most - least, 0);
  return OffsetEstimate{.trip_ns = Saturate(trip),
                        .offset_ns = Saturate(FloorDiv(least + most, 2)),
                        .bound_ns = Saturate(CeilDiv(trip + 1, 2) + reading)};
}

syncline_stamp_burst AskBurst(int peer, const syncline_stamp_channel& channel, uint32_t exchanges) {
  int status = RefuseBurst(peer, channel);
  if (status == SYNCLINE_STAMP_OK && (exchanges == 0 || exchanges > kMostExchanges)) {
    status = SYNCLINE_STAMP_BAD_OPTION;
  }
  if (status != SYNCLINE_STAMP_OK) {
    return {.status = status, .bound_ns = std::numeric_limits<int64_t>::max()};
  }
  Asker asker(peer, channel, *OwnThreadLog());
  for (uint32_t left = exchanges; left > 0 && status == SYNCLINE_STAMP_OK; --left) {
    status = asker.Ask(left - 1);
  }
  return asker.Result(status);
}

int AnswerBurst(int peer, const syncline_stamp_channel& channel) {
  int status = RefuseBurst(peer, channel);
  if (status != SYNCLINE_STAMP_OK) return status;
  const ThreadLog& log = *OwnThreadLog();
  for (;;) {
    const Arrival question = Receive(channel, log, BurstPacket::Kind::kQuestion);
    if (question.status != SYNCLINE_STAMP_OK) return question.status;
    const uint64_t message = question.packet.message;
    const int arrived =
        AddStampAt(question.ticks, StampKind::kAsked, peer, message, kBurstPacketBytes);
    const auto anchor = Recorder::Global().AnchorNow();
    if (!anchor) return anchor.error().status;
    const SystemReading received = OnSystemClock(*anchor, question.ticks);
    const int64_t ticks = log.ReadTicks();
    const int left = AddStampAt(ticks, StampKind::kAnswer, peer, message, kBurstPacketBytes);
    if (status == SYNCLINE_STAMP_OK) status = arrived != SYNCLINE_STAMP_OK ? arrived : left;
    const SystemReading sent = OnSystemClock(*anchor, ticks);
    if (!Send(channel, {.kind = BurstPacket::Kind::kAnswer,
                        .remaining = question.packet.remaining,
                        .message = message,
                        .received_ns = received.ns,
                        .sent_ns = sent.ns,
                        .bound_ns = std::max(received.bound_ns, sent.bound_ns)})) {
      return SYNCLINE_STAMP_CHANNEL_FAILED;
    }
    if (question.packet.remaining == 0) return status;
  }
}

}  // namespace syncline
