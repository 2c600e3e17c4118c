#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/clock/characterization.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostListedSamples = 2000;

Json AllanJson(const std::vector<AllanPoint>& allan) {
  Json json = Json::array();
  for (const AllanPoint& p : allan) {
    json.push_back({{"tau_ns", p.tau_ns}, {"deviation", p.deviation}, {"differences", p.terms}});
  }
  return json;
}

Json SamplesJson(const std::vector<OffsetSample>& samples) {
  Json json = Json::array();
  const size_t every =
      std::max<size_t>(1, (samples.size() + kMostListedSamples - 1) / kMostListedSamples);
  for (size_t i = 0; i < samples.size(); i += every) {
    const OffsetSample& s = samples[i];
    json.push_back({s.at_ns, s.offset_ns, s.uncertainty_ns});
  }
  return json;
}

Json CharacterJson(const Character& c) {
  return {{"elapsed_ns", c.elapsed_ns},
          {"interval_ns", c.interval_ns},
          {"first_offset_ns", c.first_offset_ns},
          {"last_offset_ns", c.last_offset_ns},
          {"median_uncertainty_ns", c.median_uncertainty_ns},
          {"drift_ppm", c.drift_ppm},
          {"least_drift_ppm", c.least_drift_ppm},
          {"most_drift_ppm", c.most_drift_ppm},
          {"jitter_ns", c.jitter_ns},
          {"residual_ns", c.residual_ns},
          {"least_residual_ns", c.least_residual_ns},
          {"most_residual_ns", c.most_residual_ns},
          {"allan", AllanJson(c.allan)}};
}

}  // namespace

std::string CharacterizationJson(const ClockCharacterization& c) {
  const Measurement& m = c.measurement;
  Json frequency = nullptr;
  if (c.frequency) {
    frequency = {{"hz", c.frequency->hz}, {"bound_ppb", c.frequency->BoundPpb()}};
  }
  Json resolution = nullptr;
  if (c.resolution) {
    resolution = {{"least_step_ns", c.resolution->least_step_ns},
                  {"common_step_ns", c.resolution->common_step_ns}};
  }
  const Json json = {{"syncline", SYNCLINE_VERSION},
                     {"clock", c.clock},
                     {"reference", c.reference},
                     {"frequency", frequency},
                     {"resolution", resolution},
                     {"measurements",
                      {{"wanted", m.wanted},
                       {"interval_ns", c.wanted_interval_ns},
                       {"taken", m.samples.size()},
                       {"unanswered", m.unanswered},
                       {"skipped", m.skipped}}},
                     {"cost",
                      {{"elapsed_ns", m.elapsed_ns},
                       {"cpu_ns", m.cpu_ns},
                       {"readings", m.effort.readings},
                       {"messages", m.effort.messages}}},
                     {"character", c.character ? CharacterJson(*c.character) : Json(nullptr)},
                     {"samples", SamplesJson(m.samples)},
                     {"weaknesses", c.Weaknesses()}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace syncline
