#include "read/logs/log_time.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "base/parse_number.h"

namespace syncline {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay_s = 86'400;
constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2261;
constexpr int64_t kMostNs = 9'214'646'400 * kSecond;  // 2262-01-01
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view kWeekdays = "SunMonTueWedThuFriSat";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// How many decimals a unit has until the nanosecond.
int DecimalsOf(int64_t unit_ns) {
  int decimals = 0;
  for (; unit_ns > 1; unit_ns /= 10) ++decimals;
  return decimals;
}

// Goes through a text; what does not fit makes everything after it fail.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : text_(text) {}

  uint8_t at() const { return static_cast<uint8_t>(at_); }
  bool is_at_end() const { return at_ == text_.size(); }
  char next() const { return is_at_end() ? '\0' : text_[at_]; }
  bool fits() const { return fits_; }

  bool Accept(std::string_view any_of) {
    if (is_at_end() || any_of.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  void Expect(std::string_view any_of) { fits_ = Accept(any_of) && fits_; }
  int Number(int digits) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      fits_ = fits_ && IsDigit(next());
      if (!fits_) return 0;
      value = value * 10 + (text_[at_++] - '0');
    }
    return value;
  }
  // Which of three-letter names; −1: none, and stays there.
  int Name(std::string_view names) {
    const std::string_view word = text_.substr(at_, 3);
    const size_t found = word.size() == 3 ? names.find(word) : std::string_view::npos;
    if (found == std::string_view::npos || found % 3 != 0) return -1;
    at_ += 3;
    return static_cast<int>(found / 3);
  }
  // Digits behind a separator, at most so many, in units of the last that could be there.
  int64_t Fraction(std::string_view separators, int most, LogTimeLayout& layout) {
    layout.fraction = at();
    const bool is_there = at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]) && Accept(separators);
    if (!is_there) return 0;
    int64_t value = 0;
    int digits = 0;
    for (; IsDigit(next()); ++at_, ++digits) {
      fits_ = fits_ && digits < most;
      if (!fits_) return 0;
      value = value * 10 + (next() - '0');
    }
    layout.fraction_length = static_cast<uint8_t>(digits + 1);
    for (; digits < most; ++digits) value *= 10;
    return value;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  bool fits_ = true;
};

// A date and a time of day as written.
struct Calendar {
  std::optional<int> year;
  int month = 1;
  int day = 1;
  int64_t second = 0;  // of the day
  int64_t fraction_ns = 0;
};

void ScanClock(TimeScanner& scan, LogTimeLayout& layout, Calendar& c) {
  layout.clock = scan.at();
  const int hour = scan.Number(2);
  scan.Expect(":");
  const int minute = scan.Number(2);
  scan.Expect(":");
  const int second = scan.Number(2);
  if (hour > 23 || minute > 59 || second > 60) scan.Expect("");
  c.second = hour * 3600 + minute * 60 + second;
  c.fraction_ns = scan.Fraction(".,", 9, layout);
}

// Z, +01:00, +0100, +01; nothing is the source's.
void ScanZone(TimeScanner& scan, const LogSource& source, LogTimeLayout& layout) {
  layout.zone_s = source.zone_s;
  if (scan.is_at_end()) return;
  scan.Accept(" ");
  if (scan.Accept("Zz")) {
    layout.zone_s = 0;
    return;
  }
  const int sign = scan.next() == '-' ? -1 : 1;
  scan.Expect("+-");
  const int hours = scan.Number(2);
  const bool has_minutes = scan.Accept(":") || !scan.is_at_end();
  const int minutes = has_minutes ? scan.Number(2) : 0;
  if (hours > 23 || minutes > 59) scan.Expect("");
  layout.zone_s = sign * (hours * 3600 + minutes * 60);
}

// 2026-11-23T23:36:40, 2026/11/23 23:36:40
void ScanYearFirst(TimeScanner& scan, const LogSource& source, LogTimeLayout& layout, Calendar& c) {
  layout.year = scan.at();
  c.year = scan.Number(4);
  const char separator = scan.next();
  scan.Expect("-/");
  layout.month = scan.at();
  c.month = scan.Number(2);
  scan.Expect({&separator, 1});
  layout.day = scan.at();
  c.day = scan.Number(2);
  scan.Expect("Tt ");
  ScanClock(scan, layout, c);
  ScanZone(scan, source, layout);
}

// 23/Nov/2026:23:36:40 +0100
void ScanDayFirst(TimeScanner& scan, const LogSource& source, LogTimeLayout& layout, Calendar& c) {
  layout.day = scan.at();
  c.day = scan.Number(2);
  scan.Expect("/");
  layout.month = scan.at();
  layout.is_month_named = true;
  c.month = scan.Name(kMonths) + 1;
  scan.Expect("/");
  layout.year = scan.at();
  c.year = scan.Number(4);
  scan.Expect(":");
  ScanClock(scan, layout, c);
  ScanZone(scan, source, layout);
}

