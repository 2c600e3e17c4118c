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
  int64_t since = 0, length = 0, product = 0;
  const bool overflows = __builtin_sub_overflow(global_ns, start_ns, &since) ||
                         __builtin_sub_overflow(end_ns, start_ns, &length) ||
                         __builtin_mul_overflow(since, static_cast<int64_t>(bins), &product);
  if (!overflows) return static_cast<size_t>(product / length);
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

MessagePlaces::Direction MessagePlaces::Find(ClockId from, ClockId to) const {
  Direction direction;
  PlacedMessage message{.earlier = place_of_[from.index()], .later = place_of_[to.index()]};
  if (message.earlier == kNone || message.later == kNone) return direction;
  auto pair = problem_.pair_of.find({message.earlier, message.later});
  message.is_a_to_b = pair != problem_.pair_of.end();
  if (!message.is_a_to_b) pair = problem_.pair_of.find({message.later, message.earlier});
  if (pair == problem_.pair_of.end()) return direction;
  message.pair = pair->second;
  direction.place = message;
  // Delays count in nanoseconds of clock b, as in PairOptions.
  const MinDelays& least = problem_.pairs[message.pair].min_delays;
  const Int128 reading = problem_.readings_ns[message.later];
  direction.later_sent = message.is_a_to_b ? 0 : least.ba_ns;
  direction.later_received = message.is_a_to_b ? reading - least.ab_ns : reading;
  return direction;
}

const MessagePlaces::Direction& MessagePlaces::DirectionOf(std::pair<ClockId, ClockId> clocks) {
  if (last_ != nullptr && last_clocks_ == clocks) return *last_;
  const auto [known, is_new] = directions_.try_emplace(clocks);
  if (is_new) known->second = Find(clocks.first, clocks.second);
  last_clocks_ = clocks;
  return *(last_ = &known->second);
}

std::optional<PlacedMessage> MessagePlaces::Of(const RecordedMessage& recorded) {
  const Direction& direction = DirectionOf({recorded.from, recorded.to});
  std::optional<PlacedMessage> message = direction.place;
  if (!message) return message;
  message->earlier_ns = Saturate(recorded.send_ns + direction.later_sent);
  message->later_ns = Saturate(recorded.receive_ns + direction.later_received);
  return message;
}

}  // namespace syncline
