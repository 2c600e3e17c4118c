#include "report/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <absl/strings/escaping.h>
#include <absl/strings/str_replace.h>

#include "base/difference.h"
#include "report/json_parts.h"
#include "report/page_bytes.h"
#include "report/text_parts.h"

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
  return {{"kind", ChartKindName(page_chart.kind)},
          {"subject", page_chart.subject},
          SYNCLINE_FIELDS(chart, title, subtitle, x_label, y_label),
          {"x_range", RangeJson(chart.x_range)},
          {"y_range", RangeJson(chart.y_range)},
          {"series", SeriesListJson(chart.series)}};
}

}  // namespace

// Files that the build embeds in the program (CMakeLists.txt).
extern const std::string_view kPageTemplate;     // web/dist/report.html
extern const std::string_view kDiagnosticsPage;  // docs/diagnostics.md

namespace {

// Integers that JavaScript would round travel as text.
Json Exact(int64_t ns) { return std::to_string(ns); }

Json WindowJson(const ReportTrace::Window& window) {
  return {Exact(window.from_ns), Exact(window.to_ns)};
}

// A difference in whole nanoseconds, without ".0".
Json Whole(double ns) {
  static constexpr double kExact = 9007199254740992;  // 2^53
  return std::abs(ns) <= kExact ? Json(static_cast<int64_t>(ns)) : Json(ns);
}

Json WholeOrNull(const std::optional<double>& ns) { return ns ? Whole(*ns) : Json(nullptr); }

Json OpenOr(const std::optional<int64_t>& ns, int64_t origin) {
  return ns ? Whole(DifferenceOf(*ns, origin)) : Json(nullptr);
}

// Per broadcast: since the clock's first, and the time at the reference − the corrected one.
Json BroadcastsJson(const ReportTrace::Clock& clock) {
  Json since = Json::array();
  Json difference = Json::array();
  for (const ReportTrace::Broadcast& b : clock.broadcasts) {
    since.push_back(Whole(DifferenceOf(b.recorded_ns, clock.first_recorded_ns)));
    difference.push_back(Whole(DifferenceOf(b.at_reference_ns, b.corrected_ns)));
  }
  return {{"total", clock.broadcasts_total}, {"since", since}, {"difference", difference}};
}

// Per stretch of one rate: since and until when, counted from the extent's beginning, and rate − 1.
Json RatesJson(const ReportTrace::Clock& clock, int64_t origin_ns) {
  Json since = Json::array();
  Json until = Json::array();
  Json drift_ppm = Json::array();
  for (const RateStretch& stretch : clock.rates) {
    since.push_back(Whole(DifferenceOf(stretch.from.ns, origin_ns)));
    until.push_back(Whole(DifferenceOf(stretch.to.ns, origin_ns)));
    drift_ppm.push_back(std::round(stretch.drift_ppm * 1e3) / 1e3);
  }
  return {{"since", since}, {"until", until}, {"drift_ppm", drift_ppm}};
}

// Per reading: since the clock's first, recorded − corrected less that of the first one, which is
// `start`, and the bounds − the correction. Of clocks that count from their start, recorded −
// corrected is more than doubles hold.
Json TraceClockJson(const ReportTrace::Clock& clock, int64_t origin_ns) {
  Json since = Json::array();
  Json offset = Json::array();
  Json lower = Json::array();
  Json upper = Json::array();
  int64_t start = 0;
  for (const ReportTrace::Reading& r : clock.readings) {
    const auto by = static_cast<int64_t>(static_cast<uint64_t>(r.recorded_ns) -
                                         static_cast<uint64_t>(r.corrected_ns));
    if (since.empty()) start = by;
    since.push_back(Whole(DifferenceOf(r.recorded_ns, clock.first_recorded_ns)));
    offset.push_back(Whole(DifferenceOf(by, start)));
    lower.push_back(OpenOr(r.lower_ns, r.corrected_ns));
    upper.push_back(OpenOr(r.upper_ns, r.corrected_ns));
  }
  return {{"origin", Exact(clock.first_recorded_ns)},
          {"since", since},
          {"start", Exact(start)},
          {"offset", offset},
          {"lower", lower},
          {"upper", upper},
          {"rates", RatesJson(clock, origin_ns)},
          {"broadcasts", BroadcastsJson(clock)}};
}

Json CorridorJson(const ReportTrace& trace, const ReportTrace::Corridor& corridor) {
  const int64_t a = trace.clocks[corridor.a].first_recorded_ns;
  const int64_t b = trace.clocks[corridor.b].first_recorded_ns;
  Json since = Json::array();
  Json lower = Json::array();
  Json upper = Json::array();
  Json chosen = Json::array();
  for (const ReportTrace::Corridor::At& at : corridor.at) {
    since.push_back(Whole(DifferenceOf(at.x_ns, a)));
    lower.push_back(WholeOrNull(at.lower_ns));
    upper.push_back(WholeOrNull(at.upper_ns));
    chosen.push_back(Whole(at.chosen_ns));
  }
  return {SYNCLINE_FIELDS(corridor, a, b),
          {"x", Whole(DifferenceOf(corridor.x_ns, a))},
          {"y", Whole(DifferenceOf(corridor.y_ns, b))},
          {"drift", corridor.drift},
          {"since", since},
          {"lower", lower},
          {"upper", upper},
          {"chosen", chosen}};
}

Json TraceProcessJson(const ReportTrace::Process& process, const std::string& title) {
  Json json = {SYNCLINE_FIELDS(process, name, label),
               {"title", title},
               SYNCLINE_FIELDS(process, clock, total),
               {"events", process.events.size()}};
  if (!process.count.empty()) json["count"] = process.count;
  return json;
}

Json TraceJson(const ReportTrace& trace) {
  Json json = {{"extent", WindowJson(trace.extent)},
               {"window", trace.window ? WindowJson(*trace.window) : Json(nullptr)},
               {"window_chosen", trace.is_window_chosen},
               SYNCLINE_FIELDS(trace, events_total, messages_total),
               {"messages", trace.messages.size()},
               SYNCLINE_FIELDS(trace, messages_left_out, names, corridors_left_out)};
  const ProcessTitles titles(trace.processes);
  json["processes"] = ListJson(trace.processes, [&](const ReportTrace::Process& process) {
    return TraceProcessJson(process, titles.Of(process.name));
  });
  json["clocks"] = ListJson(trace.clocks, [&](const ReportTrace::Clock& clock) {
    return TraceClockJson(clock, trace.extent.from_ns);
  });
  json["corridors"] = ListJson(
      trace.corridors, [&](const ReportTrace::Corridor& c) { return CorridorJson(trace, c); });
  return json;
}

Json MeaningsJson(std::string_view summary_json) {
  const Json summary = Json::parse(summary_json, nullptr, false);
  Json meanings = Json::object();
  if (!summary.is_object() || !summary.contains("diagnostics")) return meanings;
  for (const Json& diagnostic : summary["diagnostics"]) {
    if (!diagnostic.is_object() || !diagnostic.contains("name")) continue;
    if (!diagnostic["name"].is_string()) continue;
    const std::string name = diagnostic["name"];
    meanings[name] = DiagnosticMeaning(name);
  }
  return meanings;
}

// JSON that cannot end the element it stands in: "<" occurs inside strings alone.
std::string InScript(const std::string& json) {
  return absl::StrReplaceAll(json, {{"<", "\\u003c"}});
}

// Lines "| `name`, `other` | severity | meaning |".
std::map<std::string, std::string, std::less<>> ReadMeanings(std::string_view page) {
  std::map<std::string, std::string, std::less<>> meanings;
  while (!page.empty()) {
    const std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(line.size() + 1, page.size()));
    const size_t severity = line.find(" | ");
    const size_t meaning = severity == line.npos ? line.npos : line.find(" | ", severity + 3);
    if (!line.starts_with("| `") || meaning == line.npos) continue;
    const std::string text(line.substr(meaning + 3, line.rfind(" |") - meaning - 3));
    std::string_view names = line.substr(0, severity);
    for (size_t open = names.find('`'); open != names.npos; open = names.find('`')) {
      names.remove_prefix(open + 1);
      const size_t close = std::min(names.find('`'), names.size() - 1);
      meanings.emplace(names.substr(0, close), text);
      names.remove_prefix(close + 1);
    }
  }
  return meanings;
}

