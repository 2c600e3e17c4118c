#include "cli/simulate/measured_costs.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/int128.h"

namespace syncline {
namespace {

struct Trips {
  int64_t least_ns = 0;
  int64_t mean_ns = 0;
};

std::optional<int64_t> NumberAt(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

// Nothing of a host that did not answer, or whose figures make no sense.
std::optional<Trips> TripsOf(const nlohmann::json& host) {
  if (!host.is_object()) return std::nullopt;
  const auto exchanges = host.find("exchanges");
  if (exchanges == host.end() || !exchanges->is_object()) return std::nullopt;
  const auto least = NumberAt(*exchanges, "least_trip_ns");
  const auto mean = NumberAt(*exchanges, "mean_trip_ns");
  if (!least || !mean || *least < 0 || *mean < *least) return std::nullopt;
  return Trips{*least, *mean};
}

}  // namespace

Result<MeasuredCosts> ReadMeasuredCosts(const std::string& path) {
  const auto text = ReadWholeFile(path);
  if (!text) return tl::unexpected(text.error());
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("hosts") || !json["hosts"].is_array()) {
    return Fail(ErrorCode::kMalformed, "not the JSON of clock probe: it has no list of hosts",
                path);
  }
  Int128 least = 0;
  Int128 mean = 0;
  int64_t hosts = 0;
  for (const nlohmann::json& host : json["hosts"]) {
    const auto trips = TripsOf(host);
    if (!trips) continue;
    least += trips->least_ns;
    mean += trips->mean_ns;
    ++hosts;
  }
  if (hosts == 0) return Fail(ErrorCode::kMalformed, "no host in it has answered", path);
  return MeasuredCosts{static_cast<int64_t>(mean / hosts), static_cast<int64_t>(least / hosts / 2),
                       static_cast<int64_t>((mean - least) / hosts / 2)};
}

}  // namespace syncline
