#include <cmath>

#include <nlohmann/json.hpp>

#include "cli/clock/probe.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

Json CountsJson(const ClientCounts& c) {
  return {{"asked", c.asked},
          {"answered", c.answered},
          {"unanswered", c.unanswered},
          {"refused", c.refused},
          {"contradictory_stamps", c.contradictory_stamps},
          {"ignored",
           {{"malformed", c.malformed},
            {"unauthenticated", c.unauthenticated},
            {"unexpected", c.unexpected}}}};
}

Json BurstFiguresJson(const BurstFigures& f) {
  Json json = {{"exchanges", f.exchanges}, {"contradictory", f.contradictory}, {"used", f.used}};
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
  Json json = {{"quality", QualityName(estimate->quality)},
               {"reason", estimate->reason},
               {"at_ns", estimate->at_ns},
               {"since_ns", estimate->since_ns},
               {"offset_ns", estimate->offset_ns},
               {"drift_ppm", estimate->drift_ppm},
               {"max_drift_ppm", estimate->max_drift_ppm},
               {"bounds", nullptr}};
  if (!estimate->bounds) return json;
  const HostOffset::Bounds& b = *estimate->bounds;
  json["bounds"] = {{"offset_low_ns", b.low_ns},
                    {"offset_high_ns", b.high_ns},
                    {"bound_ns", b.bound_ns},
                    {"below_ns", b.below_ns},
                    {"above_ns", b.above_ns},
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
                    {"from_ns", c.from_ns},
                    {"to_ns", c.to_ns},
                    {"change_low_ns", c.change_low_ns ? Json(*c.change_low_ns) : Json(nullptr)},
                    {"change_high_ns", c.change_high_ns ? Json(*c.change_high_ns) : Json(nullptr)},
                    {"drift_ppm", has_rate ? Json(c.drift_ppm) : Json(nullptr)}});
  }
  return {{"count", host.contradictions_seen}, {"first", list}};
}

Json ReceptionJson(const std::optional<ReceptionDifference>& r, const std::string& against) {
  if (!r || r->rounds == 0) return nullptr;
  return {{"against", against},
          {"rounds", r->rounds},
          {"mean_ns", r->mean_ns},
          {"least_ns", r->least_ns},
          {"largest_ns", r->largest_ns}};
}

Json HostJson(const ProbedHost& host, const std::string& first) {
  Json bursts = Json::array();
  for (const ProbedBurst& burst : host.bursts) {
    Json json = {{"at_ns", burst.at_ns}};
    json.update(BurstFiguresJson(burst.figures));
    json["estimate"] = EstimateJson(burst.estimate);
    bursts.push_back(std::move(json));
  }
  return {{"name", host.name},
          {"address", host.address},
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

std::string ProbeJson(const ProbeResult& result) {
  Json hosts = Json::array();
  for (const ProbedHost& host : result.hosts) {
    hosts.push_back(HostJson(host, result.hosts.front().name));
  }
  const Json json = {
      {"syncline", SYNCLINE_VERSION},
      {"own", result.own},
      {"max_drift_ppm", result.max_drift_ppm},
      {"broadcasts", result.is_broadcast ? CountsJson(result.group_counts) : Json(nullptr)},
      {"hosts", hosts},
      {"was_stopped", result.was_stopped},
      {"weaknesses", result.Weaknesses()}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace syncline
