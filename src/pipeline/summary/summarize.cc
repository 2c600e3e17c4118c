#include "pipeline/summary/summarize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "syncline/time.h"

#include "base/difference.h"
#include "base/exit_code.h"
#include "base/int128.h"
#include "estimate/group.h"
#include "model/epochs.h"
#include "pipeline/summary/protocol.h"
#include "pipeline/summary/rate_stretches.h"
#include "pipeline/summary/weaknesses.h"
#include "report/step_text.h"
#include "report/text_parts.h"
#include "trace/formats.h"

namespace syncline {
namespace {

// What is known of `count` readings, evenly from the first to the last, through one epoch after the
// other. Requires: an epoch at least.
std::vector<Summary::Clock::Bounds> BoundsAt(size_t count, std::span<const ReadingSpan> epochs,
                                             const ClockEstimate& estimate) {
  std::vector<Summary::Clock::Bounds> bounds;
  const auto length_of = [](const ReadingSpan& span) {
    return static_cast<Int128>(span.last.ticks) - span.first.ticks;
  };
  Int128 length = 0;
  for (const ReadingSpan& span : epochs) length += length_of(span);
  uint32_t epoch = 0;
  Int128 before = 0;  // the length of epochs before this one
  for (size_t i = 0; i < count; ++i) {
    const Int128 part =
        count > 1 ? length * static_cast<int64_t>(i) / static_cast<int64_t>(count - 1) : 0;
    while (epoch + 1 < epochs.size() && part > before + length_of(epochs[epoch])) {
      before += length_of(epochs[epoch++]);
    }
    const LocalTime t{static_cast<int64_t>(epochs[epoch].first.ticks + (part - before))};
    Summary::Clock::Bounds at{.local = t.ticks, .epoch = epoch};
    const TimeBounds& of_epoch = BoundsOf(estimate, epoch);
    if (const auto lower = of_epoch.Lower(t)) at.lower_ns = lower->ns;
    if (const auto upper = of_epoch.Upper(t)) at.upper_ns = upper->ns;
    bounds.push_back(at);
  }
  return bounds;
}

Summary::BroadcastFigures FiguresOf(const DelayHistogram& differences) {
  return {differences.smallest().value_or(0), differences.largest().value_or(0), differences.mean(),
          differences.standard_deviation()};
}

// A slope near 1 as a decimal number that keeps 20 digits.
std::string DecimalSlope(const Slope& slope) {
  return fmt::format("{:.20f}", 1.0L + slope.Drift());
}

class Summarizer {
 public:
  Summarizer(const LoadedTraces& loaded, const Solution& solution, const QualityFigures& quality,
             std::string_view after)
      : loaded_(loaded),
        solution_(solution),
        quality_(quality),
        after_(after),
        rounding_ns_(RoundingOfClocks(loaded)) {}

  Summary Run(const SolveOptions& options) {
    summary_.version = SYNCLINE_VERSION;
    summary_.group_method = GroupMethodName(options.group);
    summary_.pair_method = LineMethodName(options.method);
    summary_.bounds_assume = solution_.is_without_symmetry       ? "nothing"
                             : options.minimum_delay.is_auto     ? "symmetric minimum delays"
                             : options.minimum_delay.IsNothing() ? "nothing"
                                                                 : "given minimum delays";
    if (loaded_.diagnostics.count("operations-matched-by-order") > 0) {
      Assume("operations matched rightly by order");
    }
    summary_.max_drift_ppm = options.max_drift_ppm;
    const bool has_wander =
        !solution_.RestsOnLines() && solution_.diagnostics.count("wander-contradicted") == 0;
    if (has_wander) summary_.max_wander_ppm = options.max_wander_ppm;
    summary_.diagnostics = loaded_.diagnostics;
    summary_.diagnostics.Merge(solution_.diagnostics);
    AddInputs();
    AddClocks(options);
    AddFindings();
    AddSteps();
    for (const PairInput& pair : solution_.pairs) AddPair(pair, options.for_json);
    AddBroadcasts();
    AddMessages();
    AddSuspects(solution_.suspects, false);
    AddSuspects(solution_.collective_suspects, true);
    CountSuspects();
    CountWeaknesses(loaded_, solution_, quality_, after_, summary_);
    return std::move(summary_);
  }

