#include "estimate/joint/clear_contradiction.h"

#include <algorithm>
#include <vector>

#include "base/int128.h"

namespace syncline {
namespace {

int64_t MedianOf(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int64_t CorrectedDelayNs(ClockId from, int64_t send_ns, ClockId to, int64_t receive_ns,
                         const GroupEstimate& group, std::span<const ClockInput> clocks) {
  const auto corrected = [&](ClockId clock, int64_t nominal_ns) {
    const LocalTime t = clocks[clock.index()].clock.FromNominalNs(nominal_ns);
    return group.clocks[clock.index()].correction(t);
  };
  return (corrected(to, receive_ns) - corrected(from, send_ns)).ns;
}

int64_t UsualRoundTripNs(const PairInput& pair, const PairPoints& points,
                         const GroupEstimate& group, std::span<const ClockInput> clocks) {
  const auto& [a, b, estimate] = pair;
  // Points are times at a and at b, whichever came first.
  std::vector<int64_t> there, back;
  const PointSample to_b = points.SampleAToB();
  for (const Point& p : to_b.points()) {
    there.push_back(CorrectedDelayNs(a, p.x, b, p.y, group, clocks));
  }
  const PointSample to_a = points.SampleBToA();
  for (const Point& p : to_a.points()) {
    back.push_back(CorrectedDelayNs(b, p.y, a, p.x, group, clocks));
  }
  if (there.empty() && back.empty()) return 0;
  if (there.empty()) there = back;
  if (back.empty()) back = there;
  return Saturate(static_cast<Int128>(MedianOf(std::move(there))) + MedianOf(std::move(back)));
}

}  // namespace syncline
