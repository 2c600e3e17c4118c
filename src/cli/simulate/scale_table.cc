#include "cli/simulate/scale_table.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/table.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

double Ppm(int64_t ppt) { return static_cast<double>(ppt) * 1e-6; }

std::string ModelText(const ScaleModel& m) {
  std::string text =
      fmt::format("Bursts of {} exchanges of {}; a way takes {} and in the mean {} more{}.\n",
                  m.exchanges, FormatDuration(m.exchange_cost_ns), FormatDuration(m.least_delay_ns),
                  FormatDuration(m.mean_excess_ns),
                  m.route_ns == Range{}
                      ? ""
                      : fmt::format(", besides {} to {} of its own", FormatDuration(m.route_ns.low),
                                    FormatDuration(m.route_ns.high)));
  text += fmt::format("Broadcasts of {}, which receivers stamp {} late in the mean.\n",
                      FormatDuration(m.broadcast_cost_ns), FormatDuration(m.spread_ns));
  text += fmt::format(
      "Drifts up to {:g} ppm; bounds allow any two clocks {:g} ppm and messages {}; {}, seed {}.\n",
      Ppm(m.drift_ppt), static_cast<double>(m.max_drift_ppb) * 1e-3,
      m.min_delay_ns == 0 ? "no time at all"
                          : fmt::format("no less than {}", FormatDuration(m.min_delay_ns)),
      FormatCount(m.runs, "run"), m.seed);
  return text;
}

Json ModelJson(const ScaleModel& m) {
  return {{"exchanges", m.exchanges},
          {"exchange_cost_ns", m.exchange_cost_ns},
          {"broadcast_cost_ns", m.broadcast_cost_ns},
          {"least_delay_ns", m.least_delay_ns},
          {"mean_excess_ns", m.mean_excess_ns},
          {"route_low_ns", m.route_ns.low},
          {"route_high_ns", m.route_ns.high},
          {"spread_ns", m.spread_ns},
          {"drift_ppm", Ppm(m.drift_ppt)},
          {"max_drift_ppm", static_cast<double>(m.max_drift_ppb) / 1000},
          {"min_delay_ns", m.min_delay_ns},
          {"runs", m.runs},
          {"seed", m.seed}};
}

}  // namespace

std::string ScaleText(const ScaleTable& scale) {
  Table table({{"processes"},
               {"strategy", Align::kLeft},
               {"rounds"},
               {"messages"},
               {"time"},
               {"RMS error"},
               {"largest"},
               {"± worst"}});
  uint64_t last = 0;
  for (const ScaleFigures& f : scale.rows) {
    table.AddRow({f.processes == last ? "" : FormatCount(f.processes), NameOf(f.strategy),
                  FormatCount(f.rounds), FormatCount(f.messages), FormatDuration(f.time_ns),
                  FormatDuration(std::llround(f.rms_error_ns)), FormatDuration(f.largest_error_ns),
                  FormatBound(f.worst_bound_ns)});
    last = f.processes;
  }
  return fmt::format("{}\n{}", ModelText(scale.model), table.ToString());
}

std::string ScaleJson(const ScaleTable& scale) {
  Json groups = Json::array();
  for (const ScaleFigures& f : scale.rows) {
    groups.push_back(
        {{"processes", f.processes},
         {"strategy", NameOf(f.strategy)},
         {"rounds", f.rounds},
         {"messages", f.messages},
         {"time_ns", f.time_ns},
         {"rms_error_ns", std::llround(f.rms_error_ns)},
         {"largest_error_ns", f.largest_error_ns},
         {"worst_bound_ns", f.worst_bound_ns ? Json(*f.worst_bound_ns) : Json(nullptr)},
         {"outside_bound", f.outside_bound}});
  }
  const Json json = {
      {"syncline", SYNCLINE_VERSION}, {"model", ModelJson(scale.model)}, {"groups", groups}};
  return json.dump(2) + "\n";
}

}  // namespace syncline
