#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/json_parts.h"
#include "report/step_text.h"
#include "report/summary.h"

namespace syncline {
namespace {

// The library prints doubles with at most 17 digits. Longer decimals travel as strings, whose
// quotes are removed from the finished text, where those of keys stand in no string.
std::string UnquoteDecimals(std::string_view text) {
  static constexpr std::string_view kLeast = "\"slope_min\": \"", kMost = "\"slope_max\": \"";
  std::string plain;
  plain.reserve(text.size());
  for (;;) {
    const size_t open = std::min(text.find(kLeast), text.find(kMost));
    plain += text.substr(0, open);
    if (open == std::string_view::npos) return plain;
    plain += text.substr(open, kLeast.size() - 1);
    text.remove_prefix(open + kLeast.size());
    const size_t close = text.find('"');
    plain += text.substr(0, close);
    text.remove_prefix(close + 1);
  }
}

Json BoundsJson(const std::vector<Summary::Clock::Bounds>& bounds) {
  Json json = Json::array();
  for (const Summary::Clock::Bounds& at : bounds) {
    Json entry = {SYNCLINE_FIELDS(at, local, lower_ns, upper_ns)};
    if (at.epoch > 0) entry["epoch"] = at.epoch;
    json.push_back(std::move(entry));
  }
  return json;
}

Json KnotsJson(std::span<const Correction::Knot> knots) {
  return ListJson(knots, [](const Correction::Knot& knot) {
    return Json{{"local", knot.local.ticks}, {"global_ns", knot.global.ns}};
  });
}

Json EpochJson(const Summary::Clock::Epoch& epoch) {
  Json events = Json::object();
  for (const auto& [process, first] : epoch.events) events[process] = first;
  return {SYNCLINE_FIELDS(epoch, first_local, last_local),
          {"correction", KnotsJson(epoch.correction)},
          {"events", std::move(events)}};
}

Json StepJson(const Summary& summary, const Summary::Step& step) {
  return {SYNCLINE_FIELDS(step, clock, ahead_ns, least_ahead_ns, most_ahead_ns, after_ns, before_ns,
                          after_local, before_local),
          {"text", StepText(summary, step)}};
}

Json SummaryClockJson(const Summary::Clock& clock) {
  Json json = {SYNCLINE_FIELDS(clock, name, quality, reference, reason, events, first_local,
                               last_local, reading_ns, drift_ppm, offset_ns),
               {"bound_ns", BoundJson(clock.bound)},
               {"below_ns", BoundJson(clock.below)},
               {"above_ns", BoundJson(clock.above)},
               {"unbounded_share", clock.unbounded_share},
               {"worst_where_bounded_ns", OrNull(clock.WorstKnownNs())},
               SYNCLINE_FIELDS(clock, rate_limit_ppm, guess_limit_ppm),
               {"constant_rate_bound_ns", BoundJson(clock.constant_rate_bound)},
               {"correction", KnotsJson(clock.correction)},
               {"logical", {SYNCLINE_FIELDS(clock, max_advance_ns, events_moved)}}};
  if (!clock.later_epochs.empty()) json["epochs"] = ListJson(clock.later_epochs, EpochJson);
  if (!clock.bounds.empty()) json["bounds"] = BoundsJson(clock.bounds);
  return json;
}

Json CollectivesJson(const CollectiveOrder& figures, bool is_corrected) {
  Json json = {SYNCLINE_FIELDS(figures, total, inverted_before)};
  if (is_corrected) json["inverted_after"] = figures.inverted_after;
  return json;
}

Json SummaryDirectionJson(const Summary& summary, const Summary::Direction& direction) {
  Json json = {{"min_delay_used_ns", direction.minimum_delay_ns},
               {"before", DelayJson(direction.before)}};
  if (summary.corrected) json["after"] = DelayJson(direction.after);
  if (direction.of_collectives.total > 0) {
    json["of_collectives"] = CollectivesJson(direction.of_collectives, summary.corrected);
  }
  return json;
}

Json RegressionJson(const Summary::Regression& r) {
  const auto parameter = [](const Summary::Regression::Parameter& p) {
    return Json{SYNCLINE_FIELDS(p, deviation, student, chebyshev)};
  };
  return {SYNCLINE_FIELDS(r, messages, residual_deviation_ns, confidence),
          {"offset_ns", parameter(r.offset_ns)},
          {"drift_ppm", parameter(r.drift_ppm)}};
}

Json PairJson(const Summary& summary, const Summary::Pair& pair) {
  Json json = {SYNCLINE_FIELDS(pair, a, b),
               {"messages_ab", pair.ab.messages},
               {"messages_ba", pair.ba.messages},
               {"hull_ab", pair.ab.hull_points},
               {"hull_ba", pair.ba.hull_points},
               {"quality", pair.quality},
               {"min_delay_ab_ns", OrNull(pair.ab.after.smallest_ns)},
               {"min_delay_ba_ns", OrNull(pair.ba.after.smallest_ns)},
               {"corridor", {SYNCLINE_FIELDS(pair, slope_min, slope_max)}},
               {"accuracy_ns", BoundJson(pair.accuracy)},
               {"reason", pair.reason},
               {"line_from", pair.line_from.empty() ? Json(nullptr) : Json(pair.line_from)},
               SYNCLINE_FIELDS(pair, violated_hull_points, worst_violation_ns),
               {"ab", SummaryDirectionJson(summary, pair.ab)},
               {"ba", SummaryDirectionJson(summary, pair.ba)}};
  if (pair.regression) json["regression"] = RegressionJson(*pair.regression);
  return json;
}

Json BroadcastJson(const Summary::BroadcastFigures& figures) {
  return {{"min_ns", figures.smallest_ns},
          {"max_ns", figures.largest_ns},
          SYNCLINE_FIELDS(figures, mean_ns, deviation_ns)};
}

Json EndJson(const Summary::Suspect::End& end) {
  return {SYNCLINE_FIELDS(end, clock, process, event), {"local", end.local_ticks}};
}

// The first of either kind.
Json SuspectsJson(const Summary& s) {
  using Why = Summary::Suspect::Why;
  constexpr size_t kMost = 100;
  std::vector<Summary::Suspect> first;
  for (const Why why : {Why::kContradiction, Why::kCycle}) {
    size_t left = kMost;
    std::copy_if(s.suspects.begin(), s.suspects.end(), std::back_inserter(first),
                 [&](const auto& suspect) { return suspect.why == why && left > 0 && left-- > 0; });
  }
  return ListJson(first, [](const Summary::Suspect& suspect) {
    return Json{{"send", EndJson(suspect.send)},
                {"receive", EndJson(suspect.receive)},
                {"why", suspect.why == Why::kCycle ? "cycle" : "contradiction"},
                {"collective", suspect.is_of_collective},
                {"delay_ns", suspect.delay_ns}};
  });
}

}  // namespace

std::string SummaryToJson(const Summary& s) {
  Json json = {{"syncline", s.version}, {"command", s.command}};
  json["inputs"] = InputsJson(s.inputs);
  json["reference"] = s.reference;
  json["group"] = s.group_method;
  json["method"] = s.pair_method;
  json["clocks"] = ListJson(s.clocks, SummaryClockJson);
  json["pairs"] = ListJson(s.pairs, [&](const Summary::Pair& pair) { return PairJson(s, pair); });
  json["broadcasts"] = ListJson(s.broadcasts, [&](const Summary::BroadcastPair& pair) {
    Json entry = {SYNCLINE_FIELDS(pair, a, b, count), {"before", BroadcastJson(pair.before)}};
    if (s.corrected) entry["after"] = BroadcastJson(pair.after);
    return entry;
  });
  json["messages"] =
      s.corrected ? CorrectedMessagesJson(s.messages) : RecordedMessagesJson(s.messages);
  if (s.messages.of_collectives.total > 0) {
    json["messages"]["of_collectives"] = CollectivesJson(s.messages.of_collectives, s.corrected);
  }
  json["messages"]["suspects"] = s.CountSuspects(Summary::Suspect::Why::kContradiction);
  json["messages"]["in_cycles"] = s.CountSuspects(Summary::Suspect::Why::kCycle);
  json["suspects"] = SuspectsJson(s);
  json["steps"] = ListJson(s.steps, [&](const Summary::Step& step) { return StepJson(s, step); });
  if (s.intervals) json["intervals"] = IntervalsJson(*s.intervals);
  if (s.logical) json["logical"] = ProtocolJson(*s.logical);
  if (s.truth) json["truth"] = TruthJson(*s.truth);
  json["diagnostics"] = DiagnosticsJson(s.diagnostics);
  json["bounds_assume"] = s.bounds_assume;
  json["max_drift_ppm"] = OrNull(s.max_drift_ppm);
  json["max_wander_ppm"] = OrNull(s.max_wander_ppm);
  json["timing"] = TimingJson(s.timing);
  return UnquoteDecimals(JsonText(json, 1)) + "\n";
}

}  // namespace syncline
