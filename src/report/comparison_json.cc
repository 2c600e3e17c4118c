#include "report/comparison.h"
#include "report/json_parts.h"

namespace syncline {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json ComparedClockJson(const Comparison::Clock& clock) {
  Json json = {SYNCLINE_FIELDS(clock, name, quality, reference, reason, drift_ppm, offset_ns),
               {"bound_ns", BoundJson(clock.bound)}};
  if (clock.truth) json["truth"] = TruthJson(*clock.truth);
  return json;
}

Json MethodJson(const Comparison::Method& method) {
  Json json = {SYNCLINE_FIELDS(method, name, group),
               {"method", TextOrNull(method.line)},
               {"needs", method.needs},
               {"failure", TextOrNull(method.failure)},
               SYNCLINE_FIELDS(method, estimate_s, memory_bytes)};
  if (!method.IsFound()) return json;
  json["accurate_clocks"] = method.AccurateClocks();
  json["corrected_clocks"] = method.CorrectedClocks();
  json["weak"] = method.is_weak;
  json["assumes"] = method.assumes;
  json["assumes_constant_rates"] = method.assumes_constant_rates;
  json["contradiction"] = TextOrNull(method.contradiction);
  json["inverted"] = method.inverted;
  json["too_fast"] = method.too_fast;
  json["bound_ns"] = BoundJson(method.Bound());
  json["half_width_ns"] = OrNull(method.half_width_ns);
  json["residual_ns"] = OrNull(method.residual_ns);
  json["broadcast_ns"] = OrNull(method.broadcast_ns);
  if (method.truth) json["truth"] = TruthJson(*method.truth);
  json["findings"] = DiagnosticsJson(method.findings);
  json["clocks"] = ListJson(method.clocks, ComparedClockJson);
  return json;
}

Json BestJson(const std::optional<BestMethod>& best) {
  if (!best) return nullptr;
  return {SYNCLINE_FIELDS(*best, name, as_good, reason)};
}

Json AssumptionJson(const SharedAssumption& shared) {
  return {{"assumes", shared.assumes},
          {"contradiction", TextOrNull(shared.contradiction)},
          {"methods", shared.methods},
          {"best", BestJson(shared.best)}};
}

// Of the weakest assumption that messages leave possible.
Json BestOfAllJson(const std::vector<SharedAssumption>& assumptions) {
  for (const SharedAssumption& shared : assumptions) {
    if (shared.best) return BestJson(shared.best);
  }
  return nullptr;
}

}  // namespace

std::string ComparisonToJson(const Comparison& c) {
  const std::vector<SharedAssumption> assumptions = RankByAssumption(c);
  const Json json = {{"syncline", c.version},
                     {"command", c.command},
                     {"inputs", InputsJson(c.inputs)},
                     {"reference", c.reference.empty() ? Json(nullptr) : Json(c.reference)},
                     {"messages", RecordedMessagesJson(c.messages)},
                     {"methods", ListJson(c.methods, MethodJson)},
                     {"assumptions", ListJson(assumptions, AssumptionJson)},
                     {"best", BestOfAllJson(assumptions)},
                     {"plots", c.plots},
                     {"diagnostics", DiagnosticsJson(c.diagnostics)},
                     SYNCLINE_FIELDS(c, bounds_assume, max_drift_ppm),
                     {"timing", TimingJson(c.timing)}};
  return JsonText(json, 1) + "\n";
}

}  // namespace syncline
