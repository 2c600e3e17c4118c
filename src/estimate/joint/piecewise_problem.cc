#include "estimate/joint/piecewise_problem.h"

#include <algorithm>

namespace syncline {

size_t KnottedClock::SegmentAt(int64_t x) const {
  const auto after = std::upper_bound(knots.begin() + 1, knots.end() - 1, x,
                                      [](int64_t at, const Point& knot) { return at < knot.x; });
  return static_cast<size_t>(after - knots.begin()) - 1;
}

Line KnottedClock::SegmentLine(size_t segment) const {
  return {knots[segment], SlopeOf(knots[segment], knots[segment + 1])};
}

size_t KnottedClock::SegmentAtGlobal(int64_t y) const {
  const auto after = std::upper_bound(knots.begin() + 1, knots.end() - 1, y,
                                      [](int64_t at, const Point& knot) { return at < knot.y; });
  return static_cast<size_t>(after - knots.begin()) - 1;
}

int64_t KnottedClock::Preimage(int64_t y) const {
  return SegmentLine(SegmentAtGlobal(y)).Inverted().Floor(y);
}

size_t PiecewiseProblem::BinOf(int64_t global_ns) const {
  if (global_ns <= start_ns) return 0;
  if (global_ns >= end_ns) return bins - 1;
  const Int128 scaled = (static_cast<Int128>(global_ns) - start_ns) * static_cast<int64_t>(bins);
  return static_cast<size_t>(scaled / (static_cast<Int128>(end_ns) - start_ns));
}

double PiecewiseProblem::BinSeconds() const {
  return static_cast<double>(static_cast<Int128>(end_ns) - start_ns) / 1e9 /
         static_cast<double>(bins);
}

MessagePlaces::MessagePlaces(const PiecewiseProblem& problem, size_t clocks)
    : problem_(problem), place_of_(clocks, kNone) {
  for (size_t i = 0; i < problem.clocks.size(); ++i) place_of_[problem.clocks[i]] = i;
}

std::optional<PlacedMessage> MessagePlaces::Of(const RecordedMessage& recorded) const {
  PlacedMessage message{.earlier = place_of_[recorded.from.index()],
                        .later = place_of_[recorded.to.index()]};
  if (message.earlier == kNone || message.later == kNone) return std::nullopt;
  auto pair = problem_.pair_of.find({message.earlier, message.later});
  message.is_a_to_b = pair != problem_.pair_of.end();
  if (!message.is_a_to_b) pair = problem_.pair_of.find({message.later, message.earlier});
  if (pair == problem_.pair_of.end()) return std::nullopt;
  message.pair = pair->second;
  // Delays count in nanoseconds of clock b, as in PairOptions.
  const MinDelays& least = problem_.pairs[message.pair].min_delays;
  const int64_t reading = problem_.readings_ns[message.later];
  const Int128 delay = message.is_a_to_b ? least.ab_ns : least.ba_ns;
  message.earlier_ns = Saturate(recorded.send_ns + (message.is_a_to_b ? Int128{0} : delay));
  message.later_ns = Saturate(static_cast<Int128>(recorded.receive_ns) + reading -
                              (message.is_a_to_b ? delay : 0));
  return message;
}

}  // namespace syncline
