#include "report/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include "base/utf8.h"

namespace syncline {
namespace {

// 1, 2 or 5 times a power of ten, near `rough`; at least a nanosecond.
double RoundStep(double rough) {
  const double power = std::pow(10, std::floor(std::log10(std::max(rough, 1.0))));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

struct Unit {
  const char* name;
  double ns;
};

Unit UnitFor(double magnitude) {
  for (const Unit unit : {Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"µs", 1e3}}) {
    if (magnitude >= unit.ns) return unit;
  }
  return {"ns", 1};
}

// "10⁻⁸".
std::string PowerOfTen(int exponent) {
  static constexpr std::array kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char c : fmt::format("{}", std::abs(exponent))) {
    text += kDigits[static_cast<size_t>(c - '0')];
  }
  return text;
}

std::string DurationText(double ns) {
  const Unit unit = UnitFor(ns);
  return fmt::format("{:g} {}", ns / unit.ns, unit.name);
}

constexpr double kWidth = 960;
constexpr double kLeft = 78, kRight = 712, kTop = 58;  // of the plotted area
constexpr double kPlotHeight = 318, kBelow = 58;
constexpr double kLegend = 730, kLegendRow = 18;
constexpr const char* kInk = "#24292f";
constexpr const char* kFaint = "#6e7781";

std::string Escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const char first = text[0];
    if (length == 0 || (first >= 0 && first < ' ') || first == '\x7f') {
      escaped += '?';
    } else if (first == '&') {
      escaped += "&amp;";
    } else if (first == '<') {
      escaped += "&lt;";
    } else if (first == '>') {
      escaped += "&gt;";
    } else if (first == '"') {
      escaped += "&quot;";
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return escaped;
}

std::vector<std::string> LinesOf(const std::string& label) { return absl::StrSplit(label, '\n'); }

class SvgWriter {
 public:
  // `number` of several in one file, for what needs a name of its own.
  SvgWriter(const Chart& chart, size_t number)
      : chart_(chart),
        clip_(number == 0 ? "plot" : fmt::format("plot{}", number)),
        x_(AxisFor(chart.x_range, chart.x_scale, 8)),
        y_(AxisFor(chart.y_range, chart.y_scale, 7)) {}

  // What stands inside of the svg element.
  std::string Run() {
    double rows = 0;
    for (const ChartSeries& series : chart_.series) {
      if (!series.label.empty()) rows += static_cast<double>(LinesOf(series.label).size());
    }
    height_ = std::max(kTop + kPlotHeight + kBelow, kTop + rows * kLegendRow + 20);
    Begin();
    DrawAxes();
    Print("<g clip-path=\"url(#{})\" fill=\"none\" stroke-linejoin=\"round\">\n", clip_);
    for (const ChartSeries& series : chart_.series) Draw(series);
    Print("</g>\n");
    Print("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>\n",
          kLeft, kTop, kRight - kLeft, kPlotHeight, kFaint);
    DrawLegend();
    return std::move(svg_);
  }
  // After Run().
  double height() const { return height_; }

 private:
  static ChartAxis AxisFor(std::pair<double, double> range, ChartScale scale, int wanted) {
    return scale == ChartScale::kDurations ? MakeChartAxis(range.first, range.second, wanted)
                                           : MakeLogAxis(range.first, range.second, scale);
  }

