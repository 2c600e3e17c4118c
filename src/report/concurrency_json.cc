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
  return {{"alpha", OrNull(m.alpha)},
          {"height_ns", m.height_ns},
          {"weight_ns", m.weight_ns},
          {"volume_ns", m.volume_ns},
          {"efficiency", OrNull(m.efficiency)},
          {"loss", OrNull(m.loss)},
          {"path_share", OrNull(m.path_share)},
          {"mean_load_ns", OrNull(m.mean_load_ns)},
          {"load_deviation_ns", OrNull(m.load_deviation_ns)},
          {"balance", OrNull(m.balance)},
          {"speed", m.speed},
          {"speed_load_ns", OrNull(m.speed_load_ns)},
          {"speed_load_deviation_ns", OrNull(m.speed_load_deviation_ns)},
          {"speed_balance", OrNull(m.speed_balance)},
          {"messages", s.messages},
          {"collective_ends", s.collective_ends},
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
  return {{"name", p.name},
          {"label", p.label},
          {"title", title},
          {"first_ns", p.first_ns},
          {"regions", p.regions},
          {"message_events", t.events},
          {"speed", static_cast<double>(t.speed.billionths) / 1e9},
          {"computed_ns", t.computed_ns},
          {"delayed_ns", t.delayed_ns},
          {"height_ns", t.height_ns},
          {"efficiency", OrNull(own.efficiency)},
          {"loss", OrNull(own.loss)},
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
          {"event", r.event},
          {"end_ns", r.end_ns},
          {"since_first_ns", Saturate(Int128{r.end_ns} - s.processes[r.process.index()].first_ns)},
          {"sender", r.sender ? Json(name(*r.sender)) : Json(nullptr)},
          {"own_computed_ns", r.own_computed_ns},
          {"own_delayed_ns", r.own_delayed_ns},
          {"alpha", OrNull(m.alpha)},
          {"computed_ns", r.values.computed_ns},
          {"delayed_ns", r.values.delayed_ns},
          {"height_ns", r.values.height_ns},
          {"weight_ns", r.values.weight_ns},
          {"volume_ns", r.values.volume_ns},
          {"efficiency", OrNull(m.efficiency)},
          {"loss", OrNull(m.loss)},
          {"share", OrNull(m.share)},
          {"path_share", OrNull(m.path_share)},
          {"fidge", OrNull(m.fidge)},
          {"raynal", OrNull(m.event_alpha)}};
}

Json WaitedForJson(const WaitedFor& w, const ConcurrencySummary& s) {
  const auto name = [&](ProcessId process) { return s.processes[process.index()].name; };
  return {{"process", name(w.process)},
          {"sender", w.sender ? Json(name(*w.sender)) : Json(nullptr)},
          {"waits", w.waits},
          {"delayed_ns", w.delayed_ns}};
}

}  // namespace

std::string ConcurrencySummaryToJson(const ConcurrencySummary& s) {
  const auto region = [&](const Region& r) { return RegionJson(r, s); };
  const auto waited = [&](const WaitedFor& w) { return WaitedForJson(w, s); };
  const Json json = {{"syncline", s.version},
                     {"command", s.command},
                     {"inputs", s.inputs},
                     {"waits", s.waits},
                     {"computation", ComputationJson(s)},
                     {"processes", ProcessesJson(s)},
                     {"regions", ListJson(s.regions, region)},
                     {"longest_waits", ListJson(s.longest_waits, region)},
                     {"waited_for", ListJson(s.waited_for, waited)},
                     {"diagnostics", DiagnosticsJson(s.diagnostics)},
                     {"timing", TimingJson(s.timing)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace syncline
