#include "pipeline/summary/weaknesses.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/quantity_text.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

class Weaknesses {
 public:
  Weaknesses(const LoadedTraces& loaded, const Solution& solution, const QualityFigures& quality,
             Summary& summary)
      : loaded_(loaded), solution_(solution), quality_(quality), summary_(summary) {}

  void Count(std::string_view after) {
    CountClocks();
    CountAmbiguousReadings();
    CountInvertedOnOneClock();
    const SummaryMessages& m = summary_.messages;
    Warn("too-fast-after-correction", m.too_fast_after, after);
    Warn("inverted-after-correction", m.AllInvertedAfter(), after);
    if (solution_.RestsOnLines()) {
      CountLines();
    } else {
      CountOpenDrifts();
    }
  }

 private:
  void Warn(std::string_view name, uint64_t count, std::string_view example) {
    summary_.diagnostics.Count(name, Severity::kWarning, count, example);
  }
  ClockId ReferenceOf(const ClockEstimate& e) const { return solution_.group.roots[e.component]; }

  void CountClocks() {
    for (const Summary::Clock& clock : summary_.clocks) {
      if (clock.reference != summary_.reference) Warn("unrelated-clock", 1, clock.name);
      if (clock.quality == "accurate" || clock.name == clock.reference) continue;
      Warn("clock-below-accurate", 1,
           clock.name + ": " + clock.quality + (clock.reason.empty() ? "" : ", " + clock.reason));
    }
  }

  // Readings that processes of one clock may have had before it was set back, or after.
  void CountAmbiguousReadings() {
    const auto& processes = loaded_.traces.processes;
    std::map<ClockId, int64_t> back_ns;  // the most that a clock was set back at once
    for (const ClockJump& step : solution_.group.steps) {
      back_ns[step.clock] = std::max(back_ns[step.clock], -step.ahead_ns);
      const auto shares = [&](const Process& process) { return process.clock == step.clock; };
      const bool is_seen = !loaded_.EpochSpansOf(step.clock).empty();
      if (step.ahead_ns >= 0 || is_seen || std::ranges::count_if(processes, shares) < 2) continue;
      Warn("clock-epoch-ambiguous", 1,
           fmt::format("{}: none of its processes saw that it was set back by {}",
                       loaded_.NameOf(step.clock), FormatDuration(-step.ahead_ns)));
    }
    for (const UnseenSetBack& unseen : loaded_.unseen_set_backs) {
      const Process& process = processes[unseen.process.index()];
      const Clock& clock = loaded_.traces.clocks[process.clock.index()];
      const Int128 back = back_ns[process.clock];
      const auto ns = [&](LocalTime t) { return static_cast<Int128>(clock.NominalNs(t)); };
      const auto& [before, after] = unseen.set_back;
      const bool can_be_old = unseen.first_after && ns(*unseen.first_after) <= ns(after) + back;
      const bool can_be_new = unseen.last_before && ns(*unseen.last_before) >= ns(before) - back;
      if (!can_be_old && !can_be_new) continue;
      Warn("clock-epoch-ambiguous", 1, process.name);
    }
  }

  // Between processes of one clock, by more than its ticks: processes of one clock that do not
  // share it, or wrong matches. Nothing but the logical clock changes that.
  void CountInvertedOnOneClock() {
    for (uint32_t c = 0; c < loaded_.traces.clocks.size(); ++c) {
      const Clock& clock = loaded_.traces.clocks[c];
      const DirectionQuality& own = quality_.before.direction(ClockId(c), ClockId(c));
      const int64_t smallest = own.delays.smallest().value_or(0);
      if (own.inverted == 0 || smallest >= -clock.reading_ns) continue;
      Warn("inverted-on-one-clock", own.inverted,
           fmt::format("{}: received up to {} before sent", clock.name, FormatDuration(-smallest)));
    }
  }

  void CountLines() {
    for (const PairInput& pair : solution_.pairs) {
      const std::string names = loaded_.NameOf(pair.a) + " and " + loaded_.NameOf(pair.b);
      if (pair.estimate.quality == Quality::kApproximate) {
        Warn("pair-without-admissible-line", 1, names);
      }
      if (pair.estimate.quality == Quality::kAccurate) CountPrior(pair.estimate, names);
    }
  }

  // Says where messages leave the rate open to what the prior allows.
  void CountPrior(const PairEstimate& e, const std::string& names) {
    if (!summary_.max_drift_ppm) return;
    const SlopeRange prior = PriorRange(summary_.max_drift_ppm);
    if (e.slopes->min != prior.min && e.slopes->max != prior.max) return;
    // A line at the very limit suggests that the true rate lies beyond it.
    const bool is_at_limit = e.line->slope == prior.min || e.line->slope == prior.max;
    summary_.diagnostics.Count("rate-limited-by-prior",
                               is_at_limit ? Severity::kWarning : Severity::kInfo, 1, names);
  }

  // Clocks that no chain of pairs relates to their reference whose messages narrow the rates that
  // the prior allows, or show that they change.
  void CountOpenDrifts() {
    if (!summary_.max_drift_ppm) return;
    const SlopeRange prior = PriorRange(summary_.max_drift_ppm);
    const std::vector<ClockEstimate>& clocks = solution_.group.clocks;
    std::vector<bool> is_told(clocks.size());
    for (size_t i = 0; i < clocks.size(); ++i) is_told[i] = ReferenceOf(clocks[i]).index() == i;
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (const PairInput& pair : solution_.pairs) {
        const auto& slopes = pair.estimate.slopes;
        const bool is_open = pair.estimate.quality != Quality::kApproximate &&
                             (!slopes || (slopes->min == prior.min && slopes->max == prior.max));
        if (is_open || is_told[pair.a.index()] == is_told[pair.b.index()]) continue;
        is_told[pair.a.index()] = is_told[pair.b.index()] = is_new = true;
      }
    }
    std::map<std::string, std::vector<std::string>> open;  // by reference
    for (size_t i = 0; i < clocks.size(); ++i) {
      if (is_told[i] || clocks[i].quality != Quality::kAccurate) continue;
      open[loaded_.NameOf(ReferenceOf(clocks[i]))].push_back(loaded_.traces.clocks[i].name);
    }
    for (const auto& [reference, names] : open) {
      summary_.diagnostics.Count(
          "drift-undetermined", Severity::kInfo, names.size(),
          fmt::format("{}: too few messages to measure {} against {}'s, assumed within {} ppm",
                      NamesText(names), names.size() == 1 ? "its rate" : "their rates", reference,
                      *summary_.max_drift_ppm));
    }
  }

  const LoadedTraces& loaded_;
  const Solution& solution_;
  const QualityFigures& quality_;
  Summary& summary_;
};

}  // namespace

void CountWeaknesses(const LoadedTraces& loaded, const Solution& solution,
                     const QualityFigures& quality, std::string_view after, Summary& summary) {
  Weaknesses(loaded, solution, quality, summary).Count(after);
}

}  // namespace syncline
