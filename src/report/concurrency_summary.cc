#include "report/concurrency_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <absl/strings/str_replace.h>
#include <fmt/format.h>

#include "base/difference.h"
#include "report/table.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

constexpr size_t kMostProcesses = 32;

std::string RatioText(const Ratio& ratio) { return ratio ? fmt::format("{:.3f}", *ratio) : "n/a"; }

std::string LoadText(const Ratio& ns) { return ns ? FormatDuration(NearestInteger(*ns)) : "n/a"; }

std::string CutsText(const ConsistentCuts& cuts) {
  if (!cuts.count) return "not computed: too many consistent cuts, see --max-cuts";
  return fmt::format(
      "{} from {} consistent cuts, {} of a sequential and {} of a fully concurrent computation",
      RatioText(cuts.measure), FormatCount(*cuts.count), FormatCount(cuts.sequential),
      cuts.concurrent < 1e15 ? FormatCount(static_cast<uint64_t>(std::llround(cuts.concurrent)))
                             : fmt::format("{:.6g}", cuts.concurrent));
}

ConcurrencySummary WithTitles(ConcurrencySummary s) {
  const ProcessTitles titles(s.processes);
  for (ConcurrencySummary::Process& p : s.processes) p.name = titles.Of(p.name);
  return s;
}

// "70.3 % of the processes' time was spent waiting, P#1 most, for P#0."
std::string WaitSentence(const ConcurrencySummary& s) {
  const ComputationMeasures& m = s.measures;
  const int64_t waited = m.volume_ns - m.weight_ns;
  if (waited <= 0) {
    if (s.waits != "recorded") return "No process waited for another.\n";
    return "The traces record no waiting; --waits receives takes the time before each receive for "
           "it.\n";
  }
  const auto most = std::ranges::max_element(s.processes, [](const auto& a, const auto& b) {
    return a.totals.delayed_ns < b.totals.delayed_ns;
  });
  const WaitedFor* cause = nullptr;
  for (const WaitedFor& w : s.waited_for) {
    if (&s.processes[w.process.index()] != &*most) continue;
    if (cause == nullptr || w.delayed_ns > cause->delayed_ns) cause = &w;
  }
  const double share = static_cast<double>(waited) / static_cast<double>(m.volume_ns);
  std::string text = fmt::format("{:.1f} % of the processes' time was spent waiting, {} most",
                                 100 * share, most->name);
  if (cause != nullptr) {
    text += ", for " + (cause->sender ? s.processes[cause->sender->index()].name : "collectives");
  }
  return text + ".\n";
}

std::string ComputationText(const ConcurrencySummary& s) {
  const ComputationMeasures& m = s.measures;
  std::string text = fmt::format(
      "Concurrency α = {} (1: fully concurrent, 0: fully sequential) of {} with {} and {} of "
      "collectives.\n",
      RatioText(m.alpha),
      FormatCount(m.shares.size()) + (m.shares.size() == 1 ? " process" : " processes"),
      FormatCount(s.messages, "message"), FormatCount(s.collective_ends, "end"));
  text += fmt::format(
      "Computed in all {}, waited {}: efficiency Φ1 {}, loss Φ2 {}. The longest causal path "
      "computes {}: Φ4 {}.\n",
      FormatDuration(m.weight_ns), FormatDuration(m.volume_ns - m.weight_ns),
      RatioText(m.efficiency), RatioText(m.loss), FormatDuration(m.height_ns),
      RatioText(m.path_share));
  text +=
      fmt::format("Mean load Φ5 {}, mean deviation Φ6 {}: balance Φ7 {}.\n",
                  LoadText(m.mean_load_ns), LoadText(m.load_deviation_ns), RatioText(m.balance));
  if (m.speed != static_cast<double>(m.shares.size())) {
    text += fmt::format("With speeds, ρ = {:.3f}: load Φ5' {}, deviation Φ6' {}: balance Φ7' {}.\n",
                        m.speed, LoadText(m.speed_load_ns), LoadText(m.speed_load_deviation_ns),
                        RatioText(m.speed_balance));
  }
  text += fmt::format(
      "For comparison, of {} and a longest path of {}: Fidge β {}, Raynal et al. α {}.\n",
      FormatCount(static_cast<uint64_t>(m.events), "message event"),
      FormatCount(static_cast<uint64_t>(m.event_height)), RatioText(m.fidge),
      RatioText(m.event_alpha));
  return text + fmt::format("Charron-Bost m {}.\n", CutsText(s.cuts));
}