 private:
  bool WasSet(ClockId clock) const {
    const auto& steps = solution_.group.steps;
    return std::ranges::any_of(steps, [&](const ClockJump& step) { return step.clock == clock; });
  }

  ClockId ReferenceOf(const ClockEstimate& e) const { return solution_.group.roots[e.component]; }

  void AddInputs() {
    for (const LoadedInput& input : loaded_.inputs) {
      Summary::Input entry{input.input.path,
                           std::string(FormatName(input.input.format)),
                           input.input.bytes,
                           input.events,
                           {}};
      for (const ProcessId process : input.processes) {
        const std::string& clock = loaded_.NameOf(loaded_.traces.processes[process.index()].clock);
        if (std::ranges::find(entry.clocks, clock) == entry.clocks.end()) {
          entry.clocks.push_back(clock);
        }
      }
      summary_.timing.events += input.events;
      summary_.inputs.push_back(std::move(entry));
    }
  }

  // Half of what the coarsest of the clock's files can resolve: its written times are rounded to
  // that.
  int64_t WritingErrorNs(size_t clock) const { return (rounding_ns_[clock] + 1) / 2; }

  static Summary::Bound BoundOf(const std::optional<BoundSummary>& bound,
                                int64_t writing_error_ns) {
    if (!bound) return {};
    return {SaturatedSum(bound->best_ns, writing_error_ns),
            SaturatedSum(NearestInteger(bound->mean_ns), writing_error_ns),
            SaturatedSum(bound->worst_ns, writing_error_ns)};
  }

  // Where a side is open for some of the time, what is known of the rest.
  static void AddBounds(const ClockEstimate& e, int64_t writing_error_ns, Summary::Clock& clock) {
    clock.bound = BoundOf(e.bound, writing_error_ns);
    clock.below = BoundOf(e.below, writing_error_ns);
    clock.above = BoundOf(e.above, writing_error_ns);
    if (e.bound) return;
    clock.unbounded_share = e.where_bounded ? e.where_bounded->unbounded_share : 1;
    if (!e.where_bounded) return;
    const auto& [bound, below, above, share] = *e.where_bounded;
    clock.worst_of_rest_ns = BoundOf(bound, writing_error_ns).worst_ns;
    const auto add_part = [&](const BoundSummary& part, Summary::Bound& all) {
      if (all.worst_ns) return;
      all = BoundOf(part, writing_error_ns);
      all.worst_ns.reset();
    };
    add_part(bound, clock.bound);
    add_part(below, clock.below);
    add_part(above, clock.above);
  }

  void AddClocks(const SolveOptions& options) {
    for (size_t i = 0; i < solution_.group.clocks.size(); ++i) {
      const ClockEstimate& e = solution_.group.clocks[i];
      Summary::Clock clock{.name = loaded_.traces.clocks[i].name,
                           .quality = std::string(QualityName(e.quality)),
                           .reference = loaded_.NameOf(ReferenceOf(e)),
                           .reason = e.reason,
                           .events = loaded_.spans[i].events,
                           .first_local = SpansOf(i).front().first.ticks,
                           .last_local = SpansOf(i).front().last.ticks,
                           .reading_ns = loaded_.traces.clocks[i].reading_ns};
      const bool is_known = e.quality != Quality::kAbsent || ReferenceOf(e).index() == i;
      if (is_known) clock.drift_ppm = e.drift_ppm;
      if (is_known) clock.offset_ns = e.offset_ns;
      AddBounds(e, WritingErrorNs(i), clock);
      AddRates(i, clock);
      clock.correction.assign(e.correction.knots().begin(), e.correction.knots().end());
      AddEpochs(ClockId(static_cast<uint32_t>(i)), clock);
      clock.bounds = BoundsAt(options.bound_points, SpansOf(i), e);
      clock.rates = RateStretchesOf(loaded_, solution_.group, ClockId(static_cast<uint32_t>(i)));
      if (is_known && WasSet(ClockId(static_cast<uint32_t>(i))) && !clock.rates.empty()) {
        clock.drift_ppm = MeanDriftPpm(clock.rates);
      }
      summary_.clocks.push_back(std::move(clock));
    }
    if (!solution_.group.roots.empty())
      summary_.reference = loaded_.NameOf(solution_.group.roots.front());
  }

