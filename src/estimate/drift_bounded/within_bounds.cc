#include "estimate/drift_bounded/within_bounds.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "syncline/time.h"

#include "base/int128.h"
#include "model/correct_all.h"

namespace syncline::drift_bounded {
namespace {

// Where the correction has to be looked at; sorted, distinct.
std::vector<LocalTime> PlacesToCheck(const Correction& correction, const TimeBounds& bounds,
                                     const ReadingSpan& span) {
  std::vector<LocalTime> places = bounds.Bends();
  places.push_back(span.first);
  places.push_back(span.last);
  for (const Correction::Knot& knot : correction.knots()) places.push_back(knot.local);
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// What is moved goes a nanosecond further, if there is room, since lines between integers are
// rounded, too.
GlobalTime Clamped(GlobalTime value, const TimeBounds& bounds, LocalTime t) {
  const std::optional<GlobalTime> lower = bounds.Lower(t);
  const std::optional<GlobalTime> upper = bounds.Upper(t);
  const bool is_below = lower && value < *lower, is_above = upper && value > *upper;
  if (!is_below && !is_above) return value;
  const bool has_room = !lower || !upper || Minus(upper->ns, lower->ns) >= 2;
  const int64_t inward = has_room ? 1 : 0;
  return {is_below ? SaturatedSum(lower->ns, inward) : SaturatedSum(upper->ns, -inward)};
}

// Knots increase strictly; bounds need not where rates have no limit.
void MakeIncreasing(std::vector<Correction::Knot>& knots, const TimeBounds& bounds) {
  for (size_t i = knots.size() - 1; i-- > 0;) {
    if (knots[i].global < knots[i + 1].global) continue;
    const GlobalTime earlier{SaturatedSum(knots[i + 1].global.ns, -1)};
    if (earlier >= bounds.Lower(knots[i].local).value_or(earlier)) knots[i].global = earlier;
  }
  size_t kept = 1;
  for (size_t i = 1; i < knots.size(); ++i) {
    Correction::Knot knot = knots[i];
    if (knot.global <= knots[kept - 1].global) {
      knot.global = {SaturatedSum(knots[kept - 1].global.ns, 1)};
      if (knot.global > bounds.Upper(knot.local).value_or(knot.global)) continue;
    }
    knots[kept++] = knot;
  }
  knots.resize(kept);
}

}  // namespace

Correction WithinBounds(const Correction& correction, const TimeBounds& bounds,
                        const ReadingSpan& span, AtNodes at_nodes) {
  const auto is_within = [&](const Correction::Knot& knot) {
    return Clamped(knot.global, bounds, knot.local) == knot.global;
  };
  if (at_nodes == AtNodes::kWithin && std::ranges::all_of(correction.knots(), is_within) &&
      is_within({span.first, correction(span.first)}) &&
      is_within({span.last, correction(span.last)})) {
    return correction;
  }
  const std::vector<LocalTime> places = PlacesToCheck(correction, bounds, span);
  std::vector<GlobalTime> values(places.size());
  CorrectAll(correction, places, values);
  std::vector<bool> is_moved(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const GlobalTime value = std::exchange(values[i], Clamped(values[i], bounds, places[i]));
    is_moved[i] = value != values[i];
  }
  if (std::ranges::count(is_moved, true) == 0) return correction;
  std::vector<Correction::Knot> knots;
  for (size_t i = 0; i < places.size(); ++i) {
    const bool is_first = i == 0, is_last = i + 1 == places.size();
    const bool is_next = is_first || is_moved[i - 1] || is_last || is_moved[i + 1];
    const bool is_own =
        std::ranges::binary_search(correction.knots(), places[i], {}, &Correction::Knot::local);
    if (is_moved[i] || is_next || is_own) knots.push_back({places[i], values[i]});
  }
  MakeIncreasing(knots, bounds);
  auto within = Correction::FromKnots(std::move(knots));
  return within ? *std::move(within) : correction;
}

}  // namespace syncline::drift_bounded
