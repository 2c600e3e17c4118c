#include "estimate/drift_bounded/epoch_order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "syncline/time.h"

#include "estimate/drift_bounded/paths.h"

namespace syncline::drift_bounded {
namespace {

void MoveBy(Duration by, Correction& correction) {
  std::vector<Correction::Knot> knots(correction.knots().begin(), correction.knots().end());
  for (Correction::Knot& knot : knots) knot.global = knot.global + by;
  if (auto moved = Correction::FromKnots(std::move(knots))) correction = *std::move(moved);
}

}  // namespace

std::optional<DrawnEpoch> OneSidedEpoch(ClockId id, uint32_t epoch, const Component& component,
                                        const TrackTable& tracks, const Solved& bounds) {
  const auto& [graph, paths] = bounds;
  std::optional<int64_t> height, reading;
  bool is_bounded_below = false;
  for (uint32_t t = tracks.first(id.index()); t < tracks.end(id.index()); ++t) {
    for (int32_t n = graph.first(t); tracks[t].epoch == epoch && n < graph.first(t + 1); ++n) {
      const int64_t z = graph.readings()[n];
      const bool is_lower = paths.earliest.value[n] != Paths::kNone;
      const bool is_upper = paths.latest.value[n] != Paths::kNone;
      if (is_lower == is_upper) continue;
      const int64_t own = is_lower ? paths.earliest.value[n] - z : -paths.latest.value[n] - z;
      if (!reading) reading = z;
      const int64_t known = height.value_or(own);
      height = is_lower ? std::max(known, own) : std::min(known, own);
      is_bounded_below = is_lower;
    }
  }
  if (!height) return std::nullopt;
  constexpr int64_t kApartNs = 1'000'000'000;
  const Clock& clock = component.clocks()[id.index()].clock;
  const int64_t at_ns = component.origin_ns(id) + graph.FloorNs(*reading);
  const int64_t at = *reading + *height;
  const int64_t global_ns = component.origin_ns(component.root()) +
                            (is_bounded_below ? graph.CeilNs(at) : graph.FloorNs(at));
  auto line =
      Correction::FromKnots({{clock.FromNominalNs(at_ns), {global_ns}},
                             {clock.FromNominalNs(at_ns + kApartNs), {global_ns + kApartNs}}});
  if (!line) return std::nullopt;
  return DrawnEpoch{*std::move(line), !is_bounded_below, is_bounded_below};
}

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
