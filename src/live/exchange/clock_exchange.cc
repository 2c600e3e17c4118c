#include "live/exchange/clock_exchange.h"

#include <algorithm>
#include <vector>

#include "base/int128.h"
#include "record/counter/round_trips.h"

namespace syncline {

std::optional<ExchangeOffset> OffsetOf(const ClockExchange& e) {
  const Int128 low = static_cast<Int128>(e.t3_ns) - e.t4_ns;
  const Int128 high = static_cast<Int128>(e.t2_ns) - e.t1_ns;
  if (high < low) return std::nullopt;
  return ExchangeOffset{.at_ns = Saturate(FloorDiv(static_cast<Int128>(e.t1_ns) + e.t4_ns, 2)),
                        .offset_ns = Saturate(FloorDiv(low + high, 2)),
                        .bound_ns = Saturate(CeilDiv(high - low, 2)),
                        .trip_ns = Saturate(high - low)};
}

BurstFigures FiguresOf(std::span<const ClockExchange> exchanges) {
  BurstFigures figures = {.exchanges = exchanges.size()};
  std::vector<int64_t> trips;
  for (const ClockExchange& exchange : exchanges) {
    if (exchange.t3_ns < exchange.t2_ns) ++figures.departed_early;
    const auto offset = OffsetOf(exchange);
    if (!offset) {
      ++figures.contradictory;
      continue;
    }
    trips.push_back(offset->trip_ns);
    if (!figures.best || offset->trip_ns < figures.best->trip_ns) figures.best = offset;
  }
  if (trips.empty()) return figures;
  const RoundTrips of_all = RoundTripsOf(trips);
  figures.used = of_all.used;
  figures.least_trip_ns = of_all.least_ns;
  figures.mean_trip_ns = of_all.mean_ns;
  figures.largest_trip_ns = of_all.largest_ns;
  return figures;
}

BurstFigures Together(const BurstFigures& a, const BurstFigures& b) {
  BurstFigures both = !a.best || (b.best && b.best->trip_ns < a.best->trip_ns) ? b : a;
  both.exchanges = a.exchanges + b.exchanges;
  both.used = a.used + b.used;
  both.contradictory = a.contradictory + b.contradictory;
  both.departed_early = a.departed_early + b.departed_early;
  if (!a.best || !b.best) return both;
  both.largest_trip_ns = std::max(a.largest_trip_ns, b.largest_trip_ns);
  const Int128 sum = static_cast<Int128>(a.mean_trip_ns) * static_cast<Int128>(a.used) +
                     static_cast<Int128>(b.mean_trip_ns) * static_cast<Int128>(b.used);
  both.mean_trip_ns = Saturate(sum / static_cast<Int128>(both.used));
  return both;
}

}  // namespace syncline
