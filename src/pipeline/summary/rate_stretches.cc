#include "pipeline/summary/rate_stretches.h"

#include <algorithm>
#include <cmath>

#include "base/difference.h"
#include "base/int128.h"

namespace syncline {
namespace {

// Of a correction, from one instant to another; its lengths are those between its knots.
struct Piece {
  GlobalTime from, to;
  Int128 local_ns = 0;
  Int128 global_ns = 0;

  double DriftPpm() const {
    return static_cast<double>(local_ns - global_ns) / static_cast<double>(global_ns) * 1e6;
  }
  // By how much whole nanoseconds, of two readings and two corrected times, leave that open.
  double RoundingPpm() const { return 2e6 / static_cast<double>(global_ns); }
};

bool AreAlike(const Piece& a, const Piece& b) {
  constexpr double kShownPpm = 0.001;
  return std::abs(a.DriftPpm() - b.DriftPpm()) <= kShownPpm + a.RoundingPpm() + b.RoundingPpm();
}

bool IsInStep(const Piece& piece, std::span<const ClockJump> steps) {
  // The first that does not end before the piece does.
  const auto step =
      std::ranges::partition_point(steps, [&](const ClockJump& s) { return s.before < piece.to; });
  return step != steps.end() && step->after <= piece.from;
}

}  // namespace

std::vector<RateStretch> RateStretchesOf(const Clock& clock, const Correction& correction,
                                         const ReadingSpan& span,
                                         std::span<const ClockJump> steps) {
  const auto knots = correction.knots();
  std::vector<Piece> pieces;
  for (size_t k = 0; k + 1 < knots.size(); ++k) {
    // The first and the last piece go on.
    const LocalTime from = k == 0 ? span.first : std::max(knots[k].local, span.first);
    const LocalTime to =
        k + 2 == knots.size() ? span.last : std::min(knots[k + 1].local, span.last);
    Piece piece{.from = correction(from), .to = correction(to)};
    if (from >= to || IsInStep(piece, steps)) continue;
    piece.local_ns =
        static_cast<Int128>(clock.NominalNs(knots[k + 1].local)) - clock.NominalNs(knots[k].local);
    piece.global_ns = static_cast<Int128>(knots[k + 1].global.ns) - knots[k].global.ns;
    if (!pieces.empty() && pieces.back().to == piece.from && AreAlike(pieces.back(), piece)) {
      pieces.back().to = piece.to;
      pieces.back().local_ns += piece.local_ns;
      pieces.back().global_ns += piece.global_ns;
    } else {
      pieces.push_back(piece);
    }
  }
  std::vector<RateStretch> stretches;
  for (const Piece& piece : pieces) {
    stretches.push_back({piece.from, piece.to, piece.DriftPpm()});
  }
  return stretches;
}

std::vector<RateStretch> RateStretchesOf(const LoadedTraces& loaded, const GroupEstimate& group,
                                         ClockId clock) {
  const ClockEstimate& estimate = group.clocks[clock.index()];
  std::vector<ClockJump> steps;
  for (const ClockJump& step : group.steps) {
    if (step.clock == clock) steps.push_back(step);
  }
  const ClockSpan& whole = loaded.spans[clock.index()];
  std::vector<ReadingSpan> spans = {{whole.first, whole.last}};
  const auto epochs = loaded.EpochSpansOf(clock);
  if (!estimate.later_epochs.empty() && !epochs.empty()) spans = {epochs.begin(), epochs.end()};
  std::vector<RateStretch> stretches;
  for (uint32_t k = 0; k < spans.size(); ++k) {
    const auto of_epoch = RateStretchesOf(loaded.traces.clocks[clock.index()],
                                          CorrectionOf(estimate, k), spans[k], steps);
    stretches.insert(stretches.end(), of_epoch.begin(), of_epoch.end());
  }
  return stretches;
}

double MeanDriftPpm(std::span<const RateStretch> stretches) {
  double sum = 0;
  double length = 0;
  for (const RateStretch& stretch : stretches) {
    const double part = DifferenceOf(stretch.to.ns, stretch.from.ns);
    sum += part * stretch.drift_ppm;
    length += part;
  }
  return sum / length;
}

}  // namespace syncline
