#include "record/counter/machine_calibration.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/try.h"
#include "record/counter/time_sources.h"

namespace syncline {
namespace {

const char* ReferenceName(clockid_t clock) {
  if (clock == CLOCK_MONOTONIC) return "CLOCK_MONOTONIC";
  return clock == CLOCK_REALTIME ? "CLOCK_REALTIME" : "CLOCK_MONOTONIC_RAW";
}

// Not longer than the span even where the clock is set back meanwhile. Short times are waited for
// without giving the processor away.
void WaitUntil(TimeSources& sources, int64_t end_ns, int64_t span) {
  constexpr int64_t kShortNs = 2'000'000;
  int64_t left = end_ns - sources.ReferenceNs();
  if (span > kShortNs) return sources.Sleep(std::min(left, span));
  while (left > 0 && left <= span) left = end_ns - sources.ReferenceNs();
}

// From 10 µs on, each time ten times longer; what an interruption has made late is left out.
std::vector<Frequency> FrequencyOverTime(TimeSources& sources, int64_t longest_ns) {
  constexpr int64_t kShortestNs = 10'000;
  std::vector<Frequency> by_elapsed;
  const Sighting early = SeeReference(sources);
  for (int64_t span = kShortestNs;; span = std::min(span * 10, longest_ns)) {
    const int64_t elapsed = sources.ReferenceNs() - early.clock_ns;
    if (elapsed > 5 * span && span < longest_ns) continue;
    WaitUntil(sources, early.clock_ns + span, span);
    if (const auto f = FrequencyBetween(early, SeeReference(sources), sources)) {
      by_elapsed.push_back(*f);
    }
    if (span >= longest_ns) return by_elapsed;
  }
}

}  // namespace

Result<MachineCalibration> CalibrateMachine(const CalibrationPlan& plan) {
  MachineCalibration c;
  c.facts = InspectCounter();
  SYNCLINE_ASSIGN(c.choice, ChooseCounter(c.facts, plan.counter));
  c.reference = ReferenceName(plan.reference);
  c.wanted_bound_ppb = plan.wanted_bound_ppb;
  MachineTime sources(c.choice.kind, plan.reference);
  c.is_reference = sources.CounterIsReference();
  c.by_elapsed = FrequencyOverTime(sources, plan.longest_ns);
  c.costs = MeasureReadingCosts(c.facts, c.choice.kind);
  c.cores = CompareCores(c.choice.kind);
  return c;
}

std::optional<int64_t> MachineCalibration::WantedElapsedNs() const {
  if (is_reference || Best() == nullptr) return std::nullopt;
  return ElapsedNsFor(wanted_bound_ppb, *Best());
}

std::vector<std::string> MachineCalibration::Weaknesses() const {
  std::vector<std::string> weaknesses;
  const bool has_counter =
      !facts.counters.empty() && facts.counters.front() != CounterKind::kSystemClock;
  if (!has_counter) {
    weaknesses.emplace_back("programs cannot read this processor's counter");
  } else if (!facts.is_invariant || !facts.is_trusted_by_kernel) {
    weaknesses.emplace_back("the processor's counter is not steady");
  }
  for (const CoreOffset& core : cores) {
    if (core.MayBeEqual()) continue;
    weaknesses.push_back(
        fmt::format("the counters of cores {} and {} differ", core.against, core.core));
  }
  if (Best() == nullptr) {
    weaknesses.emplace_back("the frequency could not be measured");
  } else if (Best()->BoundPpb() > wanted_bound_ppb) {
    weaknesses.emplace_back("the wanted bound was not reached; give it more --time");
  }
  return weaknesses;
}

}  // namespace syncline
