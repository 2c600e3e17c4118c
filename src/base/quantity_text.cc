#include "base/quantity_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace syncline {
namespace {

// What is further than can be said has become the end of the range.
std::string AtLeast(int64_t ns) { return ns == INT64_MIN ? "≤ " : ns == INT64_MAX ? "≥ " : ""; }

std::string Magnitude(uint64_t ns) {
  if (ns < 1000) return fmt::format("{} ns", ns);
  const auto value = static_cast<double>(ns);
  if (ns < 1'000'000) return fmt::format("{:.1f} µs", value / 1e3);
  if (ns < 1'000'000'000) return fmt::format("{:.3f} ms", value / 1e6);
  // Whole microseconds from integers: epoch-sized values have more digits than a double.
  const uint64_t us = ns / 1000 + (ns % 1000 >= 500 ? 1 : 0);
  return fmt::format("{}.{:06} s", us / 1'000'000, us % 1'000'000);
}

uint64_t Absolute(int64_t ns) {
  return ns < 0 ? -static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
}

}  // namespace

std::string FormatDuration(int64_t ns) {
  return AtLeast(ns) + (ns < 0 ? "−" : "") + Magnitude(Absolute(ns));
}

std::string FormatSignedDuration(int64_t ns) {
  return AtLeast(ns) + (ns < 0 ? "−" : ns > 0 ? "+" : "") + Magnitude(Absolute(ns));
}

std::string FormatBound(std::optional<int64_t> ns) {
  return ns ? FormatDuration(*ns) : "unbounded";
}

std::string FormatSignedPpm(double ppm, int decimals) {
  return fmt::format("{}{:.{}f} ppm", ppm < 0 ? "−" : "+", std::abs(ppm), decimals);
}

std::string FormatDrift(std::optional<double> ppm) {
  if (!ppm) return "–";
  return std::abs(*ppm) < 0.0005 ? "0.000 ppm" : FormatSignedPpm(*ppm, 3);
}

std::string FormatPercent(double fraction) {
  const double percent = 100 * fraction;
  if (percent == 0) return "0 %";
  if (percent >= 999.5 && percent < 1e15) {
    return FormatCount(static_cast<uint64_t>(std::llround(percent))) + " %";
  }
  return fmt::format("{:#.3g} %", percent);
}

std::string FormatBounds(std::optional<int64_t> below, std::optional<int64_t> above) {
  if (!below && !above) return FormatBound({});
  if (below && above) {
    const auto [less, more] = std::minmax(*below, *above);
    if (more - less <= more / 10) return "± " + FormatDuration(more);
  }
  return (below ? "−" : "") + FormatBound(below) + (above ? "/+" : "/") + FormatBound(above);
}

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += "\u202f";
    grouped += digits[i];
  }
  return grouped;
}

std::string FormatBytes(uint64_t bytes) {
  if (bytes < 1024) return FormatCount(bytes, "byte");
  const auto value = static_cast<double>(bytes);
  if (bytes < uint64_t{1} << 20) return fmt::format("{:.0f} KiB", value / 0x1p10);
  if (bytes < uint64_t{1} << 30) return fmt::format("{:.1f} MiB", value / 0x1p20);
  return fmt::format("{:.2f} GiB", value / 0x1p30);
}

std::string FormatCount(uint64_t count, const std::string& singular) {
  return FormatCount(count) + " " + singular + (count == 1 ? "" : "s");
}

}  // namespace syncline