// What every JSON of a kind has, and others have not.
struct KindOfJson {
  SummaryKind kind;
  const char* name;
  std::array<const char*, 4> lists;
  std::array<const char*, 2> objects;
};
constexpr std::array kKinds = {
    KindOfJson{
        SummaryKind::kSync, "sync", {"inputs", "clocks", "pairs", "diagnostics"}, {"messages"}},
    KindOfJson{
        SummaryKind::kCompare, "compare", {"inputs", "methods", "diagnostics"}, {"messages"}},
    KindOfJson{SummaryKind::kConcurrency,
               "concurrency",
               {"processes", "regions", "diagnostics"},
               {"computation"}},
    KindOfJson{SummaryKind::kFilter, "filter", {"diagnostics"}, {"messages", "logical"}},
};

std::string NameOf(SummaryKind kind) {
  const auto found = std::ranges::find(kKinds, kind, &KindOfJson::kind);
  return found->name;
}

}  // namespace

std::string_view ChartKindName(PageChart::Kind kind) {
  if (kind == PageChart::Kind::kCorridor) return "corridor";
  return kind == PageChart::Kind::kBounds ? "bounds" : "error";
}

std::string DiagnosticMeaning(std::string_view name) {
  static const auto kMeanings = ReadMeanings(kDiagnosticsPage);
  const auto found = kMeanings.find(name);
  return found == kMeanings.end() ? "" : found->second;
}