  template <typename... Args>
  void Print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(svg_), format, std::forward<Args>(args)...);
  }

  double X(double value) const { return kLeft + x_.ShareOf(value) * (kRight - kLeft); }
  // Far outside points are drawn just outside.
  double Y(double value) const {
    return kTop + (1 - std::clamp(y_.ShareOf(value), -9.0, 10.0)) * kPlotHeight;
  }
  bool IsShown(const ChartPoint& p) const { return std::isfinite(p.y) && (!y_.is_log || p.y > 0); }
  static std::string Labelled(const std::string& label, const ChartAxis& axis) {
    return axis.unit.empty() ? Escaped(label) : fmt::format("{} ({})", Escaped(label), axis.unit);
  }

  void Begin() {
    Print(
        "<defs><clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>"
        "</clipPath></defs>\n",
        clip_, kLeft, kTop, kRight - kLeft, kPlotHeight);
    Print("<text x=\"{}\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{}</text>\n", kLeft,
          Escaped(chart_.title));
    Print("<text x=\"{}\" y=\"44\" fill=\"{}\">{}</text>\n", kLeft, kFaint,
          Escaped(chart_.subtitle));
  }

  void DrawAxes() {
    const double bottom = kTop + kPlotHeight;
    Print("<g stroke=\"#e4e8ec\">\n");
    for (const double t : x_.ticks) Print("<path d=\"M{0:.1f} {1}V{2}\"/>\n", X(t), kTop, bottom);
    for (const double t : y_.ticks) Print("<path d=\"M{} {:.1f}H{}\"/>\n", kLeft, Y(t), kRight);
    Print("</g>\n");
    if (!y_.is_log && y_.low < 0 && y_.high > 0) {
      Print("<path d=\"M{} {:.1f}H{}\" stroke=\"{}\"/>\n", kLeft, Y(0), kRight, kFaint);
    }
    for (size_t i = 0; i < x_.ticks.size(); ++i) {
      Print("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", X(x_.ticks[i]),
            bottom + 18, x_.numbers[i]);
    }
    for (size_t i = 0; i < y_.ticks.size(); ++i) {
      Print("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 7,
            Y(y_.ticks[i]) + 4.5, y_.numbers[i]);
    }
    Print("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + kRight) / 2,
          bottom + 42, Labelled(chart_.x_label, x_));
    Print("<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
          kTop + kPlotHeight / 2, Labelled(chart_.y_label, y_));
  }

  static std::string Stroke(const ChartSeries& s) {
    return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}{}", s.color, s.width,
                       s.dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", s.dash),
                       s.opacity == 1 ? "" : fmt::format(" stroke-opacity=\"{}\"", s.opacity));
  }

  void Draw(const ChartSeries& series) {
    switch (series.kind) {
      case ChartSeries::Kind::kLine:
        Print("<path {} d=\"{}\"/>\n", Stroke(series), PathOf(series));
        return;
      case ChartSeries::Kind::kArea:
        Print("<path fill=\"{}\" fill-opacity=\"{}\" d=\"{}z\"/>\n", series.color, series.opacity,
              PathOf(series));
        return;
      case ChartSeries::Kind::kPoints:
        Print("<path {} stroke-linecap=\"round\" d=\"{}\"/>\n", Stroke(series), DotsOf(series));
        return;
    }
  }

  std::string PathOf(const ChartSeries& series) const {
    std::string path;
    bool is_drawing = false;
    for (const ChartPoint& p : series.points) {
      if (IsShown(p)) {
        fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", is_drawing ? 'L' : 'M', X(p.x),
                       Y(p.y));
      }
      is_drawing = IsShown(p);
    }
    return path.empty() ? "M0 0" : path;
  }

  // Lines of no length, whose round ends are dots.
  std::string DotsOf(const ChartSeries& series) const {
    std::string path;
    for (const ChartPoint& p : series.points) {
      if (!(p.x >= x_.low && p.x <= x_.high && p.y >= y_.low && p.y <= y_.high)) continue;
      fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}h0", X(p.x), Y(p.y));
    }
    return path.empty() ? "M0 0" : path;
  }

  void DrawLegend() {
    double y = kTop + 6;
    for (const ChartSeries& series : chart_.series) {
      if (series.label.empty()) continue;
      DrawKey(series, y);
      for (const std::string& line : LinesOf(series.label)) {
        Print("<text x=\"{}\" y=\"{}\">{}</text>\n", kLegend + 36, y + 4.5, Escaped(line));
        y += kLegendRow;
      }
    }
  }

  void DrawKey(const ChartSeries& series, double y) {
    switch (series.kind) {
      case ChartSeries::Kind::kLine:
        Print("<path {} d=\"M{} {}h26\"/>\n", Stroke(series), kLegend, y);
        return;
      case ChartSeries::Kind::kArea:
        Print(
            "<rect x=\"{}\" y=\"{}\" width=\"26\" height=\"12\" fill=\"{}\" "
            "fill-opacity=\"{}\"/>\n",
            kLegend, y - 6, series.color, series.opacity);
        return;
      case ChartSeries::Kind::kPoints:
        Print("<path stroke=\"{}\" stroke-width=\"5\" stroke-linecap=\"round\" d=\"M{} {}h0\"/>\n",
              series.color, kLegend + 13, y);
        return;
    }
  }

  const Chart& chart_;
  std::string clip_;
  ChartAxis x_, y_;
  double height_ = 0;
  std::string svg_;
};

}  // namespace

double ChartAxis::ShareOf(double value) const {
  if (!is_log) return (value - low) / (high - low);
  return std::log10(value / low) / std::log10(high / low);
}

ChartAxis MakeChartAxis(double low, double high, int wanted) {
  if (!std::isfinite(low)) low = 0;
  if (!(high > low) || !std::isfinite(high)) high = low + 1;
  const double step = RoundStep((high - low) / wanted);
  const Unit unit = UnitFor(std::max(std::abs(low), std::abs(high)));
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit.ns) - 1e-9)));
  ChartAxis axis{.low = low, .high = high, .unit = unit.name};
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
    const double at = k * step;
    axis.ticks.push_back(at);
    axis.numbers.push_back(
        fmt::format("{}{:.{}f}", at < 0 ? "−" : "", std::abs(at) / unit.ns, decimals));
    if (axis.ticks.size() > 100) break;
  }
  return axis;
}

ChartAxis MakeLogAxis(double low, double high, ChartScale scale) {
  const auto usable = [](double v) { return v > 0 && std::isfinite(v); };
  if (!usable(low)) low = usable(high) ? high : 1;
  if (!usable(high) || high < low) high = low;
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = std::max(first + 1, static_cast<int>(std::ceil(std::log10(high) - 1e-9)));
  ChartAxis axis{.low = std::pow(10, first), .high = std::pow(10, last), .is_log = true};
  for (int exponent = first; exponent <= last; ++exponent) {
    const double at = std::pow(10, exponent);
    axis.ticks.push_back(at);
    axis.numbers.push_back(scale == ChartScale::kLogNumbers ? PowerOfTen(exponent)
                                                            : DurationText(at));
  }
  return axis;
}

std::string ChartToSvg(const Chart& chart) { return ChartsToSvg({&chart, 1}); }

std::string ChartsToSvg(std::span<const Chart> charts) {
  std::string inside;
  double height = 0;
  for (size_t i = 0; i < charts.size(); ++i) {
    SvgWriter writer(charts[i], i);
    const std::string chart = writer.Run();
    inside +=
        i == 0 ? chart : fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", height, chart);
    height += writer.height();
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
      "font-family=\"sans-serif\" font-size=\"13\" fill=\"{}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
      kWidth, height, kInk, inside);
}

// Okabe and Ito's, which colour-blind readers can tell apart; their yellow is too pale on white.
std::string ChartColor(size_t n) {
  static constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#56b4e9", "#e69f00", "#7a5195", "#8c564b"};
  return kColors[n % kColors.size()];
}

std::string ChartDash(size_t n) {
  static constexpr std::array kDashes = {"", "7 4", "2 3", "9 3 2 3"};
  return kDashes[n / 8 % kDashes.size()];
}

}  // namespace syncline