  void AddRates(size_t i, Summary::Clock& clock) const {
    if (i < solution_.rate_limits_ppm.size() && solution_.rate_limits_ppm[i] > 0) {
      // Limits are rounded up by less than 10^-6 ppm.
      clock.rate_limit_ppm = std::round(solution_.rate_limits_ppm[i] * 1e3) / 1e3;
      clock.guess_limit_ppm = solution_.guess_limits_ppm[i];
    }
    if (i < solution_.constant_rate_bounds.size()) {
      clock.constant_rate_bound = BoundOf(solution_.constant_rate_bounds[i], WritingErrorNs(i));
    }
  }

  std::vector<ReadingSpan> SpansOf(size_t clock) const {
    const auto epochs = loaded_.EpochSpansOf(ClockId(static_cast<uint32_t>(clock)));
    const bool knows_epochs = !solution_.group.clocks[clock].later_epochs.empty();
    if (knows_epochs && !epochs.empty()) return {epochs.begin(), epochs.end()};
    return {{loaded_.spans[clock].first, loaded_.spans[clock].last}};
  }

  void AddEpochs(ClockId clock, Summary::Clock& entry) const {
    const ClockEstimate& e = solution_.group.clocks[clock.index()];
    const auto spans = loaded_.EpochSpansOf(clock);
    if (e.later_epochs.empty() || spans.empty()) return;
    const auto processes = NamedProcessesOf(clock);
    for (uint32_t k = 1; k < spans.size(); ++k) {
      const auto knots = CorrectionOf(e, k).knots();
      auto& added = entry.later_epochs.emplace_back();
      added.first_local = spans[k].first.ticks;
      added.last_local = spans[k].last.ticks;
      added.correction.assign(knots.begin(), knots.end());
      for (const auto& [name, process] : processes) {
        const auto first = loaded_.epochs.FirstEvents(process);
        if (k <= first.size()) added.events.emplace_back(name, first[k - 1]);
      }
    }
  }

  // Those whose name says which they are.
  std::map<std::string, ProcessId> NamedProcessesOf(ClockId clock) const {
    std::map<std::string, ProcessId> by_name;
    std::set<std::string> repeated;
    for (uint32_t p = 0; p < loaded_.traces.processes.size(); ++p) {
      const Process& process = loaded_.traces.processes[p];
      if (process.clock != clock) continue;
      if (!by_name.emplace(process.name, ProcessId(p)).second) repeated.insert(process.name);
    }
    for (const std::string& name : repeated) by_name.erase(name);
    return by_name;
  }

  // A step is no weakness where bounds hold all the same.
  void AddSteps() {
    const auto reference =
        std::ranges::find(loaded_.traces.clocks, summary_.reference, &Clock::name);
    if (reference != loaded_.traces.clocks.end()) {
      const auto i = static_cast<size_t>(reference - loaded_.traces.clocks.begin());
      // It may have been set, too.
      const ClockEstimate& clock = solution_.group.clocks[i];
      const std::vector<ReadingSpan> epochs = SpansOf(i);
      const Correction& last =
          clock.later_epochs.empty() ? clock.correction : clock.later_epochs.back().correction;
      summary_.extent = {clock.correction(epochs.front().first), last(epochs.back().last)};
    }
    for (const ClockJump& step : solution_.group.steps) {
      Summary::Step& told = summary_.steps.emplace_back();
      told = {loaded_.NameOf(step.clock), step.ahead_ns,          step.after.ns, step.before.ns,
              step.after_local.ticks,     step.before_local.ticks};
      if (const auto& known = step.known) {
        const int64_t least_ns = known->least_ns.value_or(INT64_MIN);
        told.ahead_ns = std::clamp(step.ahead_ns, least_ns, known->most_ns);
        told.after_ns = known->earliest.ns;
        told.before_ns = known->latest.ns;
        told.least_ahead_ns = known->least_ns;
        told.most_ahead_ns = known->most_ns;
      }
      const bool has_bound = solution_.group.clocks[step.clock.index()].bound.has_value();
      summary_.diagnostics.Count("clock-stepped", has_bound ? Severity::kInfo : Severity::kWarning,
                                 1, StepText(summary_, summary_.steps.back()));
    }
  }

