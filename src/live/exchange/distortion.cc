#include "live/exchange/distortion.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/ticks.h"

namespace syncline {
namespace {

constexpr double kMostOffsetNs = 1e18;
constexpr double kMostDriftPpb = 1e8;

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array kOffsetUnits = {Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6},
                                     Unit{"s", 1e9}};
constexpr std::array kDriftUnits = {Unit{"ppb", 1}, Unit{"ppm", 1e3}};

// A number with one of the units; none where it is not, or is beyond ±most.
template <size_t n>
std::optional<int64_t> ParseQuantity(std::string_view text, const std::array<Unit, n>& units,
                                     double most) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(end, text.data() + text.size() - end);
  for (const Unit& u : units) {
    const double value = number * u.factor;
    if (unit == u.name && std::abs(value) <= most) return std::llround(value);
  }
  return std::nullopt;
}

std::optional<int64_t> ParseTime(std::string_view text) {
  int64_t ns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ns);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return ns;
}

struct Parts {
  std::optional<int64_t> offset_ns;
  std::optional<int64_t> drift_ppb;
  std::optional<int64_t> origin_ns;
};

// False where the part makes no sense or was there before.
bool TakePart(std::string_view part, Parts& parts) {
  const size_t equals = part.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  const auto set = [](std::optional<int64_t>& place, std::optional<int64_t> found) {
    if (place || !found) return false;
    place = found;
    return true;
  };
  if (name == "offset") {
    return set(parts.offset_ns, ParseQuantity(value, kOffsetUnits, kMostOffsetNs));
  }
  if (name == "drift")
    return set(parts.drift_ppb, ParseQuantity(value, kDriftUnits, kMostDriftPpb));
  return name == "origin" && set(parts.origin_ns, ParseTime(value));
}

}  // namespace

int64_t Distortion::Shown(int64_t true_ns) const {
  const Int128 since = static_cast<Int128>(true_ns) - origin_ns;
  return Saturate(static_cast<Int128>(true_ns) + offset_ns +
                  FloorDiv(since * drift_ppb, kPpbInOne));
}

Result<Distortion> ParseDistortion(const std::string& text, int64_t now_ns) {
  Parts parts;
  std::string_view rest = text;
  while (true) {
    const size_t comma = rest.find(',');
    if (!TakePart(rest.substr(0, comma), parts)) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("expected offset=TIME,drift=RATE as in offset=-1.7s,drift=35ppm, "
                              "not \"{}\"",
                              text));
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return Distortion{.offset_ns = parts.offset_ns.value_or(0),
                    .drift_ppb = parts.drift_ppb.value_or(0),
                    .origin_ns = parts.origin_ns.value_or(now_ns)};
}

}  // namespace syncline
