#include "cli/truth_comparison.h"

namespace syncline {

Result<void> CheckTruth(const Truth& truth, const std::string& path, const TraceSet& traces,
                        Diagnostics& diagnostics) {
  size_t known = 0;
  for (const Clock& clock : traces.clocks) {
    if (truth.clocks.contains(clock.name)) {
      ++known;
    } else {
      diagnostics.Count("clock-without-truth", Severity::kWarning, 1, clock.name);
    }
  }
  if (known >= 2) return {};
  return Fail(ErrorCode::kUsage, "tells of fewer than two of the traces' clocks", path);
}

TruthComparison::TruthComparison(const Truth* truth, const TraceSet& traces,
                                 const GroupEstimate& estimate, ClockId clock)
    : clock_(traces.clocks[clock.index()]), estimate_(estimate.clocks[clock.index()]) {
  if (truth == nullptr) return;
  const ClockId reference = estimate.roots[estimate_.component];
  const auto own = truth->clocks.find(clock_.name);
  const auto other = truth->clocks.find(traces.clocks[reference.index()].name);
  if (own == truth->clocks.end() || other == truth->clocks.end()) return;
  own_ = &own->second;
  reference_ = &other->second;
}

std::optional<GlobalTime> TruthComparison::Expected(LocalTime local) const {
  if (own_ == nullptr) return std::nullopt;
  const GlobalTime instant = (*own_)({clock_.NominalNs(local)});
  return GlobalTime{reference_->Inverse(instant).ticks};
}

void TruthComparison::Add(LocalTime local, GlobalTime written, TrueError& error) const {
  const std::optional<GlobalTime> expected = Expected(local);
  if (!expected) return;
  error.Add(written - *expected);
  // A truth file holds whole nanoseconds: one is left for its rounding.
  const std::optional<GlobalTime> low = estimate_.bounds.Lower(local);
  const std::optional<GlobalTime> high = estimate_.bounds.Upper(local);
  if ((low && expected->ns < low->ns - 1) || (high && expected->ns > high->ns + 1)) {
    error.CountOutsideBound();
  }
}

}  // namespace syncline
