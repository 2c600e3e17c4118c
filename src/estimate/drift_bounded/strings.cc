#include "estimate/drift_bounded/strings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/int128.h"
#include "base/parallel.h"

namespace syncline::drift_bounded {
namespace {

// Of points by x.
int64_t Between(const Point& p, const Point& q, int64_t x) {
  if (x <= p.x || q.x == p.x) return p.y;
  return p.y + static_cast<int64_t>(static_cast<Int128>(q.y - p.y) * (x - p.x) / (q.x - p.x));
}

// Of some of the track's nodes, evenly.
int64_t UsualWidth(const StringInput& in, size_t track) {
  constexpr int32_t kMost = 4096;
  const int32_t first = in.graph.first(track), end = in.graph.first(track + 1);
  std::vector<int64_t> widths;
  for (int32_t n = first; n < end; n += (end - first) / kMost + 1) {
    widths.push_back(in.guess.At(in.graph, track, n).width);
  }
  const auto usual = static_cast<double>(widths.size()) * in.usual;
  const auto at = widths.begin() + static_cast<ptrdiff_t>(usual);
  std::nth_element(widths.begin(), at, widths.end());
  return *at;
}

}  // namespace

Strings DrawStrings(const StringInput& in) {
  Strings strings{std::vector<int64_t>(in.graph.nodes(), Paths::kNone),
                  std::vector<int64_t>(in.graph.tracks())};
  ForEachParallel(in.graph.tracks(), [&](size_t t) {
    if (!in.guess.tracks[t].IsKnown()) return;
    // The half-width is mostly least delays, of which each way's share is unknown.
    constexpr double kShareOfWidth = 0.1;
    const double noise = in.guess.noise[in.tracks[t].clock.index()];
    const double most = noise > 0 ? noise : std::numeric_limits<double>::infinity();
    const auto tau = [&](int64_t width) {
      return static_cast<int64_t>(std::min(kShareOfWidth * static_cast<double>(width) / 2, most));
    };
    const int64_t usual = UsualWidth(in, t);
    strings.tau[t] = tau(usual);
    const int32_t first = in.graph.first(t), last = in.graph.first(t + 1) - 1;
    const auto earliest = [&](int32_t n) { return in.paths.earliest.value[n]; };
    const auto latest = [&](int32_t n) { return -in.paths.latest.value[n]; };
    TautString string;
    in.guess.VisitNodes(in.graph, t, [&](int32_t n, int64_t z, const Middle& guess) {
      const int64_t narrow = std::min(guess.width, usual);
      const int64_t slack = (guess.width - narrow) / 2 + tau(narrow);
      const bool is_end = n == first || n == last;
      string.Add(GateAbout(z, guess.value, is_end ? 0 : slack, earliest(n), latest(n)));
    });
    const std::vector<Point> bends = string.Finish();
    size_t next = bends.size() > 1 ? 1 : 0;
    for (int32_t n = first; n <= last; ++n) {
      const int64_t z = in.graph.readings()[n];
      while (next + 1 < bends.size() && bends[next].x < z) ++next;
      const int64_t ahead = Between(bends[next > 0 ? next - 1 : 0], bends[next], z);
      strings.at[n] = std::clamp(z + ahead, earliest(n), latest(n));
    }
  });
  return strings;
}

}  // namespace syncline::drift_bounded