// Nov 23 23:36:40, Mon Nov  3 23:36:40.123 2026
void ScanMonthFirst(TimeScanner& scan, const LogSource& source, LogTimeLayout& layout,
                    Calendar& c) {
  layout.is_month_named = true;
  layout.month = scan.at();
  const uint8_t first = scan.at();
  if (scan.Name(kWeekdays) >= 0) {
    layout.weekday = first;
    scan.Expect(" ");
    layout.month = scan.at();
  }
  c.month = scan.Name(kMonths) + 1;
  scan.Expect(" ");
  layout.day = scan.at();
  layout.is_day_blank_padded = scan.Accept(" ");
  c.day = scan.Number(layout.is_day_blank_padded ? 1 : 2);
  layout.is_day_blank_padded = layout.is_day_blank_padded || c.day >= 10;
  scan.Expect(" ");
  ScanClock(scan, layout, c);
  layout.zone_s = source.zone_s;
  if (scan.is_at_end()) return;
  scan.Expect(" ");
  layout.year = scan.at();
  c.year = scan.Number(4);
}

int64_t SecondsOf(int year, const Calendar& c) {
  const auto days = sys_days(std::chrono::year(year) / c.month / c.day).time_since_epoch();
  return days.count() * kDay_s + c.second;
}

// The year of a time that says none.
int YearNear(const Calendar& c, int stated, std::optional<int64_t> near_ns) {
  if (!near_ns) return stated;
  const std::chrono::sys_seconds near(std::chrono::seconds(*near_ns / kSecond));
  const int about = int{year_month_day(std::chrono::floor<std::chrono::days>(near)).year()};
  const auto distance = [&](int year) {
    return std::abs(SecondsOf(year, c) - near.time_since_epoch().count());
  };
  int best = about;
  for (const int year : {about - 1, about + 1}) {
    if (distance(year) < distance(best)) best = year;
  }
  return best;
}

LogTimeDefect Resolve(const Calendar& c, const LogSource& source, std::optional<int64_t> near_ns,
                      LogTime& time) {
  if (!c.year && !source.year) return LogTimeDefect::kYearMissing;
  const int year = c.year ? *c.year : YearNear(c, *source.year, near_ns);
  if (year < kFirstYear || year > kLastYear) return LogTimeDefect::kOutOfRange;
  const year_month_day date = std::chrono::year(year) / c.month / c.day;
  if (!date.ok()) return LogTimeDefect::kNotATime;
  time.ns = (SecondsOf(year, c) - time.layout.zone_s) * kSecond + c.fraction_ns;
  const bool is_within = time.ns >= 0 && time.ns < kMostNs;
  return is_within ? LogTimeDefect::kNone : LogTimeDefect::kOutOfRange;
}

