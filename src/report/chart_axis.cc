#include "report/chart_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

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

}  // namespace syncline
