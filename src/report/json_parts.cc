#include "report/json_parts.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "report/text_parts.h"

namespace syncline {
namespace {

Json PlaceJson(const std::optional<LogicalProtocol::Place>& place) {
  if (!place) return nullptr;
  return {SYNCLINE_FIELDS(*place, process, event)};
}

Json ClassJson(const SummaryIntervals::Class& intervals) {
  return {SYNCLINE_FIELDS(intervals, count, mean_change, max_change)};
}

Json ProtocolProcessJson(const LogicalProtocol::Process& process, const std::string& title) {
  return {{"name", process.name},
          {"title", title},
          SYNCLINE_FIELDS(process, events, moved, last_advance_ns, largest_advance_ns,
                          least_interval_ns)};
}

Json ProtocolDirectionJson(const LogicalProtocol::Direction& direction) {
  return {SYNCLINE_FIELDS(direction, from, to, messages),
          {"before", DelayJson(direction.before)},
          {"after", DelayJson(direction.after)}};
}

Json RoundTripsJson(const std::optional<LogicalProtocol::HalfRoundTrips>& trips) {
  if (!trips) return nullptr;
  return {SYNCLINE_FIELDS(*trips, pairs, min_ns, mean_ns, max_ns)};
}

Json ControllersJson(const LogicalProtocol& p) {
  return {{"events",
           {{"a", p.controller_events[0]},
            {"b", p.controller_events[1]},
            {"c", p.controller_events[2]},
            {"d", p.controller_events[3]}}},
          {"smallest_gamma", OrNull(p.smallest_gamma)},
          {"smallest_gamma_at", PlaceJson(p.smallest_gamma_at)}};
}

}  // namespace

std::string JsonText(const Json& json, int indent) {
  const std::string dumped = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  // DEL and U+0080 to U+009F, which JSON allows and terminals obey.
  std::string_view rest = dumped;
  std::string text;
  text.reserve(dumped.size());
  for (;;) {
    const size_t found = rest.find_first_of("\x7F\xC2");
    text += rest.substr(0, found);
    if (found == std::string_view::npos) return text;
    rest.remove_prefix(found);
    const size_t length = rest[0] == '\xC2' ? 2 : 1;
    const auto last = static_cast<uint8_t>(rest[length - 1]);
    if (last < 0xA0) {
      fmt::format_to(std::back_inserter(text), "\\u{:04x}", last);
    } else {
      text += rest.substr(0, length);
    }
    rest.remove_prefix(length);
  }
}

Json InputsJson(const std::vector<Summary::Input>& inputs) {
  return ListJson(inputs, [](const Summary::Input& input) {
    return Json{SYNCLINE_FIELDS(input, path, format, bytes, events, clocks)};
  });
}

Json BoundJson(const Summary::Bound& bound) {
  return {{"best", OrNull(bound.best_ns)},
          {"mean", OrNull(bound.mean_ns)},
          {"worst", OrNull(bound.worst_ns)}};
}

Json TruthJson(const Summary::Truth& truth) {
  return {SYNCLINE_FIELDS(truth, max_error_ns, rms_error_ns, events, outside_bound)};
}

Json DelayJson(const DelayFigures& figures) {
  return {SYNCLINE_FIELDS(figures, inverted, too_fast),
          {"smallest_delay_ns", OrNull(figures.smallest_ns)},
          {"median_delay_ns", OrNull(figures.median_ns)},
          {"deviation_ns", figures.deviation_ns}};
}

Json RecordedMessagesJson(const SummaryMessages& m) {
  return {SYNCLINE_FIELDS(m, total, unmatched_sends, unmatched_receives, inverted_before,
                          too_fast_before)};
}

Json CorrectedMessagesJson(const SummaryMessages& m) {
  Json json = RecordedMessagesJson(m);
  json["inverted_after"] = m.inverted_after;
  json["too_fast_after"] = m.too_fast_after;
  json["moved_for_rounding"] = m.moved_for_rounding;
  return json;
}

Json IntervalsJson(const SummaryIntervals& intervals) {
  Json json = {{"unchanged", intervals.unchanged},
               {"up_to_0.1_percent", intervals.up_to_a_thousandth.count},
               {"above", intervals.above.count},
               SYNCLINE_FIELDS(intervals, mean_change, max_change),
               {"classes",
                {{"up_to_0.1_percent", ClassJson(intervals.up_to_a_thousandth)},
                 {"above", ClassJson(intervals.above)}}},
               {"largest", nullptr}};
  if (const auto& largest = intervals.largest) {
    json["largest"] = {SYNCLINE_FIELDS(*largest, process, event, original_ns, corrected_ns)};
  }
  return json;
}

Json ProtocolJson(const LogicalProtocol& p) {
  Json json = {
      SYNCLINE_FIELDS(p, clock, controller, events, events_moved),
      {"largest_clock_difference_ns", p.largest_difference_ns},
      {"start_clock_difference_ns", p.start_difference_ns},
      {"clock_difference_exceeded_at", PlaceJson(p.exceeded_at)},
      {"half_round_trip", RoundTripsJson(p.half_round_trips)},
      {"advice",
       {{"clock_difference_ns", OrNull(p.advised_difference_ns)},
        {"min_delay_ns", OrNull(p.advised_min_delay_ns)}}},
      {"controllers", ControllersJson(p)},
      {"amortization",
       {{"jumps", p.jumps},
        {"amortized", p.jumps_amortized},
        {"largest_slope", p.largest_slope},
        {"largest_slope_at", PlaceJson(p.largest_slope_at)}}},
      {"collectives", {SYNCLINE_FIELDS(p.collectives, ends, violated_before, violated_after)}},
      SYNCLINE_FIELDS(p, given_up, late_partners, broken, peak_buffered_events)};
  if (p.online) {
    json["online"] = {{"median_added_delay_at_most_ns", p.online->median_at_most_ns},
                      {"max_added_delay_ns", p.online->max_ns}};
  }
  const ProcessTitles titles(p.processes);
  json["processes"] = ListJson(p.processes, [&](const LogicalProtocol::Process& process) {
    return ProtocolProcessJson(process, titles.Of(process.name));
  });
  json["directions"] = ListJson(p.directions, ProtocolDirectionJson);
  return json;
}

Json DiagnosticsJson(const Diagnostics& diagnostics) {
  return ListJson(diagnostics.all(), [](const auto& entry) {
    const auto& [name, diagnostic] = entry;
    Json json = {{"name", name},
                 {"severity", SeverityName(diagnostic.severity)},
                 SYNCLINE_FIELDS(diagnostic, count, example)};
    if (diagnostic.spread.size() > 1) {
      json["spread"] = ListJson(diagnostic.spread, [](const auto& part) {
        return Json{{"example", part.first}, {"count", part.second}};
      });
    }
    return json;
  });
}

Json TimingJson(const SummaryTiming& t) {
  return {SYNCLINE_FIELDS(t, read_s, match_s, estimate_s, logical_s, write_s, events, peak_bytes)};
}

}  // namespace syncline
