#include "cli/solve_options.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "base/try.h"
#include "estimate/drift_bounded/rate_limits.h"

namespace syncline {
namespace {

// None where it is inf.
Result<std::optional<double>> ParsePpm(std::string_view option, const std::string& text) {
  if (text == "inf") return std::optional<double>();
  constexpr double kMost = drift_bounded::RateLimits::kMostPpm;
  const auto ppm = ParseNumber<double>(text);
  if (!ppm || !(*ppm >= 0 && *ppm <= kMost)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{}: expected a number from 0 to {:.0f} or inf, not \"{}\"", option,
                            kMost, text));
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
  SYNCLINE_ASSIGN(const auto drift, ParsePpm("--max-drift-ppm", options.max_drift_ppm));
  SYNCLINE_ASSIGN(const auto slew, ParseSlew(options.max_slew_ppm, drift));
  if (options.max_wander_ppm.empty()) return RateLimits{drift, slew, std::nullopt};
  SYNCLINE_ASSIGN(const auto wander, ParsePpm("--max-wander-ppm", options.max_wander_ppm));
  return RateLimits{drift, slew, wander};
}

Result<double> ParseSuspects(const std::string& text, double otherwise) {
  if (text.empty()) return otherwise;
  const auto share = ParseNumber<double>(text);
  if (share && *share >= 0 && *share < 0.5) return *share;
  return Fail(
      ErrorCode::kUsage,
      fmt::format("--max-suspects: expected a share from 0 to less than 0.5, not \"{}\"", text));
}

Result<double> ParseConfidence(const std::string& text, double otherwise) {
  if (text.empty()) return otherwise;
  const auto level = ParseNumber<double>(text);
  if (level && *level > 0 && *level < 1) return *level;
  return Fail(ErrorCode::kUsage,
              fmt::format("--confidence: expected a level between 0 and 1, not \"{}\"", text));
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

// An option of some groups only; `value` is empty where it was not given.
struct SpecialOption {
  std::string_view name;
  const std::string& value;
  std::vector<GroupMethod> groups;
};

std::vector<SpecialOption> SpecialOptions(const EstimateOptions& o) {
  using enum GroupMethod;
  return {{"--method", o.method, {kTreeError, kTreeHops}},
          {"--max-slew-ppm", o.max_slew_ppm, {kDriftBounded}},
          {"--max-wander-ppm", o.max_wander_ppm, {kDriftBounded}},
          {"--assume", o.assume, {kDriftBounded}},
          {"--max-suspects", o.max_suspects, {kDriftBounded, kJoint}}};
}

Result<void> RefuseUnused(const EstimateOptions& options, GroupMethod group) {
  if (const auto unused = OptionWithoutUse(options, std::span(&group, 1))) {
    return Fail(
        ErrorCode::kUsage,
        fmt::format("--group {} does not use {}{}", GroupMethodName(group), *unused,
                    options.group.empty() ? " (--method alone stands for that group)" : ""));
  }
  if (!options.confidence.empty() && options.method != "regression") {
    return Fail(ErrorCode::kUsage, "--confidence is of --method regression alone");
  }
  return {};
}

// Without a method given the group is the default one.
GroupMethod GroupOf(const EstimateOptions& options) {
  for (const GroupMethod method :
       {GroupMethod::kTreeError, GroupMethod::kTreeHops, GroupMethod::kJoint,
        GroupMethod::kDriftBounded, GroupMethod::kClosure, GroupMethod::kPiecewise,
        GroupMethod::kBroadcast}) {
    if (options.group == GroupMethodName(method)) return method;
  }
  return options.method.empty() ? GroupMethod::kDriftBounded : GroupMethod::kTreeError;
}

}  // namespace

std::optional<std::string_view> OptionWithoutUse(const EstimateOptions& options,
                                                 std::span<const GroupMethod> groups) {
  for (const SpecialOption& option : SpecialOptions(options)) {
    const bool is_used = std::ranges::any_of(groups, [&](GroupMethod group) {
      return std::ranges::find(option.groups, group) != option.groups.end();
    });
    if (!option.value.empty() && !is_used) return option.name;
  }
  return std::nullopt;
}

Result<SolveOptions> ParseSolveOptions(const EstimateOptions& options) {
  SYNCLINE_TRY(RefuseFormerOptions(options));
  SolveOptions solve{.group = GroupOf(options)};
  SYNCLINE_TRY(RefuseUnused(options, solve.group));
  for (const LineMethod method : kLineMethods) {
    if (options.method == LineMethodName(method)) solve.method = method;
  }
  solve.reference = options.reference;
  SYNCLINE_ASSIGN(solve.minimum_delay, ParseMinimumDelay(options.min_delay));
  SYNCLINE_ASSIGN(const auto rates, ParseRateLimits(options));
  solve.max_drift_ppm = rates.drift_ppm;
  solve.max_slew_ppm = rates.slew_ppm;
  solve.max_wander_ppm = rates.wander_ppm;
  if (options.assume == "constant-rate") solve.assume = SolveOptions::Assume::kConstantRate;
  SYNCLINE_ASSIGN(solve.max_suspects, ParseSuspects(options.max_suspects, solve.max_suspects));
  SYNCLINE_ASSIGN(solve.confidence, ParseConfidence(options.confidence, solve.confidence));
  solve.bound_points = options.bounds;
  return solve;
}

}  // namespace syncline
