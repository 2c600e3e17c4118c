#include "report/step_text.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/int128.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
// 1990-01-01: 20 years, 5 of them leap years.
constexpr int64_t kEarliestEpochTime = (20 * 365 + 5) * kDay;
constexpr int kLeastDigits = 2;
constexpr int kMostDigits = 9;

int64_t UnitOf(int digits) {
  int64_t unit = kSecond;
  for (int i = 0; i < digits; ++i) unit /= 10;
  return unit;
}

// Enough to tell both apart, rounded down.
int DigitsFor(Int128 a, Int128 b) {
  int digits = kLeastDigits;
  while (digits < kMostDigits && FloorDiv(a, UnitOf(digits)) == FloorDiv(b, UnitOf(digits))) {
    ++digits;
  }
  return digits;
}

std::string Fraction(int64_t ns, int digits) {
  return fmt::format(".{:0{}}", ns / UnitOf(digits), digits);
}

std::string FormatInstant(const Summary::Extent& extent, int64_t ns, int digits) {
  if (extent.first.ns < kEarliestEpochTime) {
    const Int128 since = static_cast<Int128>(ns) - extent.first.ns;
    const Int128 magnitude = since < 0 ? -since : since;
    return fmt::format("{}{}{} s", since < 0 ? "−" : "", static_cast<int64_t>(magnitude / kSecond),
                       Fraction(static_cast<int64_t>(magnitude % kSecond), digits));
  }
  const auto days = static_cast<int64_t>(FloorDiv(ns, kDay));
  const auto in_day = static_cast<int64_t>(ns - static_cast<Int128>(days) * kDay);
  const int64_t seconds = in_day / kSecond;
  const std::string time = fmt::format("{:02}:{:02}:{:02}{}", seconds / 3600, seconds / 60 % 60,
                                       seconds % 60, Fraction(in_day % kSecond, digits));
  const Int128 length = static_cast<Int128>(extent.last.ns) - extent.first.ns;
  if (length <= kDay) return time;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02} {}", int{date.year()}, unsigned{date.month()},
                     unsigned{date.day()}, time);
}

Int128 Magnitude(Int128 ns) { return ns < 0 ? -ns : ns; }

// As a range where bounds leave more than a tenth of it on either side.
std::string Amount(const Summary::Step& step) {
  const char* way = step.ahead_ns < 0 ? "back" : "ahead";
  const Int128 by = Magnitude(step.ahead_ns);
  if (!step.least_ahead_ns || !step.most_ahead_ns) {
    return fmt::format("{} by about {}", way, FormatDuration(Saturate(by)));
  }
  const Int128 least = *step.least_ahead_ns, most = *step.most_ahead_ns;
  if (most - least <= by / 5) return fmt::format("{} by {}", way, FormatDuration(Saturate(by)));
  const std::string low = FormatDuration(Saturate(Magnitude(least)));
  const std::string high = FormatDuration(Saturate(Magnitude(most)));
  if (least >= 0) return fmt::format("ahead by {} to {}", low, high);
  if (most <= 0) return fmt::format("back by {} to {}", high, low);
  return fmt::format("back by up to {} or ahead by up to {}", low, high);
}

}  // namespace

std::string StepText(const Summary& summary, const Summary::Step& step) {
  const bool is_epoch_time = summary.extent.first.ns >= kEarliestEpochTime;
  const int64_t origin = is_epoch_time ? 0 : summary.extent.first.ns;
  const int digits = DigitsFor(static_cast<Int128>(step.after_ns) - origin,
                               static_cast<Int128>(step.before_ns) - origin);
  return fmt::format(
      "clock {} was set {} between {} and {}{}", step.clock, Amount(step),
      FormatInstant(summary.extent, step.after_ns, digits),
      FormatInstant(summary.extent, step.before_ns, digits),
      is_epoch_time ? "" : fmt::format(" after {}'s first event", summary.reference));
}

std::string StepSentences(const Summary& summary) {
  constexpr size_t kMost = 10;
  std::string text;
  const size_t shown = std::min(summary.steps.size(), kMost);
  for (size_t i = 0; i < shown; ++i) {
    std::string line = StepText(summary, summary.steps[i]);
    line[0] = 'C';
    text += line + ".\n";
  }
  if (shown < summary.steps.size()) {
    text += fmt::format("… and {} more\n", FormatCount(summary.steps.size() - shown));
  }
  return text;
}

}  // namespace syncline
