#include "report/filter_summary.h"

#include <fmt/format.h>

#include "report/json_parts.h"
#include "report/table.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

std::string PlaceText(const std::optional<LogicalProtocol::Place>& place) {
  return place ? fmt::format(" (event {} of {})", place->event, place->process) : "";
}

std::string ProtocolTable(const LogicalProtocol& p, size_t columns) {
  Table table(
      {Left("process"), "events", "moved", "moved by at most", "at its end", "least interval"});
  constexpr size_t kMost = 32;
  for (size_t i = 0; i < std::min(p.processes.size(), kMost); ++i) {
    const LogicalProtocol::Process& process = p.processes[i];
    table.AddRow({process.name, FormatCount(process.events), FormatCount(process.moved),
                  FormatDuration(process.largest_advance_ns),
                  FormatDuration(process.last_advance_ns),
                  process.least_interval_ns ? FormatDuration(*process.least_interval_ns) : "–"});
  }
  std::string text = table.ToString(columns);
  if (p.processes.size() > kMost) {
    text += fmt::format("… and {} more processes\n", FormatCount(p.processes.size() - kMost));
  }
  return text;
}

std::string DirectionTable(const LogicalProtocol& p, size_t columns) {
  const bool has_fast = std::ranges::any_of(
      p.directions, [](const auto& d) { return d.before.too_fast + d.after.too_fast > 0; });
  std::vector<Table::Column> heads = {{"messages", Align::kLeft}, {"count"}, {"inverted"}};
  if (has_fast) heads.push_back({"too fast"});
  heads.push_back({"smallest delay"});
  Table table(std::move(heads));
  constexpr size_t kMost = 32;
  for (size_t i = 0; i < std::min(p.directions.size(), kMost); ++i) {
    const LogicalProtocol::Direction& d = p.directions[i];
    const auto change = [](uint64_t before, uint64_t after) {
      return FormatCount(before) + " → " + FormatCount(after);
    };
    std::vector<std::string> row = {d.from + " → " + d.to, FormatCount(d.messages),
                                    change(d.before.inverted, d.after.inverted)};
    if (has_fast) row.push_back(change(d.before.too_fast, d.after.too_fast));
    row.push_back(FormatBound(d.before.smallest_ns) + " → " + FormatBound(d.after.smallest_ns));
    table.AddRow(std::move(row));
  }
  std::string text = table.ToString(columns);
  if (p.directions.size() > kMost) {
    text += fmt::format("… and {} more directions\n", FormatCount(p.directions.size() - kMost));
  }
  return text;
}

std::string DifferenceText(const LogicalProtocol& p, TextDetail detail) {
  if (!p.advised_difference_ns && detail == TextDetail::kUsual) return "";
  std::string text =
      fmt::format("Largest clock difference: {}, expected {}",
                  FormatDuration(p.largest_difference_ns), FormatDuration(p.start_difference_ns));
  if (!p.advised_difference_ns) return text + ".\n";
  return fmt::format("{}, exceeded first{}. Advice for similar traces: --clock-difference {}\n",
                     text, PlaceText(p.exceeded_at), *p.advised_difference_ns);
}

std::string RoundTripText(const LogicalProtocol& p) {
  if (!p.half_round_trips || !p.advised_min_delay_ns) return "";
  const LogicalProtocol::HalfRoundTrips& trips = *p.half_round_trips;
  return fmt::format(
      "Half of the least round trips of {}: {} at least, {} on average, {} at most. Advice for "
      "similar traces: --min-delay {}\n",
      FormatCount(trips.pairs, "pair"), FormatDuration(trips.min_ns), FormatDuration(trips.mean_ns),
      FormatDuration(trips.max_ns), *p.advised_min_delay_ns);
}

std::string MovedText(const LogicalProtocol& p) {
  if (p.events_moved == 0) return "No event had to be moved.\n";
  const auto most =
      std::ranges::max_element(p.processes, {}, &LogicalProtocol::Process::largest_advance_ns);
  return fmt::format("{} of {} moved forward, by at most {} ({}).\n", FormatCount(p.events_moved),
                     FormatCount(p.events, "event"), FormatDuration(most->largest_advance_ns),
                     most->name);
}

std::string ControllerText(const LogicalProtocol& p) {
  if (!p.smallest_gamma) return "";
  if (p.controller == "original") {
    return fmt::format("Controller original: smallest γ {:.6f}{}.\n", *p.smallest_gamma,
                       PlaceText(p.smallest_gamma_at));
  }
  const auto& [a, b, c, d] = p.controller_events;
  return fmt::format(
      "Controllers: γ was set by A at {}, by B at {}, by C at {}, by D at {} events; smallest γ "
      "{:.6f}{}.\n",
      FormatCount(a), FormatCount(b), FormatCount(c), FormatCount(d), *p.smallest_gamma,
      PlaceText(p.smallest_gamma_at));
}

