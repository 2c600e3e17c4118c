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

// Where the correction has to be looked at besides where bounds bend.
std::vector<LocalTime> PlacesOf(const Correction& correction, const ReadingSpan& span) {
  std::vector<LocalTime> places = {span.first, span.last};
  for (const Correction::Knot& knot : correction.knots()) places.push_back(knot.local);
  return places;
}

// What is moved goes a nanosecond further, if there is room, since lines between integers are
// rounded, too.
GlobalTime Clamped(GlobalTime value, const TimeBounds::Interval& bounds) {
  const auto& [lower, upper] = bounds;
  const bool is_below = lower && value < *lower, is_above = upper && value > *upper;
  if (!is_below && !is_above) return value;
  const bool has_room = !lower || !upper || Minus(upper->ns, lower->ns) >= 2;
  const int64_t inward = has_room ? 1 : 0;
  return {is_below ? SaturatedSum(lower->ns, inward) : SaturatedSum(upper->ns, -inward)};
}

// Some values of a correction, each with its place and the nearest one within bounds.
struct Clampings {
  std::vector<GlobalTime> values, within;
  std::vector<TimeBounds::Interval> bounds;

  void Find(const Correction& correction, const TimeBounds& of, std::span<const LocalTime> places) {
    for (auto* times : {&values, &within}) times->resize(places.size());
    bounds.resize(places.size());
    CorrectAll(correction, places, values);
    of.At(places, bounds);
    for (size_t i = 0; i < places.size(); ++i) within[i] = Clamped(values[i], bounds[i]);
  }
};

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
    const TimeBounds::Interval at = {bounds.Lower(knot.local), bounds.Upper(knot.local)};
    return Clamped(knot.global, at) == knot.global;
  };
  if (at_nodes == AtNodes::kWithin && std::ranges::all_of(correction.knots(), is_within) &&
      is_within({span.first, correction(span.first)}) &&
      is_within({span.last, correction(span.last)})) {
    return correction;
  }
  bool is_any_moved = false;
  Clampings found;
  bounds.VisitBends(PlacesOf(correction, span), [&](std::span<const LocalTime> some) {
    if (is_any_moved) return;
    found.Find(correction, bounds, some);
    is_any_moved = found.values != found.within;
  });
  if (!is_any_moved) return correction;
  std::vector<LocalTime> places;
  std::vector<GlobalTime> values;
  std::vector<bool> is_moved;
  bounds.VisitBends(PlacesOf(correction, span), [&](std::span<const LocalTime> some) {
    found.Find(correction, bounds, some);
    places.insert(places.end(), some.begin(), some.end());
    values.insert(values.end(), found.within.begin(), found.within.end());
    for (size_t i = 0; i < some.size(); ++i) is_moved.push_back(found.values[i] != found.within[i]);
  });
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
