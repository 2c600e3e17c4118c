#include "cli/solve_options.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/parse_number.h"

namespace syncline {
namespace {

// None where it is inf.
Result<std::optional<double>> ParsePpm(std::string_view option, const std::string& text) {
  if (text == "inf") return std::optional<double>();
  const auto ppm = ParseNumber<double>(text);
  if (!ppm || !std::isfinite(*ppm) || *ppm < 0) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{}: expected a number ≥ 0 or inf, not \"{}\"", option, text));
  }
  return ppm;
}

Result<std::optional<double>> ParseSlew(const std::string& text,
                                        std::optional<double> max_drift_ppm) {
  constexpr double kDefaultPpm = 1000;
  if (text.empty()) {
    if (!max_drift_ppm) return std::optional<double>();
    return std::optional(std::max(kDefaultPpm, *max_drift_ppm));
  }
  auto slew = ParsePpm("--max-slew-ppm", text);
  if (!slew) return slew;
  if (*slew && (!max_drift_ppm || **slew < *max_drift_ppm)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--max-slew-ppm: {} is less than --max-drift-ppm", text));
  }
  return slew;
}

struct RateLimits {
  std::optional<double> drift_ppm, slew_ppm, wander_ppm;  // none: any
};

Result<RateLimits> ParseRateLimits(const EstimateOptions& options) {
  const auto drift = ParsePpm("--max-drift-ppm", options.max_drift_ppm);
  if (!drift) return tl::unexpected(drift.error());
  const auto slew = ParseSlew(options.max_slew_ppm, *drift);
  if (!slew) return tl::unexpected(slew.error());
  const auto wander = ParsePpm("--max-wander-ppm", options.max_wander_ppm);
  if (!wander) return tl::unexpected(wander.error());
  return RateLimits{*drift, *slew, *wander};
}

Result<void> RefuseFormerOptions(const EstimateOptions& options) {
  if (options.group == kFormerGroup) {
    return Fail(ErrorCode::kUsage,
                "--group joint-piecewise no longer exists: its successor is --group drift-bounded, "
                "the default");
  }
  if (!options.window.empty()) {
    return Fail(ErrorCode::kUsage,
                "--window no longer exists: its successor, --group drift-bounded, the default, "
                "needs no window");
  }
  return {};
}

}  // namespace

Result<SolveOptions> ParseSolveOptions(const EstimateOptions& options) {
  if (auto ok = RefuseFormerOptions(options); !ok) return tl::unexpected(ok.error());
  SolveOptions solve;
  if (!options.method.empty()) solve.group = GroupMethod::kTreeError;
  for (const GroupMethod method :
       {GroupMethod::kTreeError, GroupMethod::kTreeHops, GroupMethod::kJoint,
        GroupMethod::kDriftBounded, GroupMethod::kClosure, GroupMethod::kPiecewise,
        GroupMethod::kBroadcast}) {
    if (options.group == GroupMethodName(method)) solve.group = method;
  }
  for (const LineMethod method : kLineMethods) {
    if (options.method == LineMethodName(method)) solve.method = method;
  }
  solve.reference = options.reference;
  auto delay = ParseMinimumDelay(options.min_delay);
  if (!delay) return tl::unexpected(delay.error());
  solve.minimum_delay = *delay;
  const auto rates = ParseRateLimits(options);
  if (!rates) return tl::unexpected(rates.error());
  solve.max_drift_ppm = rates->drift_ppm;
  solve.max_slew_ppm = rates->slew_ppm;
  solve.max_wander_ppm = rates->wander_ppm;
  if (options.assume == "constant-rate") solve.assume = SolveOptions::Assume::kConstantRate;
  const auto max_suspects = ParseNumber<double>(options.max_suspects);
  if (!max_suspects || !(*max_suspects >= 0 && *max_suspects < 0.5)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--max-suspects: expected a share from 0 to less than 0.5, not \"{}\"",
                            options.max_suspects));
  }
  solve.max_suspects = *max_suspects;
  const auto confidence = ParseNumber<double>(options.confidence);
  if (!confidence || !(*confidence > 0 && *confidence < 1)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--confidence: expected a level between 0 and 1, not \"{}\"",
                            options.confidence));
  }
  solve.confidence = *confidence;
  solve.bound_points = options.bounds;
  return solve;
}

}  // namespace syncline