  // Components that are left to the tree.
  void AddFindings() {
    for (size_t i = 0; i < solution_.findings.size(); ++i) {
      const JointFinding& finding = solution_.findings[i];
      if (finding.state != JointFinding::State::kFallback) continue;
      summary_.diagnostics.Count("no-joint-solution", Severity::kWarning, 1,
                                 loaded_.NameOf(solution_.group.roots[i]) + ": " + finding.reason);
    }
  }

  Summary::Direction DirectionOf(ClockId from, ClockId to, uint64_t messages, size_t hull,
                                 int64_t minimum_delay_ns) const {
    const DirectionQuality& before = quality_.before.direction(from, to);
    // Estimation counts what messages imply as well.
    if (loaded_.implied_messages.messages() > 0) messages = before.delays.count();
    const auto collectives = quality_.collectives.find({from, to});
    return {.messages = messages,
            .hull_points = hull,
            .minimum_delay_ns = minimum_delay_ns,
            .before = FiguresOf(before),
            .after = FiguresOf(quality_.after.direction(from, to)),
            .of_collectives = collectives == quality_.collectives.end() ? CollectiveOrder()
                                                                        : collectives->second};
  }

  // Best and worst of evenly spaced readings; U − L has its extremes at bends, which these pass
  // closely.
  Summary::Bound AccuracyOf(const Bounds& bounds, ClockId a) const {
    if (!bounds.upper || !bounds.lower) return {};
    constexpr int kParts = 256;
    const Clock& clock = loaded_.traces.clocks[a.index()];
    const ClockSpan& span = loaded_.spans[a.index()];
    const Int128 first = clock.NominalNs(span.first);
    const Int128 length = clock.NominalNs(span.last) - first;
    Int128 best = 0, worst = 0, sum = 0;
    for (int i = 0; i <= kParts; ++i) {
      const auto x = static_cast<int64_t>(first + length * i / kParts);
      const Int128 width = static_cast<Int128>(bounds.upper->Ceil(x)) - bounds.lower->Floor(x);
      best = i == 0 ? width : std::min(best, width);
      worst = std::max(worst, width);
      sum += width;
    }
    return {Saturate(best), Saturate(sum / (kParts + 1)), Saturate(worst)};
  }

  void AddPair(const PairInput& pair, bool for_json) {
    const PairEstimate& e = pair.estimate;
    Summary::Pair entry{.a = loaded_.NameOf(pair.a),
                        .b = loaded_.NameOf(pair.b),
                        .quality = std::string(QualityName(e.quality)),
                        .reason = e.reason};
    if (e.quality == Quality::kApproximate && !solution_.RestsOnLines()) {
      entry.reason =
          fmt::format("between {} and {} no constant rate fits all messages", entry.a, entry.b);
    }
    entry.ab = DirectionOf(pair.a, pair.b, e.messages_ab, e.hull_ab, e.min_delays.ab_ns);
    entry.ba = DirectionOf(pair.b, pair.a, e.messages_ba, e.hull_ba, e.min_delays.ba_ns);
    if (e.slopes) {
      entry.slope_min = DecimalSlope(e.slopes->min);
      entry.slope_max = DecimalSlope(e.slopes->max);
    }
    entry.violated_hull_points = e.violations.count;
    entry.worst_violation_ns = e.violations.worst_ns;
    entry.line_from = e.line_from;
    entry.regression = RegressionOf(e);
    CountOtherLine(entry);
    if (for_json) entry.accuracy = AccuracyOf(e.bounds, pair.a);
    if (e.out_of_range > 0) {
      summary_.diagnostics.Count("message-out-of-range", Severity::kWarning, e.out_of_range);
    }
    summary_.pairs.push_back(std::move(entry));
  }

