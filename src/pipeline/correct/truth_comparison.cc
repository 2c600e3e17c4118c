#include "pipeline/correct/truth_comparison.h"

#include <algorithm>
#include <cmath>

namespace syncline {
namespace {

// The jumps of the root that the estimate names, and which it takes off.
std::vector<TrueJump> NamedJumps(const TrueClock& root, ClockId clock,
                                 const GroupEstimate& estimate) {
  std::vector<TrueJump> named;
  const std::vector<TrueJump> all = JumpsOf(root);
  auto next = all.begin();
  for (const ClockJump& step : estimate.steps) {
    if (step.clock != clock) continue;
    // What messages tell of its size is about as much as they leave open.
    const auto fits = [&](const TrueJump& jump) {
      const double difference =
          static_cast<double>(jump.ahead_ns) - static_cast<double>(step.ahead_ns);
      return std::abs(difference) < std::abs(static_cast<double>(jump.ahead_ns)) / 2;
    };
    const auto found = std::find_if(next, all.end(), fits);
    named.push_back(found == all.end() ? TrueJump{{}, 0} : *found);
    if (found != all.end()) next = found + 1;
  }
  return named;
}

}  // namespace

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

TruthComparison::TruthComparison(const Truth* truth, const LoadedTraces& loaded,
                                 const GroupEstimate& estimate, ClockId clock)
    : clock_(loaded.traces.clocks[clock.index()]), estimate_(estimate.clocks[clock.index()]) {
  if (truth == nullptr) return;
  const ClockId reference = estimate.roots[estimate_.component];
  const auto own = truth->clocks.find(clock_.name);
  const auto other = truth->clocks.find(loaded.traces.clocks[reference.index()].name);
  if (own == truth->clocks.end() || other == truth->clocks.end()) return;
  own_ = &own->second;
  reference_ = &other->second;
  root_jumps_ = NamedJumps(*reference_, reference, estimate);
  if (estimate_.component < estimate.root_steps_before.size()) {
    root_jumps_before_ = estimate.root_steps_before[estimate_.component];
  }
  std::vector<SeenStep> seen;
  for (const ClockSetBack& step : loaded.SetBacksOf(clock)) {
    seen.push_back({clock_.NominalNs(step.before), clock_.NominalNs(step.after)});
  }
  epochs_ = AlignEpochs(*own_, seen, std::max<int64_t>(clock_.reading_ns, 1));
}

std::optional<GlobalTime> TruthComparison::Expected(LocalTime local, uint32_t epoch) const {
  if (own_ == nullptr) return std::nullopt;
  const TrueEpoch& stretches = epochs_[std::min<size_t>(epoch, epochs_.size() - 1)];
  const int64_t local_ns = clock_.NominalNs(local);
  const GlobalTime instant = TruthAt(*own_, stretches, local_ns)({local_ns});
  return GlobalTime{ShownAt(*reference_, instant) - RootAheadNs(instant)};
}

// By how much the reference is ahead of the time that it keeps for all.
int64_t TruthComparison::RootAheadNs(GlobalTime instant) const {
  int64_t ahead = 0;
  for (size_t i = 0; i < root_jumps_.size(); ++i) {
    const bool is_behind = instant >= root_jumps_[i].at;
    if (i >= root_jumps_before_ && is_behind) ahead += root_jumps_[i].ahead_ns;
    if (i < root_jumps_before_ && !is_behind) ahead -= root_jumps_[i].ahead_ns;
  }
  return ahead;
}

// A reading that the clock showed twice without a trace in the events: the instant that is meant is
// the one that is nearer.
std::optional<GlobalTime> TruthComparison::ExpectedNear(LocalTime local, uint32_t epoch,
                                                        GlobalTime near) const {
  std::optional<GlobalTime> best = Expected(local, epoch);
  if (!best) return best;
  const TrueEpoch& stretches = epochs_[std::min<size_t>(epoch, epochs_.size() - 1)];
  const int64_t local_ns = clock_.NominalNs(local);
  for (size_t i = stretches.first; i <= stretches.last; ++i) {
    const auto knots = (*own_)[i].knots();
    const bool reaches = local_ns <= knots.back().local.ticks || i + 1 == own_->size();
    if (local_ns < knots.front().local.ticks || !reaches) continue;
    const GlobalTime instant = (*own_)[i]({local_ns});
    const GlobalTime shown{ShownAt(*reference_, instant) - RootAheadNs(instant)};
    const auto distance = [&](GlobalTime t) { return t < near ? near - t : t - near; };
    if (distance(shown) < distance(*best)) best = shown;
  }
  return best;
}

void TruthComparison::Add(LocalTime local, uint32_t epoch, GlobalTime written,
                          TrueError& error) const {
  const std::optional<GlobalTime> expected = ExpectedNear(local, epoch, written);
  if (!expected) return;
  error.Add(written - *expected);
  constexpr Duration kRounding{1};  // a truth file holds whole nanoseconds
  const TimeBounds& bounds = BoundsOf(estimate_, epoch);
  const std::optional<GlobalTime> low = bounds.Lower(local);
  const std::optional<GlobalTime> high = bounds.Upper(local);
  if ((low && *expected < *low - kRounding) || (high && *expected > *high + kRounding)) {
    error.CountOutsideBound();
  }
}

}  // namespace syncline
