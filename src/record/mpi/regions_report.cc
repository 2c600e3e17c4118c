#include "record/mpi/regions_report.h"

#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace syncline::mpi {
namespace {

std::string OrNull(const Ratio& ratio) { return ratio ? fmt::format("{}", *ratio) : "null"; }
std::string Shown(const Ratio& ratio) { return ratio ? fmt::format("{:.3f}", *ratio) : "n/a"; }

RegionMeasures OfRank(const ProcessTotals& rank) {
  return MeasureRegion({.computed_ns = rank.computed_ns, .delayed_ns = rank.delayed_ns});
}

std::string ComputationJson(const ComputationMeasures& m) {
  const std::pair<const char*, std::string> fields[] = {
      {"alpha", OrNull(m.alpha)},
      {"height_ns", fmt::format("{}", m.height_ns)},
      {"weight_ns", fmt::format("{}", m.weight_ns)},
      {"volume_ns", fmt::format("{}", m.volume_ns)},
      {"efficiency", OrNull(m.efficiency)},
      {"loss", OrNull(m.loss)},
      {"path_share", OrNull(m.path_share)},
      {"mean_load_ns", OrNull(m.mean_load_ns)},
      {"load_deviation_ns", OrNull(m.load_deviation_ns)},
      {"balance", OrNull(m.balance)}};
  std::vector<std::string> lines;
  for (const auto& [name, value] : fields)
    lines.push_back(fmt::format("  \"{}\": {}", name, value));
  return fmt::format("{{\n{}\n }}", fmt::join(lines, ",\n"));
}

}  // namespace

std::string RegionsToJson(std::span<const ProcessTotals> ranks) {
  const ComputationMeasures measures = MeasureComputation(ranks);
  std::vector<std::string> lines;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const RegionMeasures own = OfRank(ranks[i]);
    lines.push_back(fmt::format(
        "  {{\"name\": \"{}\", \"computed_ns\": {}, \"delayed_ns\": {}, \"height_ns\": {}, "
        "\"efficiency\": {}, \"loss\": {}, \"share\": {}}}",
        i, ranks[i].computed_ns, ranks[i].delayed_ns, ranks[i].height_ns, OrNull(own.efficiency),
        OrNull(own.loss), OrNull(measures.shares[i])));
  }
  return fmt::format("{{\n \"computation\": {},\n \"processes\": [\n{}\n ]\n}}\n",
                     ComputationJson(measures), fmt::join(lines, ",\n"));
}

std::string RegionsToText(std::span<const ProcessTotals> ranks) {
  const ComputationMeasures m = MeasureComputation(ranks);
  std::string text = fmt::format(
      "alpha {}  efficiency {}  longest path {} of all  balance {}\n"
      "rank     computed ms      waited ms   efficiency    share\n",
      Shown(m.alpha), Shown(m.efficiency), Shown(m.path_share), Shown(m.balance));
  for (size_t i = 0; i < ranks.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{:<6} {:>13.3f}  {:>13.3f}   {:>10}   {:>6}\n", i,
                   static_cast<double>(ranks[i].computed_ns) * 1e-6,
                   static_cast<double>(ranks[i].delayed_ns) * 1e-6,
                   Shown(OfRank(ranks[i]).efficiency), Shown(m.shares[i]));
  }
  return text;
}

}  // namespace syncline::mpi
