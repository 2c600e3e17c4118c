#include "base/int128.h"
#include "report/concurrency_summary.h"
#include "report/json_parts.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

Json CutsJson(const ConsistentCuts& cuts) {
  return {{"m", OrNull(cuts.measure)},
          {"consistent_cuts", OrNull(cuts.count)},
          {"sequential_cuts", cuts.sequential},
          {"concurrent_cuts", cuts.concurrent}};
}

Json ComputationJson(const ConcurrencySummary& s) {
  const ComputationMeasures& m = s.measures;
  return {SYNCLINE_FIELDS(m, alpha, height_ns, weight_ns, volume_ns, efficiency, loss, path_share,
                          mean_load_ns, load_deviation_ns, balance, speed, speed_load_ns,
                          speed_load_deviation_ns, speed_balance),
          SYNCLINE_FIELDS(s, messages, collective_ends),
          {"message_events", m.events},
          {"longest_path_events", m.event_height},
          {"fidge", OrNull(m.fidge)},
          {"raynal", OrNull(m.event_alpha)},
          {"charron_bost", CutsJson(s.cuts)}};
}

Json ConcurrencyProcessJson(const ConcurrencySummary::Process& p, const std::string& title,
                            const Ratio& share) {
  const ProcessTotals& t = p.totals;
  const RegionMeasures own =
      MeasureRegion({.computed_ns = t.computed_ns, .delayed_ns = t.delayed_ns});
  return {SYNCLINE_FIELDS(p, name, label),
          {"title", title},
          SYNCLINE_FIELDS(p, first_ns, regions),
          {"message_events", t.events},
          {"speed", static_cast<double>(t.speed.billionths) / 1e9},
          SYNCLINE_FIELDS(t, computed_ns, delayed_ns, height_ns),
          SYNCLINE_FIELDS(own, efficiency, loss),
          {"share", OrNull(share)}};
}

Json ProcessesJson(const ConcurrencySummary& s) {
  Json list = Json::array();
  const ProcessTitles titles(s.processes);
  size_t active = 0;
  for (const ConcurrencySummary::Process& p : s.processes) {
    if (!p.has_events) continue;
    list.push_back(ConcurrencyProcessJson(p, titles.Of(p.name), s.measures.shares[active++]));
  }
  return list;
}

Json RegionJson(const Region& r, const ConcurrencySummary& s) {
  const RegionMeasures m = MeasureRegion(r.values);
  const auto name = [&](ProcessId process) { return s.processes[process.index()].name; };
  return {{"process", name(r.process)},
          {"region", r.number},
          {"end", RegionEndName(r.end)},
          SYNCLINE_FIELDS(r, event, end_ns),
          {"since_first_ns", Saturate(Int128{r.end_ns} - s.processes[r.process.index()].first_ns)},
          {"sender", r.sender ? Json(name(*r.sender)) : Json(nullptr)},
          SYNCLINE_FIELDS(r, own_computed_ns, own_delayed_ns),
          {"alpha", OrNull(m.alpha)},
          SYNCLINE_FIELDS(r.values, computed_ns, delayed_ns, height_ns, weight_ns, volume_ns),
          SYNCLINE_FIELDS(m, efficiency, loss, share, path_share, fidge),
          {"raynal", OrNull(m.event_alpha)}};
}

Json WaitedForJson(const WaitedFor& w, const ConcurrencySummary& s) {
  const auto name = [&](ProcessId process) { return s.processes[process.index()].name; };
  return {{"process", name(w.process)},
          {"sender", w.sender ? Json(name(*w.sender)) : Json(nullptr)},
          SYNCLINE_FIELDS(w, waits, delayed_ns)};
}

}  // namespace

std::string ConcurrencySummaryToJson(const ConcurrencySummary& s) {
  const auto region = [&](const Region& r) { return RegionJson(r, s); };
  const auto waited = [&](const WaitedFor& w) { return WaitedForJson(w, s); };
  const Json json = {{"syncline", s.version},
                     SYNCLINE_FIELDS(s, command, inputs, waits),
                     {"computation", ComputationJson(s)},
                     {"processes", ProcessesJson(s)},
                     {"regions", ListJson(s.regions, region)},
                     {"longest_waits", ListJson(s.longest_waits, region)},
                     {"waited_for", ListJson(s.waited_for, waited)},
                     {"diagnostics", DiagnosticsJson(s.diagnostics)},
                     {"timing", TimingJson(s.timing)}};
  return JsonText(json, 1) + "\n";
}

}  // namespace syncline