int64_t UnitByMagnitude(uint64_t whole) {
  if (whole < 100'000'000'000) return kSecond;
  if (whole < 100'000'000'000'000) return 1'000'000;
  if (whole < 100'000'000'000'000'000) return 1000;
  return 1;
}

LogTime ParseEpoch(std::string_view text, const LogSource& source) {
  LogTime time;
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  constexpr size_t kMostDigits = 20;  // zeros in front included
  const auto whole = digits <= kMostDigits ? ParseNumber<uint64_t>(text.substr(0, digits))
                                           : std::optional<uint64_t>();
  if (!whole) {
    if (digits > 0) time.defect = LogTimeDefect::kOutOfRange;
    return time;
  }
  const int64_t unit_ns = source.time_unit == LogUnit::kByMagnitude ? UnitByMagnitude(*whole)
                                                                    : LogUnitNs(source.time_unit);
  time.layout = {.is_epoch = true, .unit_ns = unit_ns};
  TimeScanner scan(text.substr(digits));
  const int64_t fraction_ns = scan.Fraction(".", DecimalsOf(unit_ns), time.layout);
  time.layout.fraction = static_cast<uint8_t>(digits);
  if (!scan.fits() || !scan.is_at_end()) return time;
  if (*whole >= static_cast<uint64_t>(kMostNs / unit_ns)) {
    time.defect = LogTimeDefect::kOutOfRange;
    return time;
  }
  time.ns = static_cast<int64_t>(*whole) * unit_ns + fraction_ns;
  time.defect = LogTimeDefect::kNone;
  return time;
}

void Put(std::string& text, size_t at, std::string_view part) {
  text.replace(at, part.size(), part);
}

void PutDate(const LogTimeLayout& layout, int64_t seconds, std::string& text) {
  const std::chrono::sys_seconds moment(std::chrono::seconds(seconds + layout.zone_s));
  const auto days = std::chrono::floor<std::chrono::days>(moment);
  const year_month_day date(days);
  const auto second = (moment - days).count();
  const unsigned month = unsigned{date.month()};
  const unsigned day = unsigned{date.day()};
  if (layout.year != LogTimeLayout::kNowhere) {
    Put(text, layout.year, fmt::format("{:04}", int{date.year()}));
  }
  Put(text, layout.month,
      layout.is_month_named ? std::string(kMonths.substr((month - 1) * 3, 3))
                            : fmt::format("{:02}", month));
  Put(text, layout.day,
      layout.is_day_blank_padded ? fmt::format("{:2}", day) : fmt::format("{:02}", day));
  if (layout.weekday != LogTimeLayout::kNowhere) {
    Put(text, layout.weekday, kWeekdays.substr(std::chrono::weekday(days).c_encoding() * 3, 3));
  }
  Put(text, layout.clock,
      fmt::format("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60));
}

// With its separator; empty where there is none.
std::string FractionText(int64_t fraction_ns, int64_t unit_ns, char separator, int decimals,
                         int least_decimals) {
  const int all = DecimalsOf(unit_ns);
  if (all == 0) return {};
  std::string digits = fmt::format("{:0{}}", fraction_ns, all);
  digits.resize(static_cast<size_t>(std::clamp(decimals, 0, all)), '0');
  while (static_cast<int>(digits.size()) > least_decimals && digits.ends_with('0')) {
    digits.pop_back();
  }
  return digits.empty() ? digits : separator + digits;
}

}  // namespace

int64_t LogUnitNs(LogUnit unit) {
  switch (unit) {
    case LogUnit::kMilliseconds: return 1'000'000;
    case LogUnit::kMicroseconds: return 1000;
    case LogUnit::kNanoseconds: return 1;
    case LogUnit::kSeconds:
    case LogUnit::kByMagnitude: break;
  }
  return kSecond;
}

int64_t LogTickNs(int64_t unit_ns, int decimals) {
  for (; decimals > 0 && unit_ns > 1; --decimals) unit_ns /= 10;
  return unit_ns;
}

LogTime ParseLogTime(std::string_view text, const LogSource& source,
                     std::optional<int64_t> near_ns) {
  constexpr size_t kLongest = 64;
  LogTime time;
  if (text.empty() || text.size() > kLongest) return time;
  TimeScanner scan(text);
  Calendar calendar;
  const auto is_one_of = [&](size_t at, std::string_view signs) {
    return text.size() > at && signs.find(text[at]) != std::string_view::npos;
  };
  if (is_one_of(4, "-/") && IsDigit(text[0])) {
    ScanYearFirst(scan, source, time.layout, calendar);
  } else if (is_one_of(2, "/")) {
    ScanDayFirst(scan, source, time.layout, calendar);
  } else if (!IsDigit(text[0])) {
    ScanMonthFirst(scan, source, time.layout, calendar);
  } else {
    return ParseEpoch(text, source);
  }
  const bool is_date =
      calendar.month >= 1 && calendar.month <= 12 && calendar.day >= 1 && calendar.day <= 31;
  if (!scan.fits() || !scan.is_at_end() || !is_date) return time;
  time.defect = Resolve(calendar, source, near_ns, time);
  return time;
}

void AppendLogTime(const LogTime& like, std::string_view text, int64_t ns, int decimals,
                   int least_decimals, std::string& out) {
  // A second 60, a wrong weekday, zeros at the end are kept where nothing changes.
  if (ns == like.ns && like.decimals() >= least_decimals && like.decimals() <= decimals) {
    out += text;
    return;
  }
  const LogTimeLayout& layout = like.layout;
  std::string all(text);
  if (!layout.is_epoch) PutDate(layout, ns / kSecond, all);
  const int zeros_to = text.starts_with('0') ? layout.fraction : 0;
  out += layout.is_epoch ? fmt::format("{:0{}}", ns / layout.unit_ns, zeros_to)
                         : all.substr(0, layout.fraction);
  const char separator = layout.fraction_length > 0 ? text[layout.fraction] : '.';
  out += FractionText(ns % layout.unit_ns, layout.unit_ns, separator, decimals, least_decimals);
  out.append(all, layout.fraction + layout.fraction_length);
}

std::optional<LogDuration> ParseLogDuration(std::string_view text, LogUnit unit) {
  constexpr int64_t kMost = int64_t{30} * 366 * kDay_s * kSecond;
  const int64_t unit_ns = LogUnitNs(unit);
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto whole = ParseNumber<uint64_t>(text.substr(0, digits));
  if (!whole || *whole >= static_cast<uint64_t>(kMost / unit_ns)) return std::nullopt;
  TimeScanner scan(text.substr(digits));
  LogTimeLayout layout;
  const int64_t fraction_ns = scan.Fraction(".", DecimalsOf(unit_ns), layout);
  if (!scan.fits() || !scan.is_at_end()) return std::nullopt;
  const int decimals = layout.fraction_length > 0 ? layout.fraction_length - 1 : 0;
  return LogDuration{static_cast<int64_t>(*whole) * unit_ns + fraction_ns,
                     LogTickNs(unit_ns, decimals)};
}

}  // namespace syncline
