#include "report/page_sections.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/difference.h"

namespace syncline {
namespace {

// Whole nanoseconds, without ".0"; a gap where there is none.
Json Number(double ns) {
  static constexpr double kExact = 9007199254740992;  // 2^53
  if (!std::isfinite(ns)) return nullptr;
  return std::abs(ns) <= kExact ? Json(std::llround(ns)) : Json(ns);
}

template <typename Part>
Json SeriesJson(const TimeSeries<Part>& series, int64_t origin_ns) {
  return {{"start", Number(DifferenceOf(series.start_ns, origin_ns))},
          {"width", Number(series.width_ns)}};
}

template <typename Part, typename Value>
Json SeriesColumn(const TimeSeries<Part>& series, Value value) {
  return ListJson(series.parts, [&](const Part& part) { return Json(value(part)); });
}

Json GammaJson(const LogicalTimeline& timeline) {
  using Gamma = LogicalTimeline::Gamma;
  const TimeSeries<Gamma>& series = timeline.gamma;
  if (series.parts.empty()) return nullptr;
  Json json = SeriesJson(series, timeline.first_ns);
  for (size_t i = 0; i < 4; ++i) {
    json[std::string(1, "abcd"[i])] =
        SeriesColumn(series, [&](const Gamma& g) { return g.events[i]; });
  }
  json["smallest"] = SeriesColumn(series, [](const Gamma& g) { return g.smallest; });
  return json;
}

Json PlacesJson(const std::vector<LogicalTimeline::Changes>& parts) {
  Json list = Json::array();
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto& where = parts[i].where;
    if (!where) continue;
    list.push_back({i, where->process, where->event,
                    Number(static_cast<double>(where->original_ns)),
                    Number(static_cast<double>(where->corrected_ns))});
  }
  return list;
}

Json ChangesJson(const LogicalTimeline& timeline) {
  using Changes = LogicalTimeline::Changes;
  const TimeSeries<Changes>& series = timeline.changes;
  if (series.parts.empty()) return nullptr;
  Json json = SeriesJson(series, timeline.first_ns);
  json["intervals"] = SeriesColumn(series, [](const Changes& c) { return c.intervals; });
  json["changed"] = SeriesColumn(series, [](const Changes& c) { return c.changed; });
  json["advance"] = SeriesColumn(
      series, [](const Changes& c) { return Number(static_cast<double>(c.largest_advance_ns)); });
  json["change"] = SeriesColumn(series, [](const Changes& c) { return c.largest_change; });
  json["where"] = PlacesJson(series.parts);
  return json;
}

std::string_view KindName(ChartSeries::Kind kind) {
  if (kind == ChartSeries::Kind::kLine) return "line";
  return kind == ChartSeries::Kind::kPoints ? "points" : "area";
}

std::string_view KindName(PageChart::Kind kind) {
  if (kind == PageChart::Kind::kCorridor) return "corridor";
  return kind == PageChart::Kind::kBounds ? "bounds" : "error";
}

std::vector<double> AbscissasOf(const ChartSeries& series) {
  std::vector<double> x;
  for (const ChartPoint& point : series.points) x.push_back(point.x);
  return x;
}

// Lines of several methods mostly have the same abscissas: then `x` is the number of the series
// that lists them.
Json SeriesListJson(const std::vector<ChartSeries>& all) {
  Json list = Json::array();
  std::vector<std::vector<double>> abscissas;
  for (const ChartSeries& series : all) {
    abscissas.push_back(AbscissasOf(series));
    const auto same = std::ranges::find(abscissas, abscissas.back());
    const bool is_first = same == abscissas.end() - 1;
    list.push_back({{"label", series.label},
                    {"kind", KindName(series.kind)},
                    SYNCLINE_FIELDS(series, color, width, dash, opacity),
                    {"x", is_first ? ListJson(abscissas.back(), Number)
                                   : Json(static_cast<size_t>(same - abscissas.begin()))},
                    {"y", ListJson(series.points, [](ChartPoint p) { return Number(p.y); })}});
  }
  return list;
}

Json RangeJson(std::pair<double, double> range) {
  return {Number(std::floor(range.first)), Number(std::ceil(range.second))};
}

}  // namespace

Json LogicalTimelineJson(const LogicalTimeline& timeline) {
  return {{"first", std::to_string(timeline.first_ns)},
          {"duration", Number(DifferenceOf(timeline.last_ns, timeline.first_ns))},
          {"gamma", GammaJson(timeline)},
          {"changes", ChangesJson(timeline)}};
}

Json RegionTimelineJson(const RegionTimeline& timeline) {
  using Part = RegionTimeline::Part;
  const TimeSeries<Part>& series = timeline.regions;
  Json json = SeriesJson(series, 0);
  const auto nanoseconds = [](int64_t ns) { return Number(static_cast<double>(ns)); };
  json["regions"] = SeriesColumn(series, [](const Part& p) { return p.regions; });
  json["computed"] =
      SeriesColumn(series, [&](const Part& p) { return nanoseconds(p.computed_ns); });
  json["delayed"] = SeriesColumn(series, [&](const Part& p) { return nanoseconds(p.delayed_ns); });
  json["mean_alpha"] = SeriesColumn(series, [](const Part& p) { return OrNull(p.mean_alpha); });
  json["least_alpha"] = SeriesColumn(series, [](const Part& p) { return OrNull(p.least_alpha); });
  Json where = Json::array();
  for (size_t i = 0; i < series.parts.size(); ++i) {
    const Part& part = series.parts[i];
    if (part.least_alpha) where.push_back({i, part.process, part.region});
  }
  json["where"] = std::move(where);
  return json;
}

Json PageChartJson(const PageChart& page_chart) {
  const Chart& chart = page_chart.chart;
  return {{"kind", KindName(page_chart.kind)},
          {"subject", page_chart.subject},
          SYNCLINE_FIELDS(chart, title, subtitle, x_label, y_label),
          {"x_range", RangeJson(chart.x_range)},
          {"y_range", RangeJson(chart.y_range)},
          {"series", SeriesListJson(chart.series)}};
}

}  // namespace syncline
