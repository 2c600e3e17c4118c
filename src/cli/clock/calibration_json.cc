#include <cmath>

#include <nlohmann/json.hpp>

#include "cli/clock/calibration.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

Json FrequencyJson(const Frequency& f) {
  return {{"elapsed_ns", f.elapsed_ns},
          {"hz", f.hz},
          {"low_hz", f.low_hz},
          {"high_hz", f.high_hz},
          {"bound_ppb", f.BoundPpb()}};
}

double Rounded(double value) { return std::round(value * 100) / 100; }

Json TickFiguresJson(const TickFigures& figures, const Frequency* frequency) {
  Json json = {{"least_ticks", Rounded(figures.least)}, {"median_ticks", Rounded(figures.median)}};
  const double ns = frequency == nullptr ? 0 : 1e9 / static_cast<double>(frequency->hz);
  json["least_ns"] = frequency == nullptr ? Json(nullptr) : Json(Rounded(figures.least * ns));
  json["median_ns"] = frequency == nullptr ? Json(nullptr) : Json(Rounded(figures.median * ns));
  return json;
}

Json StepUnitJson(StepUnit unit) {
  if (unit == StepUnit::kNone) return nullptr;
  return unit == StepUnit::kTicks ? "ticks" : "ns";
}

Json CostsJson(const MachineCalibration& c) {
  Json costs = Json::array();
  for (const ReadingCost& cost : c.costs.readings) {
    costs.push_back({{"name", cost.name},
                     {"warm", TickFiguresJson(cost.warm, c.Best())},
                     {"cold", TickFiguresJson(cost.cold, c.Best())},
                     {"step_unit", StepUnitJson(cost.step_unit)},
                     {"least_step", cost.least_step},
                     {"common_step", cost.common_step}});
  }
  return costs;
}

Json CoresJson(const MachineCalibration& c) {
  Json cores = Json::array();
  for (const CoreOffset& core : c.cores) {
    cores.push_back({{"core", core.core},
                     {"against", core.against},
                     {"low_ticks", core.low_ticks},
                     {"high_ticks", core.high_ticks},
                     {"exchanges", core.exchanges},
                     {"may_be_equal", core.MayBeEqual()}});
  }
  return cores;
}

}  // namespace

std::string CalibrationJson(const MachineCalibration& c) {
  Json by_elapsed = Json::array();
  for (const Frequency& f : c.by_elapsed) by_elapsed.push_back(FrequencyJson(f));
  const auto wanted = c.WantedElapsedNs();
  const Json json = {
      {"syncline", SYNCLINE_VERSION},
      {"machine",
       {{"processor", c.facts.processor},
        {"kernel", c.facts.kernel},
        {"virtual_machine", c.facts.is_virtual_machine}}},
      {"counter",
       {{"name", CounterName(c.choice.kind)},
        {"reason", c.choice.reason},
        {"invariant", c.facts.is_invariant},
        {"trusted_by_kernel", c.facts.is_trusted_by_kernel},
        {"kernel_clock_source", c.facts.clock_source}}},
      {"frequency",
       {{"reference", c.reference},
        {"best", c.Best() == nullptr ? Json(nullptr) : FrequencyJson(*c.Best())},
        {"by_elapsed", by_elapsed},
        {"wanted_bound_ppb", c.wanted_bound_ppb},
        {"wanted_elapsed_ns", wanted ? Json(*wanted) : Json(nullptr)}}},
      {"costs", CostsJson(c)},
      {"evicted",
       {{"data_bytes", c.costs.evicted_data_bytes}, {"code_bytes", c.costs.evicted_code_bytes}}},
      {"cores", CoresJson(c)},
      {"weaknesses", c.Weaknesses()}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace syncline
