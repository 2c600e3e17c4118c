#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/difference.h"
#include "base/int128.h"
#include "cli/clock/clock_command.h"
#include "report/chart.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr size_t kMostPoints = 5000;

size_t Every(const std::vector<OffsetSample>& samples) {
  return std::max<size_t>(1, (samples.size() + kMostPoints - 1) / kMostPoints);
}

std::pair<double, double> Widened(double low, double high) {
  const double margin = std::max(1.0, (high - low) * 0.08);
  return {low - margin, high + margin};
}

// What the clock gained since the first measurement.
Chart GainChart(const ClockCharacterization& c) {
  const auto& samples = c.measurement.samples;
  const OffsetSample& first = samples.front();
  Chart chart{.title = fmt::format("{} against {}", c.clock, c.reference),
              .subtitle = fmt::format("Offset since the first measurement; drift {}",
                                      FormatSignedPpm(c.character->drift_ppm, 4)),
              .x_label = "time",
              .y_label = "gained"};
  ChartSeries gained{.label = "offset − first offset",
                     .kind = ChartSeries::Kind::kPoints,
                     .color = ChartColor(0),
                     .width = 2.5};
  double low = 0;
  double high = 0;
  for (size_t i = 0; i < samples.size(); i += Every(samples)) {
    const double y = DifferenceOf(samples[i].offset_ns, first.offset_ns);
    gained.points.push_back({DifferenceOf(samples[i].at_ns, first.at_ns), y});
    low = std::min(low, y);
    high = std::max(high, y);
  }
  chart.x_range = {0, DifferenceOf(samples.back().at_ns, first.at_ns)};
  chart.y_range = Widened(low, high);
  chart.series.push_back(std::move(gained));
  return chart;
}

// Where all but one in a hundred residuals are.
std::pair<double, double> MostOf(std::vector<int64_t> residuals) {
  std::ranges::sort(residuals);
  const size_t cut = residuals.size() / 200;
  return Widened(static_cast<double>(residuals[cut]),
                 static_cast<double>(residuals[residuals.size() - 1 - cut]));
}

Chart ResidualChart(const ClockCharacterization& c) {
  const auto& samples = c.measurement.samples;
  const auto& residuals = c.character->residuals_ns;
  Chart chart{.title = "Without the drift", .x_label = "time", .y_label = "from the line"};
  chart.x_range = {0, DifferenceOf(samples.back().at_ns, samples.front().at_ns)};
  chart.y_range = MostOf(residuals);
  ChartSeries points{.label = "measured",
                     .kind = ChartSeries::Kind::kPoints,
                     .color = ChartColor(0),
                     .width = 2.5};
  for (size_t i = 0; i < samples.size(); i += Every(samples)) {
    const double x = DifferenceOf(samples[i].at_ns, samples.front().at_ns);
    points.points.push_back({x, static_cast<double>(residuals[i])});
  }
  const auto beyond = std::ranges::count_if(residuals, [&](int64_t r) {
    const auto y = static_cast<double>(r);
    return y < chart.y_range.first || y > chart.y_range.second;
  });
  chart.subtitle = fmt::format(
      "Jitter {} from one to the next; each known to ± {} (median); {} of {} beyond the edges",
      FormatDuration(NearestInteger(c.character->jitter_ns)),
      FormatDuration(c.character->median_uncertainty_ns), beyond, residuals.size());
  chart.series.push_back(std::move(points));
  return chart;
}

// A line of the slope that a kind of noise has, through the first point.
ChartSeries SlopeLine(const Chart& chart, const char* label, double slope, size_t color) {
  const ChartPoint from = chart.series.back().points.front();
  const double to = chart.x_range.second;
  return {.label = label,
          .color = ChartColor(color),
          .width = 1.2,
          .dash = "5 4",
          .points = {from, {to, from.y * std::pow(to / from.x, slope)}}};
}

Chart AllanChart(const Character& c) {
  Chart chart{
      .title = "Allan deviation",
      .subtitle = "How much the mean rate over one such time differs from that over the next",
      .x_label = "over",
      .y_label = "Allan deviation",
      .x_scale = ChartScale::kLogDurations,
      .y_scale = ChartScale::kLogNumbers};
  ChartSeries line{.label = "measured", .color = ChartColor(0)};
  double low = 0;
  double high = 0;
  for (const AllanPoint& p : c.allan) {
    if (p.deviation <= 0) continue;
    line.points.push_back({static_cast<double>(p.tau_ns), p.deviation});
    low = low == 0 ? p.deviation : std::min(low, p.deviation);
    high = std::max(high, p.deviation);
  }
  chart.x_range = {static_cast<double>(c.allan.front().tau_ns),
                   static_cast<double>(c.allan.back().tau_ns)};
  chart.y_range = {low, high};
  ChartSeries dots = line;
  dots.label.clear();
  dots.kind = ChartSeries::Kind::kPoints;
  dots.width = 6;
  chart.series = {std::move(line)};
  if (!dots.points.empty()) {
    ChartSeries white = SlopeLine(chart, "as noise of readings falls", -1, 1);
    ChartSeries rate = SlopeLine(chart, "as noise of the rate falls", -0.5, 2);
    chart.series.insert(chart.series.begin(), {std::move(white), std::move(rate)});
    chart.series.push_back(std::move(dots));
  }
  return chart;
}

}  // namespace

std::string CharacterizationPlot(const ClockCharacterization& c) {
  if (!c.character) return "";
  std::vector<Chart> charts = {GainChart(c), ResidualChart(c)};
  if (!c.character->allan.empty()) charts.push_back(AllanChart(*c.character));
  return ChartsToSvg(charts);
}

}  // namespace syncline
