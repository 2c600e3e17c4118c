#include "pipeline/compare/plots.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "base/unique_name.h"
#include "pipeline/compare/plot_parts.h"

namespace syncline {
namespace {

constexpr size_t kMost = 16;  // pairs, and clocks

// What any file system takes.
std::string InFileName(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    plain += is_plain ? c : '_';
  }
  return plain.substr(0, 80);
}

template <typename Item>
using Ranked = std::vector<std::pair<uint64_t, Item>>;

// The first of most weight, in their own order.
template <typename Item>
std::vector<Item> Heaviest(Ranked<Item> items) {
  std::ranges::stable_sort(items, [](const auto& a, const auto& b) { return a.first > b.first; });
  items.resize(std::min(items.size(), kMost));
  std::vector<Item> chosen;
  for (const auto& [weight, item] : items) chosen.push_back(item);
  std::ranges::sort(chosen);
  return chosen;
}

class PlotMaker {
 public:
  PlotMaker(const LoadedTraces& loaded, std::span<const MethodRun> runs, const Truth* truth)
      : loaded_(loaded), runs_(runs), truth_(truth) {}

  Plots Run() {
    Ranked<std::pair<ClockId, ClockId>> pairs;
    for (const auto& [clocks, points] : loaded_.pairs) {
      pairs.emplace_back(points.messages_ab() + points.messages_ba(), clocks);
    }
    Ranked<ClockId> clocks;
    for (uint32_t i = 0; i < loaded_.spans.size(); ++i) {
      if (loaded_.spans[i].events > 0) clocks.emplace_back(loaded_.spans[i].events, ClockId(i));
    }
    for (const size_t count : {pairs.size(), clocks.size()}) {
      plots_.left_out += count - std::min(count, kMost);
    }
    for (const auto& pair : Heaviest(std::move(pairs))) {
      Add(PageChart::Kind::kCorridor, {pair.first, pair.second},
          CorridorPlot(loaded_, runs_, truth_, pair));
    }
    for (const ClockId clock : Heaviest(std::move(clocks))) {
      Add(PageChart::Kind::kBounds, {clock}, BoundsPlot(loaded_, runs_, truth_, clock));
      if (truth_ == nullptr) continue;
      Add(PageChart::Kind::kError, {clock}, ErrorPlot(loaded_, runs_, truth_, clock));
    }
    return std::move(plots_);
  }

 private:
  void Add(PageChart::Kind kind, const std::vector<ClockId>& clocks, std::optional<Chart> chart) {
    if (!chart) return;
    std::string stem(ChartKindName(kind));
    std::string subject;
    for (const ClockId clock : clocks) {
      const std::string& clock_name = loaded_.traces.clocks[clock.index()].name;
      stem += "-" + InFileName(clock_name);
      subject += (subject.empty() ? "" : " and ") + clock_name;
    }
    plots_.drawn.push_back(
        {UniqueName(stem, names_, ".svg"), {kind, std::move(subject), std::move(*chart)}});
  }

  const LoadedTraces& loaded_;
  std::span<const MethodRun> runs_;
  const Truth* truth_;
  std::set<std::string> names_;
  Plots plots_;
};

}  // namespace

Plots DrawPlots(const LoadedTraces& loaded, std::span<const MethodRun> runs, const Truth* truth) {
  return PlotMaker(loaded, runs, truth).Run();
}

}  // namespace syncline
