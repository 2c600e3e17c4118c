#include "estimate/drift_bounded/epoch_order.h"

#include <cstddef>
#include <utility>

#include "syncline/time.h"

namespace syncline::drift_bounded {
namespace {

void MoveBy(Duration by, Correction& correction) {
  std::vector<Correction::Knot> knots(correction.knots().begin(), correction.knots().end());
  for (Correction::Knot& knot : knots) knot.global = knot.global + by;
  if (auto moved = Correction::FromKnots(std::move(knots))) correction = *std::move(moved);
}

}  // namespace

std::vector<DrawnEpoch> PutInOrder(std::vector<DrawnEpoch> epochs,
                                   std::span<const ReadingSpan> spans) {
  const auto late_by = [&](size_t e) {
    return epochs[e].correction(spans[e].last) - epochs[e + 1].correction(spans[e + 1].first);
  };
  const auto move_later = [&](const auto& may_move) {
    for (size_t e = 0; e + 1 < epochs.size(); ++e) {
      const Duration late = late_by(e);
      if (may_move(epochs[e + 1]) && late.ns > 0) MoveBy(late, epochs[e + 1].correction);
    }
  };
  // First those of which nothing is known, lest they move others.
  move_later([](const DrawnEpoch& epoch) { return epoch.may_be_earlier && epoch.may_be_later; });
  for (size_t e = epochs.size() - 1; e-- > 0;) {
    const Duration late = late_by(e);
    if (epochs[e].may_be_earlier && late.ns > 0) MoveBy(-late, epochs[e].correction);
  }
  move_later([](const DrawnEpoch& epoch) { return epoch.may_be_later; });
  return epochs;
}

}  // namespace syncline::drift_bounded
