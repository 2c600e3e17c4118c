// What `syncline clock probe` says: as text, and as JSON.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "cli/clock/clock_command.h"
#include "report/json_parts.h"
#include "report/table.h"

namespace syncline {
namespace {

std::string DriftText(double ppm) {
  return fmt::format("{}{:.3f} ppm", ppm < 0 ? "−" : "", std::abs(ppm));
}

std::string DriftBoundText(const HostOffset::Bounds& bounds, double drift_ppm) {
  return DriftText(std::max(bounds.high_drift_ppm - drift_ppm, drift_ppm - bounds.low_drift_ppm));
}

// "± " or, where the guess is off the middle by more than a tenth, both distances.
std::string BoundText(const std::optional<HostOffset::Bounds>& bounds) {
  if (!bounds) return "unbounded";
  const auto [least, most] = std::minmax(bounds->below_ns, bounds->above_ns);
  if (most - least <= most / 10) return FormatDuration(bounds->bound_ns);
  return fmt::format("−{}/+{}", FormatDuration(bounds->below_ns), FormatDuration(bounds->above_ns));
}

std::vector<std::string> Row(const ProbedHost& host) {
  std::vector<std::string> row = {host.name, FormatCount(host.figures.exchanges),
                                  FormatCount(host.counts.unanswered)};
  if (!host.figures.best) return row;
  for (const int64_t trip :
       {host.figures.least_trip_ns, host.figures.mean_trip_ns, host.figures.largest_trip_ns}) {
    row.push_back(FormatDuration(trip));
  }
  if (!host.estimate) return row;
  const HostOffset& e = *host.estimate;
  row.push_back(FormatSignedDuration(e.offset_ns));
  row.push_back(BoundText(e.bounds));
  row.push_back(DriftText(e.drift_ppm));
  row.push_back(e.bounds ? DriftBoundText(*e.bounds, e.drift_ppm) : "unbounded");
  row.emplace_back(QualityName(e.quality));
  return row;
}

std::string HostsTable(const ProbeResult& result) {
  Table table({Left("host"), "exchanges", "unanswered", "least trip", "mean", "largest", "offset",
               "±", "drift", "±", "quality"});
  for (const ProbedHost& host : result.hosts) table.AddRow(Row(host));
  return table.ToString();
}

std::string ReceptionTable(const ProbeResult& result) {
  Table table({Left("host"), Left("against"), "rounds", "mean", "least", "largest"});
  for (const ProbedHost& host : result.hosts) {
    if (!host.reception || host.reception->rounds == 0) continue;
    const ReceptionDifference& r = *host.reception;
    table.AddRow({host.name, result.hosts.front().name, FormatCount(r.rounds),
                  FormatSignedDuration(r.mean_ns), FormatSignedDuration(r.least_ns),
                  FormatSignedDuration(r.largest_ns)});
  }
  return table.ToString();
}

std::string ContradictoryText(const std::string& name, const ClientCounts& c) {
  if (c.contradictory_stamps == 0) return {};
  return fmt::format("{}: {} stamps by the kernels contradicted the programs' and were not used.\n",
                     name, FormatCount(c.contradictory_stamps));
}

std::string StampsText(const ProbedHost& host) {
  const auto& k = host.by_kernel;
  return fmt::format(
      "{}: stamped by the kernels: {} questions leaving, {} arriving, {} answers leaving, "
      "{} arriving, of {}.\n",
      host.name, FormatCount(k[0]), FormatCount(k[1]), FormatCount(k[2]), FormatCount(k[3]),
      FormatCount(host.figures.exchanges));
}

std::string IgnoredText(const std::string& name, const ClientCounts& c) {
  if (c.malformed + c.unauthenticated + c.unexpected == 0) return {};
  return fmt::format("{}: ignored {} malformed, {} not signed with the key, {} unexpected.\n", name,
                     FormatCount(c.malformed), FormatCount(c.unauthenticated),
                     FormatCount(c.unexpected));
}

std::string GuaranteeText(const ProbeResult& result) {
  std::string text = fmt::format(
      "Offset: the host's clock less {}, at the last answer; drift: its mean since the "
      "first exchange.",
      result.own);
  const bool has_bounds = std::ranges::any_of(
      result.hosts, [](const ProbedHost& host) { return host.estimate && host.estimate->bounds; });
  if (!has_bounds) return text + " Nothing is guaranteed.\n";
  const auto widens_ns = static_cast<int64_t>(std::ceil(result.max_drift_ppm * 1000));
  fmt::format_to(
      std::back_inserter(text),
      "\nWhere there is a ±, the true one lies within it: guaranteed for clocks that gain "
      "or lose at most {} ppm on each other and are not set, whatever the network did. "
      "That of the offset widens by {} in each second until the next exchange.\n",
      result.max_drift_ppm, FormatDuration(widens_ns));
  for (const ProbedHost& host : result.hosts) {
    if (!host.estimate || host.estimate->max_drift_ppm <= result.max_drift_ppm) continue;
    fmt::format_to(std::back_inserter(text),
                   "{}: up to {:.3f} ppm instead, since it was seen to run so fast or slow.\n",
                   host.name, host.estimate->max_drift_ppm);
  }
  return text;
}

Json CountsJson(const ClientCounts& c) {
  return {SYNCLINE_FIELDS(c, asked, answered, unanswered, refused, contradictory_stamps),
          {"ignored", {SYNCLINE_FIELDS(c, malformed, unauthenticated, unexpected)}}};
}

Json BurstFiguresJson(const BurstFigures& f) {
  Json json = {SYNCLINE_FIELDS(f, exchanges, contradictory, departed_early, used)};
  for (const auto& [key, value] : {std::pair{"least_trip_ns", f.least_trip_ns},
                                   {"mean_trip_ns", f.mean_trip_ns},
                                   {"largest_trip_ns", f.largest_trip_ns}}) {
    json[key] = f.best ? Json(value) : Json(nullptr);
  }
  json["offset_ns"] = f.best ? Json(f.best->offset_ns) : Json(nullptr);
  json["bound_ns"] = f.best ? Json(f.best->bound_ns) : Json(nullptr);
  return json;
}

Json EstimateJson(const std::optional<HostOffset>& estimate) {
  if (!estimate) return nullptr;
  Json json = {
      {"quality", QualityName(estimate->quality)},
      SYNCLINE_FIELDS(*estimate, reason, at_ns, since_ns, offset_ns, drift_ppm, max_drift_ppm),
      {"bounds", nullptr}};
  if (!estimate->bounds) return json;
  const HostOffset::Bounds& b = *estimate->bounds;
  json["bounds"] = {{"offset_low_ns", b.low_ns},
                    {"offset_high_ns", b.high_ns},
                    SYNCLINE_FIELDS(b, bound_ns, below_ns, above_ns),
                    {"drift_low_ppm", b.low_drift_ppm},
                    {"drift_high_ppm", b.high_drift_ppm}};
  return json;
}

const char* NameOf(Contradiction::Kind kind) {
  if (kind == Contradiction::Kind::kOwnSetBack) return "own-set-back";
  if (kind == Contradiction::Kind::kPeerSetBack) return "host-set-back";
  return kind == Contradiction::Kind::kSet ? "set" : "too-fast";
}

Json ContradictionsJson(const ProbedHost& host) {
  Json list = Json::array();
  for (const Contradiction& c : host.contradictions) {
    const bool has_rate = c.drift_ppm != 0 && std::isfinite(c.drift_ppm);
    list.push_back({{"kind", NameOf(c.kind)},
                    SYNCLINE_FIELDS(c, from_ns, to_ns, change_low_ns, change_high_ns),
                    {"drift_ppm", has_rate ? Json(c.drift_ppm) : Json(nullptr)}});
  }
  return {{"count", host.contradictions_seen}, {"first", list}};
}

Json ReceptionJson(const std::optional<ReceptionDifference>& r, const std::string& against) {
  if (!r || r->rounds == 0) return nullptr;
  return {{"against", against}, SYNCLINE_FIELDS(*r, rounds, mean_ns, least_ns, largest_ns)};
}

Json HostJson(const ProbedHost& host, const std::string& first) {
  Json bursts = Json::array();
  for (const ProbedBurst& burst : host.bursts) {
    Json json = {{"at_ns", burst.at_ns}};
    json.update(BurstFiguresJson(burst.figures));
    json["estimate"] = EstimateJson(burst.estimate);
    bursts.push_back(std::move(json));
  }
  return {SYNCLINE_FIELDS(host, name, address),
          {"packets", CountsJson(host.counts)},
          {"exchanges", BurstFiguresJson(host.figures)},
          {"kernel_stamps",
           {{"t1", host.by_kernel[0]},
            {"t2", host.by_kernel[1]},
            {"t3", host.by_kernel[2]},
            {"t4", host.by_kernel[3]}}},
          {"estimate", EstimateJson(host.estimate)},
          {"contradictions", ContradictionsJson(host)},
          {"reception", ReceptionJson(host.reception, first)},
          {"bursts", bursts}};
}

}  // namespace

std::string BurstText(const ProbedHost& host) {
  const ProbedBurst& burst = host.bursts.back();
  std::string text =
      fmt::format("{}  least trip {}", host.name, FormatDuration(burst.figures.least_trip_ns));
  if (burst.contradictions > 0) text += "  contradicts earlier ones";
  if (!burst.estimate) return text + '\n';
  const HostOffset& e = *burst.estimate;
  const std::string bound = BoundText(e.bounds);
  fmt::format_to(std::back_inserter(text), "  offset {} {}{}  drift {} ± {}\n",
                 FormatSignedDuration(e.offset_ns), bound.starts_with("−") ? "" : "± ", bound,
                 DriftText(e.drift_ppm),
                 e.bounds ? DriftBoundText(*e.bounds, e.drift_ppm) : "unbounded");
  return text;
}

std::string ProbeText(const ProbeResult& result) {
  std::string text = "\n";
  text += HostsTable(result);
  text += '\n';
  if (result.HasExchanges()) text += GuaranteeText(result);
  if (result.is_broadcast && result.hosts.size() > 1) {
    text += "\nReceptions of the last burst, by the hosts' own clocks:\n";
    text += ReceptionTable(result);
    text += '\n';
  }
  for (const ProbedHost& host : result.hosts) {
    if (host.figures.exchanges > 0) text += StampsText(host);
    text += ContradictoryText(host.name, host.counts);
    text += IgnoredText(host.name, host.counts);
  }
  text += ContradictoryText("broadcasts", result.group_counts);
  text += IgnoredText("broadcasts", result.group_counts);
  for (const std::string& weakness : result.Weaknesses()) {
    fmt::format_to(std::back_inserter(text), "weakness: {}\n", weakness);
  }
  return text;
}

std::string ProbeJson(const ProbeResult& result) {
  Json hosts = Json::array();
  for (const ProbedHost& host : result.hosts) {
    hosts.push_back(HostJson(host, result.hosts.front().name));
  }
  const Json json = {
      {"syncline", SYNCLINE_VERSION},
      SYNCLINE_FIELDS(result, own, max_drift_ppm),
      {"broadcasts", result.is_broadcast ? CountsJson(result.group_counts) : Json(nullptr)},
      {"hosts", hosts},
      {"was_stopped", result.was_stopped},
      {"weaknesses", result.Weaknesses()}};
  return JsonText(json, 2) + "\n";
}

}  // namespace syncline