std::string AmortizationText(const LogicalProtocol& p) {
  if (p.jumps == 0) return "";
  if (p.jumps_amortized == 0) {
    return fmt::format("{}, none spread backwards.\n", FormatCount(p.jumps, "jump"));
  }
  return fmt::format("{}, {} spread backwards; the steepest adds {} to intervals{}.\n",
                     FormatCount(p.jumps, "jump"), FormatCount(p.jumps_amortized),
                     FormatPercent(p.largest_slope), PlaceText(p.largest_slope_at));
}

std::string CollectiveText(const LogicalProtocol& p) {
  if (p.collectives.ends == 0) return "";
  return fmt::format(
      "Of {} of collectives, {} came before a begin they waited for; now {}.\n",
      FormatCount(p.collectives.ends, "end"), FormatCount(p.collectives.violated_before),
      p.collectives.violated_after == 0 ? "none does"
                                        : FormatCount(p.collectives.violated_after) + " still do");
}

std::string WaitText(const LogicalProtocol& p) {
  std::string text;
  if (p.given_up > 0) {
    text += fmt::format("{} no longer waited for; {} came after all, {} of them too early.\n",
                        FormatCount(p.given_up, "partner"), FormatCount(p.late_partners),
                        FormatCount(p.broken));
  }
  if (p.online) {
    text +=
        fmt::format("Added delay: at most {} for half of the events, {} for all.\n",
                    FormatDuration(p.online->median_at_most_ns), FormatDuration(p.online->max_ns));
  }
  return text;
}

}  // namespace

std::string IntervalText(const SummaryIntervals& i) {
  std::string text = fmt::format(
      "Intervals between successive events: {} unchanged, {} changed by up to 0.1 % (mean {}), {} "
      "by more (mean {}); mean of all {}",
      FormatCount(i.unchanged), FormatCount(i.up_to_a_thousandth.count),
      FormatPercent(i.up_to_a_thousandth.mean_change), FormatCount(i.above.count),
      FormatPercent(i.above.mean_change), FormatPercent(i.mean_change));
  if (i.largest) {
    text += fmt::format(", largest {} ({} ns became {} ns, before event {} of {})",
                        FormatPercent(i.max_change), i.largest->original_ns,
                        i.largest->corrected_ns, i.largest->event, i.largest->process);
  }
  return text + ".\n";
}

void UseTitles(LogicalProtocol& p, SummaryIntervals& intervals) {
  const ProcessTitles titles(p.processes);
  for (LogicalProtocol::Process& process : p.processes) process.name = titles.Of(process.name);
  for (auto* place : {&p.exceeded_at, &p.smallest_gamma_at, &p.largest_slope_at}) {
    if (*place) (*place)->process = titles.Of((*place)->process);
  }
  if (intervals.largest) intervals.largest->process = titles.Of(intervals.largest->process);
}

std::string ProtocolText(const LogicalProtocol& p, const TextStyle& style) {
  const std::string usual = MovedText(p) + DifferenceText(p, style.detail) + CollectiveText(p);
  if (style.detail == TextDetail::kUsual) return usual + WaitText(p);
  return ProtocolTable(p, style.columns) + "\n" + usual + RoundTripText(p) + ControllerText(p) +
         AmortizationText(p) +
         fmt::format("At most {} were held at once.\n",
                     FormatCount(p.peak_buffered_events, "event")) +
         WaitText(p);
}

std::string FilterSummaryToText(const FilterSummary& given, const TextStyle& style) {
  FilterSummary s = given;
  UseTitles(s.logical, s.intervals);
  std::string text = CorrectedInversionSentence(s.messages);
  if (!s.logical.directions.empty()) text += "\n" + DirectionTable(s.logical, style.columns);
  text += "\n" + ProtocolText(s.logical, style) + IntervalText(s.intervals);
  const std::string findings = DiagnosticsText(s.diagnostics);
  return findings.empty() ? text : text + "\n" + findings;
}

std::string FilterSummaryToJson(const FilterSummary& s) {
  const Json json = {{"syncline", s.version},
                     {"command", s.command},
                     {"messages", CorrectedMessagesJson(s.messages)},
                     {"intervals", IntervalsJson(s.intervals)},
                     {"logical", ProtocolJson(s.logical)},
                     {"diagnostics", DiagnosticsJson(s.diagnostics)},
                     {"timing", TimingJson(s.timing)}};
  return JsonText(json, 1) + "\n";
}

}  // namespace syncline