  static std::optional<Summary::Regression> RegressionOf(const PairEstimate& estimate) {
    if (!estimate.regression) return std::nullopt;
    const RegressionFigures& r = *estimate.regression;
    const auto parameter = [](const RegressionFigures::Parameter& p) {
      return Summary::Regression::Parameter{p.deviation, p.student, p.chebyshev};
    };
    return Summary::Regression{r.messages, r.residual_deviation_ns, r.confidence,
                               parameter(r.offset_ns), parameter(r.drift_ppm)};
  }

  // Says where a pair's messages did not yield a line by the method asked for.
  void CountOtherLine(const Summary::Pair& pair) {
    const bool hulls_suffice = pair.line_from == "widest" || pair.line_from == "bisector";
    if (pair.line_from.empty() || pair.line_from == summary_.pair_method || !hulls_suffice) return;
    summary_.diagnostics.Count("line-from-other-method", Severity::kInfo, 1,
                               fmt::format("{} and {}", pair.a, pair.b));
  }

  void AddBroadcasts() {
    for (const auto& [clocks, before] : quality_.before.broadcasts()) {
      Summary::BroadcastPair entry{.a = loaded_.NameOf(clocks.first),
                                   .b = loaded_.NameOf(clocks.second),
                                   .count = before.count(),
                                   .before = FiguresOf(before)};
      const auto after = quality_.after.broadcasts().find(clocks);
      if (after != quality_.after.broadcasts().end()) entry.after = FiguresOf(after->second);
      summary_.broadcasts.push_back(std::move(entry));
    }
  }

  void AddMessages() {
    summary_.messages = MessagesOf(quality_.before, quality_.after, loaded_.unmatched_sends,
                                   loaded_.unmatched_receives);
    CollectiveOrder& all = summary_.messages.of_collectives;
    for (const auto& [clocks, of] : quality_.collectives) {
      all.total += of.total;
      all.inverted_before += of.inverted_before;
      all.inverted_after += of.inverted_after;
    }
  }

  void AddSuspects(const std::vector<Message>& messages, bool are_of_collectives) {
    for (const Message& m : messages) {
      const Duration delay = CorrectedTime(loaded_, solution_.group, m.receive) -
                             CorrectedTime(loaded_, solution_.group, m.send);
      summary_.suspects.push_back(
          {SuspectEnd(loaded_.traces, m.send), SuspectEnd(loaded_.traces, m.receive),
           Summary::Suspect::Why::kContradiction, are_of_collectives, delay.ns});
    }
  }

  void CountSuspects() {
    if (summary_.suspects.empty()) return;
    const auto& [send, receive, why, is_of_collective, delay_ns] = summary_.suspects.front();
    summary_.diagnostics.Count(
        "suspect-messages", Severity::kWarning, summary_.suspects.size(),
        DelayText(send.event, send.process, receive.event, receive.process, delay_ns));
    Assume("suspects matched wrongly");
  }

  void Assume(std::string_view what) {
    std::string& assumed = summary_.bounds_assume;
    assumed = assumed == "nothing" ? what : fmt::format("{}, {}", assumed, what);
  }

  const LoadedTraces& loaded_;
  const Solution& solution_;
  const QualityFigures& quality_;
  std::string_view after_;
  std::vector<int64_t> rounding_ns_;
  Summary summary_;
};

}  // namespace

Summary::Suspect::End SuspectEnd(const TraceSet& traces, const EventRef& event) {
  const Process& process = traces.processes[event.process.index()];
  return {traces.clocks[process.clock.index()].name, process.name, event.index, event.time.ticks};
}

Summary Summarize(const LoadedTraces& loaded, const Solution& solution,
                  const QualityFigures& quality, const SolveOptions& options,
                  std::string_view after) {
  return Summarizer(loaded, solution, quality, after).Run(options);
}

int ExitCodeOf(const Summary& summary) {
  return summary.diagnostics.HasAtLeast(Severity::kWarning) ? kExitWeak : kExitDone;
}

}  // namespace syncline
