#include "estimate/drift_bounded/tube.h"

#include <algorithm>
#include <cstdlib>

#include "base/int128.h"

namespace syncline::drift_bounded {
namespace {

// The node at or before z, -1 where there is none; first looked for from `near` on, where it then
// is.
ptrdiff_t NodeBefore(std::span<const int64_t> readings, int64_t z, size_t* near) {
  constexpr size_t kFew = 8;
  for (size_t at = near != nullptr ? *near : readings.size(), end = at + kFew;
       at < end && at < readings.size(); ++at) {
    if (readings[at] > z) break;
    if (at + 1 == readings.size() || readings[at + 1] > z) {
      *near = at;
      return static_cast<ptrdiff_t>(at);
    }
  }
  const ptrdiff_t found = std::ranges::upper_bound(readings, z) - readings.begin() - 1;
  if (near != nullptr) *near = static_cast<size_t>(std::max<ptrdiff_t>(found, 0));
  return found;
}

// By the nodes p and p + 1 about z, of which one may not be.
int64_t EarliestBy(const TrackTube& tube, ptrdiff_t p, int64_t z) {
  int64_t bound = Paths::kNone;
  if (p >= 0) bound = tube.earliest[p] + LeastAdvance(tube.readings[p], z, tube.rate);
  if (p + 1 < std::ssize(tube.readings)) {
    bound =
        std::max(bound, tube.earliest[p + 1] + LeastAdvance(tube.readings[p + 1], z, tube.rate));
  }
  return bound;
}

int64_t LatestBy(const TrackTube& tube, ptrdiff_t p, int64_t z) {
  int64_t bound = Paths::kNone;  // −U
  if (p >= 0) bound = tube.minus_latest[p] + LeastAdvance(z, tube.readings[p], tube.rate);
  if (p + 1 < std::ssize(tube.readings)) {
    bound = std::max(bound,
                     tube.minus_latest[p + 1] + LeastAdvance(z, tube.readings[p + 1], tube.rate));
  }
  return -bound;
}

}  // namespace

int64_t TrackTube::Earliest(int64_t z, size_t* near) const {
  if (earliest.front() == Paths::kNone) return Paths::kNone;
  return EarliestBy(*this, NodeBefore(readings, z, near), z);
}

int64_t TrackTube::Latest(int64_t z, size_t* near) const {
  if (minus_latest.front() == Paths::kNone) return -Paths::kNone;
  return LatestBy(*this, NodeBefore(readings, z, near), z);
}

Middle TrackTube::MiddleAt(int64_t z, size_t* near) const {
  const ptrdiff_t p = NodeBefore(readings, z, near);
  const int64_t low = EarliestBy(*this, p, z), high = LatestBy(*this, p, z);
  return {low + (high - low) / 2, high - low};
}

std::optional<int64_t> Tube::Units(int64_t reading_ns) const {
  const Int128 units = (static_cast<Int128>(reading_ns) - origin_ns_) << shift_;
  constexpr int64_t kMost = int64_t{1} << 60;
  if (units > kMost || units < -kMost) return std::nullopt;
  return static_cast<int64_t>(units);
}

std::optional<int64_t> Tube::Ns(int64_t units, bool up) const {
  if (units == Paths::kNone || units == -Paths::kNone) return std::nullopt;
  const int64_t since = up ? -((-units) >> shift_) : units >> shift_;
  const Int128 ns = static_cast<Int128>(since) + reference_origin_ns_;
  if (ns != Saturate(ns)) return std::nullopt;
  return static_cast<int64_t>(ns);
}

std::pair<size_t, size_t> Tube::Around(int64_t z) const {
  const auto behind = std::ranges::upper_bound(
      tracks_, z, {}, [](const TrackTube& track) { return track.readings.front(); });
  const auto next = static_cast<size_t>(behind - tracks_.begin());
  if (next == 0) return {0, 0};
  const bool is_within = next == tracks_.size() || z <= tracks_[next - 1].readings.back();
  return is_within ? std::pair(next - 1, next - 1) : std::pair(next - 1, next);
}

bool Tube::IsOpen(int64_t z) const {
  const auto [before, behind] = Around(z);
  const TrackTube& track = tracks_[behind];
  if (before != behind || z < track.readings.front()) return track.is_open_before;
  return z > track.readings.back() && track.is_open_behind;
}

std::optional<int64_t> Tube::LowerNs(int64_t reading_ns, size_t* near) const {
  const std::optional<int64_t> z = Units(reading_ns);
  if (!z || tracks_.empty() || IsOpen(*z)) return std::nullopt;
  const auto [before, behind] = Around(*z);
  const TrackTube& track = tracks_[before];
  int64_t bound = track.Earliest(*z, near);
  if (behind != before) {
    bound = std::max(std::min(bound, tracks_[behind].Earliest(*z)), track.earliest.back());
  }
  // The last walk's unit.
  return Ns(bound == Paths::kNone ? bound : bound - 1, false);
}

std::optional<int64_t> Tube::UpperNs(int64_t reading_ns, size_t* near) const {
  const std::optional<int64_t> z = Units(reading_ns);
  if (!z || tracks_.empty() || IsOpen(*z)) return std::nullopt;
  const auto [before, behind] = Around(*z);
  int64_t bound = tracks_[before].Latest(*z, near);
  if (behind != before) {
    const TrackTube& track = tracks_[behind];
    bound = std::min(std::max(bound, track.Latest(*z)), -track.minus_latest.front());
  }
  return Ns(bound == -Paths::kNone ? bound : bound + 1, true);
}

void Tube::VisitBendsNs(const std::function<void(int64_t)>& visit) const {
  for (const TrackTube& track : tracks_) {
    const double lo = 1 + static_cast<double>(track.rate.slow) / RateLimits::kOne;
    const double hi = 1 + static_cast<double>(track.rate.fast) / RateLimits::kOne;
    for (size_t i = 0; i < track.readings.size(); ++i) {
      const int64_t z = track.readings[i];
      const auto at = [&](int64_t later) { return origin_ns_ + ((z + later) >> shift_); };
      visit(at(0));
      if (i + 1 == track.readings.size()) break;
      // Where the walks from both neighbours meet: L(p) + lo·x = L(q) − hi·(span − x).
      const auto span = static_cast<double>(track.readings[i + 1] - z);
      if (hi <= lo) continue;
      const auto meet = [&](int64_t risen, double from, double to) {
        const auto rise = static_cast<double>(risen);
        return static_cast<int64_t>(std::clamp((to * span - rise) / (to - from), 0.0, span));
      };
      const std::span<const int64_t> earliest = track.earliest, minus_latest = track.minus_latest;
      const bool is_low = earliest.front() != Paths::kNone;
      const bool is_high = minus_latest.front() != Paths::kNone;
      const int64_t low = is_low ? meet(earliest[i + 1] - earliest[i], lo, hi) : 0;
      const int64_t high = is_high ? meet(minus_latest[i] - minus_latest[i + 1], hi, lo) : 0;
      const auto [first, second] = std::minmax(low, high);
      if (is_low && is_high) visit(at(first));
      if (is_low || is_high) visit(at(second));
    }
  }
}

std::vector<int64_t> Tube::BendsBetweenNs() const {
  std::vector<int64_t> bends;
  for (size_t t = 1; t < tracks_.size(); ++t) {
    const TrackTube& before = tracks_[t - 1];
    const TrackTube& behind = tracks_[t];
    const int64_t p = before.readings.back(), q = behind.readings.front();
    const auto add = [&](int64_t z) { bends.push_back(origin_ns_ + (z >> shift_)); };
    add(p);
    add(q);
    const auto span = static_cast<double>(q - p);
    // from + slope·x = to − other·(span − x).
    const auto meet = [&](int64_t from, double slope, int64_t to, double other) {
      const bool is_open = std::abs(from) == -Paths::kNone || std::abs(to) == -Paths::kNone;
      if (is_open || slope == other) return;
      const double x = (static_cast<double>(to - from) - other * span) / (slope - other);
      if (x > 0 && x < span) add(p + static_cast<int64_t>(x));
    };
    const auto slope = [](int64_t limit) {
      return 1 + static_cast<double>(limit) / RateLimits::kOne;
    };
    const auto [slow, fast] = before.rate;
    meet(before.earliest.back(), slope(slow), behind.earliest.front(), slope(behind.rate.fast));
    meet(before.earliest.back(), 0, behind.earliest.front(), slope(behind.rate.fast));
    const int64_t latest = -before.minus_latest.back(), next = -behind.minus_latest.front();
    meet(latest, slope(fast), next, slope(behind.rate.slow));
    meet(latest, slope(fast), next, 0);
  }
  return bends;
}

TrackTube TrackTubeWith(std::vector<int64_t> readings, std::vector<int64_t> earliest,
                        std::vector<int64_t> latest, RateLimits rate) {
  for (int64_t& v : latest) v = -v;
  struct Values {
    std::vector<int64_t> readings, earliest, minus_latest;
  };
  auto values = std::make_shared<const Values>(
      Values{std::move(readings), std::move(earliest), std::move(latest)});
  return {values->readings, values->earliest, values->minus_latest, rate, values};
}

TrackTube TubeOf(const Graph& graph, const BothPaths& paths, size_t track,
                 std::shared_ptr<const void> values) {
  return {.readings = graph.OfTrack(track, graph.readings()),
          .earliest = graph.OfTrack(track, std::span(paths.earliest.value)),
          .minus_latest = graph.OfTrack(track, std::span(paths.latest.value)),
          .rate = graph.track(track).rate,
          .values = std::move(values)};
}

std::vector<TrackTube> TubesOf(const Graph& graph, const BothPaths& paths) {
  std::vector<TrackTube> tubes;
  for (size_t t = 0; t < graph.tracks(); ++t) {
    tubes.push_back(graph.HasNodes(t) ? TubeOf(graph, paths, t) : TrackTube{});
  }
  return tubes;
}

TrackTube OpenTube(const Graph& graph, size_t track) {
  const auto readings = graph.OfTrack(track, graph.readings());
  constexpr int64_t kNone = Paths::kNone;
  return TrackTubeWith({readings.front(), readings.back()}, {kNone, kNone}, {-kNone, -kNone},
                       graph.track(track).rate);
}

}  // namespace syncline::drift_bounded
