// One exchange between this machine and a peer, and what a burst of them tells.
//
// Units: nanoseconds since the epoch of the clock that stamped. Sign: offset = peer − own,
// positive: the peer's clock is ahead.
// Guarantee: peer − own lay between t3 − t4 and t2 − t1 if the clocks ran alike meanwhile, whatever
// the paths did; so the middle is off by half the round trip at most. With a known least delay µ
// each way, by µ less (Cristian). Errors: contradictory times, as of a clock that was set
// meanwhile, are counted and not used. Cost: O(n).
// Method: Cristian's exchange with four times, as in NTP. Tinetti and Romero, Sincronización de
// Relojes en Ambientes Distribuidos, 2.2: round trips of more than twice the least are left out of
// the mean. Tested by: clock_exchange_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace syncline {

struct ClockExchange {
  int64_t t1_ns = 0;  // own: the question left
  int64_t t2_ns = 0;  // the peer's: it arrived
  int64_t t3_ns = 0;  // the peer's: the answer left
  int64_t t4_ns = 0;  // own: it arrived
  uint64_t number = 0;
  // Which of the four the kernels stamped; else the programs did, t1 and t3 before sending, t2 and
  // t4 after receiving, so that the guarantee holds either way.
  struct ByKernel {
    bool t1 = false, t2 = false, t3 = false, t4 = false;
  } by_kernel;
};

struct ExchangeOffset {
  int64_t at_ns = 0;  // own time, in the middle
  int64_t offset_ns = 0;
  int64_t bound_ns = 0;  // the true offset is within offset ± bound
  int64_t trip_ns = 0;   // (t4 − t1) − (t3 − t2)
};
// None where the round trip is negative.
std::optional<ExchangeOffset> OffsetOf(const ClockExchange& exchange);

struct BurstFigures {
  uint64_t exchanges = 0;
  uint64_t used = 0;            // in the mean: at most twice the least
  uint64_t contradictory = 0;   // in nothing that follows
  uint64_t departed_early = 0;  // t3 < t2: the peer's clock was set, or lies
  int64_t least_trip_ns = 0;
  int64_t mean_trip_ns = 0;
  int64_t largest_trip_ns = 0;
  std::optional<ExchangeOffset> best;  // that of the least round trip; none without exchanges
};
BurstFigures FiguresOf(std::span<const ClockExchange> exchanges);
// Of both together, each with the mean that its own least round trip decided on.
BurstFigures Together(const BurstFigures& a, const BurstFigures& b);

}  // namespace syncline
