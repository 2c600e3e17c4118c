#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "cli/clock/probe.h"
#include "report/table.h"

namespace syncline {
namespace {

std::string DriftText(double ppm) {
  return fmt::format("{}{:.3f} ppm", ppm < 0 ? "−" : "", std::abs(ppm));
}

std::string DriftBoundText(const HostOffset::Bounds& bounds, double drift_ppm) {
  return DriftText(std::max(bounds.high_drift_ppm - drift_ppm, drift_ppm - bounds.low_drift_ppm));
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
  row.push_back(e.bounds ? FormatDuration(e.bounds->bound_ns) : "open");
  row.push_back(DriftText(e.drift_ppm));
  row.push_back(e.bounds ? DriftBoundText(*e.bounds, e.drift_ppm) : "open");
  row.emplace_back(QualityName(e.quality));
  return row;
}

std::string HostsTable(const ProbeResult& result) {
  Table table({{"host", Align::kLeft},
               {"exchanges"},
               {"unanswered"},
               {"least trip"},
               {"mean"},
               {"largest"},
               {"offset"},
               {"±"},
               {"drift"},
               {"±"},
               {"quality"}});
  for (const ProbedHost& host : result.hosts) table.AddRow(Row(host));
  return table.ToString();
}

std::string ReceptionTable(const ProbeResult& result) {
  Table table({{"host", Align::kLeft},
               {"against", Align::kLeft},
               {"rounds"},
               {"mean"},
               {"least"},
               {"largest"}});
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
  std::string text =
      fmt::format("Offset: the host's clock less {}, at the last answer.", result.own);
  const bool has_bounds =
      std::any_of(result.hosts.begin(), result.hosts.end(),
                  [](const ProbedHost& host) { return host.estimate && host.estimate->bounds; });
  if (!has_bounds) return text + " Nothing is guaranteed.\n";
  fmt::format_to(std::back_inserter(text),
                 " Where there is a ±, the true one lies within it: guaranteed for clocks of "
                 "constant rates{}, whatever the network did.\n",
                 result.max_drift_ppm
                     ? fmt::format(" within {} ppm of each other", *result.max_drift_ppm)
                     : std::string());
  return text;
}

}  // namespace

std::string BurstText(const ProbedHost& host) {
  const ProbedBurst& burst = host.bursts.back();
  std::string text =
      fmt::format("{}  least trip {}", host.name, FormatDuration(burst.figures.least_trip_ns));
  if (!burst.estimate) return text + '\n';
  const HostOffset& e = *burst.estimate;
  fmt::format_to(std::back_inserter(text), "  offset {} ± {}  drift {} ± {}\n",
                 FormatSignedDuration(e.offset_ns),
                 e.bounds ? FormatDuration(e.bounds->bound_ns) : "open", DriftText(e.drift_ppm),
                 e.bounds ? DriftBoundText(*e.bounds, e.drift_ppm) : "open");
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

}  // namespace syncline