std::string ConcurrencyTable(const ConcurrencySummary& s, size_t columns) {
  Table table({Left("process"), "computed", "waited", "efficiency φ1", "share Φ3", "longest path",
               "regions"});
  size_t active = 0;
  for (const ConcurrencySummary::Process& p : s.processes) {
    if (!p.has_events) continue;
    const Ratio share = s.measures.shares[active++];
    if (active > kMostProcesses) continue;
    const ProcessTotals& t = p.totals;
    const RegionMeasures own =
        MeasureRegion({.computed_ns = t.computed_ns, .delayed_ns = t.delayed_ns});
    table.AddRow({p.name, FormatDuration(t.computed_ns), FormatDuration(t.delayed_ns),
                  RatioText(own.efficiency), RatioText(share), FormatDuration(t.height_ns),
                  FormatCount(p.regions)});
  }
  std::string text = table.ToString(columns);
  if (active > kMostProcesses) {
    text += fmt::format("… and {} more processes\n", FormatCount(active - kMostProcesses));
  }
  return text;
}

std::string WaitedForTable(const ConcurrencySummary& s, size_t columns) {
  Table table({Left("waited for"), "waits", "in all", "of all waiting"});
  const int64_t all = s.measures.volume_ns - s.measures.weight_ns;
  for (const WaitedFor& w : s.waited_for) {
    const std::string sender = w.sender ? s.processes[w.sender->index()].name : "collectives";
    table.AddRow({fmt::format("{} for {}", s.processes[w.process.index()].name, sender),
                  FormatCount(w.waits), FormatDuration(w.delayed_ns),
                  fmt::format("{:.1f} %", 100 * static_cast<double>(w.delayed_ns) /
                                              static_cast<double>(std::max<int64_t>(all, 1)))});
  }
  return table.ToString(columns);
}

std::string EndText(const Region& region, const ConcurrencySummary& s) {
  const std::string end = RegionEndName(region.end);
  if (!region.sender) return end;
  return fmt::format("{} from {}", end, s.processes[region.sender->index()].name);
}

std::string RegionTable(const std::vector<Region>& regions, const char* title,
                        const ConcurrencySummary& s, size_t columns) {
  Table table({Left(title), Left("ends with"), "event", "after its start", "α", "computed in it",
               "waited in it"});
  for (const Region& r : regions) {
    const ConcurrencySummary::Process& p = s.processes[r.process.index()];
    int64_t after = 0;
    if (__builtin_sub_overflow(r.end_ns, p.first_ns, &after)) after = INT64_MAX;
    table.AddRow({fmt::format("region {} of {}", r.number, p.name), EndText(r, s),
                  FormatCount(r.event), FormatDuration(after),
                  RatioText(MeasureRegion(r.values).alpha), FormatDuration(r.own_computed_ns),
                  FormatDuration(r.own_delayed_ns)});
  }
  return table.ToString(columns);
}

// As RFC 4180 has it.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return "\"" + absl::StrReplaceAll(text, {{"\"", "\"\""}}) + "\"";
}

std::string CsvField(const Ratio& ratio) { return ratio ? fmt::format("{}", *ratio) : ""; }

}  // namespace

std::string RegionEndName(RegionEnd end) {
  switch (end) {
    case RegionEnd::kSend: return "send";
    case RegionEnd::kDelivery: return "delivery";
    case RegionEnd::kCollectiveBegin: return "collective-begin";
    case RegionEnd::kCollectiveEnd: return "collective-end";
    case RegionEnd::kTermination: return "termination";
  }
  return "";
}

std::string ConcurrencySummaryToText(const ConcurrencySummary& summary, size_t columns) {
  const ConcurrencySummary s = WithTitles(summary);
  std::string text = WaitSentence(s) + ComputationText(s);
  text += fmt::format("\n{}", ConcurrencyTable(s, columns));
  if (!s.waited_for.empty()) text += fmt::format("\n{}", WaitedForTable(s, columns));
  if (!s.regions.empty())
    text += fmt::format("\n{}", RegionTable(s.regions, "least α", s, columns));
  if (!s.longest_waits.empty()) {
    text += fmt::format("\n{}", RegionTable(s.longest_waits, "longest waits", s, columns));
  }
  const std::string findings = DiagnosticsText(s.diagnostics);
  return findings.empty() ? text : fmt::format("{}\n{}", text, findings);
}

std::string RegionCsvHeader() {
  return "process,region,end,event,end_ns,sender,own_computed_ns,own_delayed_ns,alpha,computed_ns,"
         "delayed_ns,height_ns,weight_ns,volume_ns,efficiency,loss,share,path_share,fidge,raynal\n";
}

std::string RegionCsvLine(const Region& r, const std::string& process, const std::string& sender) {
  const RegionMeasures m = MeasureRegion(r.values);
  const RegionValues& v = r.values;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                     CsvField(process), r.number, RegionEndName(r.end), r.event, r.end_ns,
                     CsvField(sender), r.own_computed_ns, r.own_delayed_ns, CsvField(m.alpha),
                     v.computed_ns, v.delayed_ns, v.height_ns, v.weight_ns, v.volume_ns,
                     CsvField(m.efficiency), CsvField(m.loss), CsvField(m.share),
                     CsvField(m.path_share), CsvField(m.fidge), CsvField(m.event_alpha));
}

}  // namespace syncline
