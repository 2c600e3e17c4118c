// Bursts of exchanges over a connection that the program lends.
//
// Units: nanoseconds. Sign: offset = own − peer. Errors: a status of stamp.h; what was exchanged
// before it counts. Requires: the calling thread is registered with the global recorder; one side
// asks, the other answers. Cost: two packets of 48 bytes per exchange, each stamped at both ends.
// Method: Cristian's exchange with four times, as in NTP: the asking side sends at t1, the other
// receives at t2 and answers at t3, which arrives at t4. Own − peer lies between t1 − t2 and
// t4 − t3, whatever the paths did. Tinetti and Romero, Sincronización de Relojes en Ambientes
// Distribuidos, 2.2: round trips of more than twice the least are left out of the mean.
// Tested by: burst_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "syncline/stamp.h"

#include "record/stamp/recorder.h"

namespace syncline {

inline constexpr size_t kBurstPacketBytes = 48;
inline constexpr uint32_t kMostExchanges = 1'000'000;

struct BurstPacket {
  enum class Kind : uint32_t { kQuestion = 1, kAnswer = 2 };
  Kind kind = Kind::kQuestion;
  uint32_t remaining = 0;  // questions that will follow
  uint64_t message = 0;
  // Of an answer: when the question arrived and this answer left, on the peer's system clock.
  int64_t received_ns = 0;
  int64_t sent_ns = 0;
  int64_t bound_ns = 0;
  friend bool operator==(const BurstPacket&, const BurstPacket&) = default;
};
std::array<std::byte, kBurstPacketBytes> Encode(const BurstPacket& packet);
// None where it is no packet of a burst.
std::optional<BurstPacket> DecodeBurstPacket(std::span<const std::byte, kBurstPacketBytes> bytes);

// One exchange, by four readings.
struct Exchange {
  SystemReading asked;        // t1, own
  int64_t received_ns = 0;    // t2, the peer's
  int64_t answered_ns = 0;    // t3, the peer's
  int64_t peer_bound_ns = 0;  // of both
  SystemReading done;         // t4, own
};
struct OffsetEstimate {
  int64_t trip_ns = 0;
  int64_t offset_ns = 0;
  int64_t bound_ns = 0;
};
// None where the times contradict each other: a clock was set meanwhile.
std::optional<OffsetEstimate> EstimateOffset(const Exchange& exchange);

syncline_stamp_burst AskBurst(int peer, const syncline_stamp_channel& channel, uint32_t exchanges);
int AnswerBurst(int peer, const syncline_stamp_channel& channel);

}  // namespace syncline