std::optional<SummaryKind> KindOfSummary(std::string_view json) {
  // What the parser skips browsers refuse. To it a zero is the end, whatever comes behind it.
  if (json.starts_with("\xef\xbb\xbf")) return std::nullopt;
  if (json.find('\0') != json.npos) return std::nullopt;
  const Json summary = Json::parse(json, nullptr, false);
  if (!summary.is_object() || !summary.contains("syncline")) return std::nullopt;
  for (const KindOfJson& kind : kKinds) {
    const auto has = [&](const auto& names, auto is_kind) {
      return std::ranges::all_of(names, [&](const char* name) {
        return name == nullptr || (summary.contains(name) && is_kind(summary[name]));
      });
    };
    if (has(kind.lists, [](const Json& value) { return value.is_array(); }) &&
        has(kind.objects, [](const Json& value) { return value.is_object(); })) {
      return kind.kind;
    }
  }
  return std::nullopt;
}

std::string PageToHtml(const Page& page) {
  const std::string meta =
      JsonText({{"version", 2},
                {"kind", NameOf(page.kind)},
                {"inputs", ListJson(page.inputs,
                                    [](const PageInput& input) {
                                      return Json{SYNCLINE_FIELDS(input, path, sha256)};
                                    })},
                {"meanings", MeaningsJson(page.summary_json)},
                {"trace", page.trace ? TraceJson(*page.trace) : Json(nullptr)},
                {"timeline", page.timeline ? LogicalTimelineJson(*page.timeline) : Json(nullptr)},
                {"regions", page.regions ? RegionTimelineJson(*page.regions) : Json(nullptr)},
                {"charts", ListJson(page.charts, PageChartJson)}});
  static constexpr std::string_view kPlace = "<!--syncline:data-->";
  const size_t place = kPageTemplate.find(kPlace);
  std::string html(kPageTemplate.substr(0, place));
  const auto add = [&](std::string_view id, std::string_view type, std::string_view content) {
    html += "<script id=\"";
    html += id;
    html += "\" type=\"";
    html += type;
    html += "\">";
    html += content;
    html += "</script>\n";
  };
  add("summary", "application/json", InScript(page.summary_json));
  add("meta", "application/json", InScript(meta));
  if (page.trace) add("events", "text/plain", absl::Base64Escape(EncodeTrace(*page.trace)));
  if (place != kPageTemplate.npos) html += kPageTemplate.substr(place + kPlace.size());
  return html;
}

}  // namespace syncline
