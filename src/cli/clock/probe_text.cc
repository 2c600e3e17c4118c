#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>

#include <fmt/format.h>

#include "base/int128.h"
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

// "± " or, where the guess is off the middle by more than a tenth, both distances.
std::string BoundText(const std::optional<HostOffset::Bounds>& bounds) {
  if (!bounds) return "open";
  const auto [least, most] = std::minmax(bounds->below_ns, bounds->above_ns);
  if (most - least <= most / 10) return FormatDuration(bounds->bound_ns);
  return fmt::format("−{}/+{}", FormatDuration(bounds->below_ns), FormatDuration(bounds->above_ns));
}

// "2025-06-15 15:06:40.123 UTC"
std::string TimeText(int64_t ns) {
  const auto seconds = static_cast<time_t>(FloorDiv(ns, 1'000'000'000));
  const auto ms = (ns - static_cast<Int128>(seconds) * 1'000'000'000) / 1'000'000;
  std::tm parts = {};
  if (::gmtime_r(&seconds, &parts) == nullptr) return fmt::format("{} ns", ns);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} UTC", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     static_cast<int>(ms));
}

// How much a clock was set by, if it was.
std::string ChangeText(const Contradiction& c) {
  if (c.change_low_ns && c.change_high_ns && *c.change_low_ns <= *c.change_high_ns) {
    const Int128 sum = static_cast<Int128>(*c.change_low_ns) + *c.change_high_ns;
    const Int128 open = static_cast<Int128>(*c.change_high_ns) - *c.change_low_ns;
    return fmt::format("about {} ± {}", FormatSignedDuration(Saturate(sum / 2)),
                       FormatDuration(Saturate((open + 1) / 2)));
  }
  if (c.change_low_ns && *c.change_low_ns > 0) {
    return fmt::format("at least {}", FormatSignedDuration(*c.change_low_ns));
  }
  if (c.change_high_ns && *c.change_high_ns < 0) {
    return fmt::format("at least {}", FormatSignedDuration(*c.change_high_ns));
  }
  return "an unknown amount";
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
  std::string text = fmt::format(
      "Offset: the host's clock less {}, at the last answer; drift: its mean since the "
      "first exchange.",
      result.own);
  const bool has_bounds =
      std::any_of(result.hosts.begin(), result.hosts.end(),
                  [](const ProbedHost& host) { return host.estimate && host.estimate->bounds; });
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

}  // namespace

std::string ContradictionText(const ProbeResult& result, const ProbedHost& host,
                              const Contradiction& c) {
  using Kind = Contradiction::Kind;
  if (c.kind == Kind::kOwnSetBack) {
    return fmt::format("{}: {} was set back at {}; its bounds begin anew", host.name, result.own,
                       TimeText(c.from_ns));
  }
  const std::string when = fmt::format("between {} and {}", TimeText(c.from_ns), TimeText(c.to_ns));
  if (c.kind == Kind::kPeerSetBack) {
    return fmt::format("{} was set, by {}, {}; its bounds begin anew", host.name, ChangeText(c),
                       when);
  }
  if (c.kind == Kind::kSet) {
    return fmt::format("{} was set against {}, by {}, {}; its bounds begin anew", host.name,
                       result.own, ChangeText(c), when);
  }
  return fmt::format("{} ran at least {} {} against {} {}, or was set; its bounds begin anew",
                     host.name, DriftText(std::abs(c.drift_ppm)), c.drift_ppm < 0 ? "slow" : "fast",
                     result.own, when);
}

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
