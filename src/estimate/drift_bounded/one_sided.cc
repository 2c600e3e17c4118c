#include "estimate/drift_bounded/one_sided.h"

#include <map>
#include <utility>

#include "estimate/pair.h"

namespace syncline::drift_bounded {

std::vector<std::optional<Line>> FindOneSidedLines(
    std::span<const ClockInput> clocks, std::span<const HalvedDirection> directions,
    const TrackTable& tracks, std::span<const int64_t> origins_ns,
    std::vector<std::optional<Correction>> corrections, std::optional<double> max_drift_ppm) {
  std::vector<std::optional<Line>> lines(clocks.size());
  while (true) {
    std::map<size_t, PairPoints> points;  // of clocks next to known ones, against global time
    for (const HalvedDirection& d : directions) {
      const size_t from = tracks[d.from].clock.index();
      const size_t to = tracks[d.to].clock.index();
      if (corrections[from].has_value() == corrections[to].has_value()) continue;
      const size_t known = corrections[from] ? from : to;
      PairPoints& of_clock = points[known == from ? to : from];
      for (const Constraint& m : d.all) {
        const int64_t send = origins_ns[from] + m.s;
        const int64_t receive = origins_ns[to] + m.r;
        if (known == to) {
          const int64_t global = (*corrections[to])(clocks[to].clock.FromNominalNs(receive)).ns;
          of_clock.AddAToB(send, global - d.least_delay_ns);
        } else {
          const int64_t global = (*corrections[from])(clocks[from].clock.FromNominalNs(send)).ns;
          of_clock.AddBToA(global + d.least_delay_ns, receive);
        }
      }
    }
    if (points.empty()) return lines;
    for (const auto& [clock, of_clock] : points) {
      const PairEstimate estimate = EstimatePair(of_clock, {.max_drift_ppm = max_drift_ppm});
      lines[clock] = estimate.line.value_or(Line{});
      const ClockEstimate described =
          DescribeClock(clocks[clock], Affine(*lines[clock]), {}, Quality::kIncomplete);
      corrections[clock] = described.correction;
    }
  }
}

}  // namespace syncline::drift_bounded
