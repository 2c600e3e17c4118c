#include "cli/logical_options.h"

#include <cmath>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/duration_text.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "cli/parsed_option.h"

namespace syncline {
namespace {

tl::unexpected<Error> NotA(std::string_view expected, std::string_view found) {
  return Fail(ErrorCode::kUsage, fmt::format("expected {}, not \"{}\"", expected, found));
}

Result<int64_t> ParseShortDuration(std::string_view text) {
  constexpr int64_t kMost = int64_t{1} << 50;
  const auto ns = ParseDuration(text);
  if (ns && *ns <= kMost) return ns;
  return NotA("a duration up to 13 days, like 400us, or whole nanoseconds", text);
}

Result<double> ParseFinite(std::string_view text) {
  const auto number = ParseNumber<double>(text);
  if (number && std::isfinite(*number)) return *number;
  return NotA("a number", text);
}

// "0.5%" or "0.005", in parts of kShareParts.
constexpr int64_t kShareParts = 1'000'000'000;
Result<int64_t> ParseErrorShare(std::string_view text) {
  const bool is_percent = text.ends_with('%');
  const auto number = ParseNumber<double>(text.substr(0, text.size() - (is_percent ? 1 : 0)));
  const double share = number.value_or(-1) / (is_percent ? 100 : 1);
  if (share >= 1.0 / kShareParts && share <= 1) return std::llround(share * kShareParts);
  return NotA("a share above 0 and up to 1, like 0.005 or 0.5%", text);
}

}  // namespace

void DeclareLogicalOptions(CLI::App& command, LogicalOptions& o) {
  const std::string group = "Logical clock";
  const auto add = [&](const char* name, auto& target, auto parse, const char* type,
                       const char* help) {
    return AddParsed(command, name, target, parse, type, help)->group(group);
  };
  const auto of_both = [&o](std::string_view text) -> Result<double> {
    SYNCLINE_ASSIGN(o.original.gamma_max, ParseFinite(text));
    return o.original.gamma_max;
  };
  const auto of_parts = [&o](std::string_view text) {
    o.amortizer.error_denominator = kShareParts;
    return ParseErrorShare(text);
  };
  AddChoice<ControllerKind, ControllerKind>(
      command, "--controller", o.controller,
      {{"revised", ControllerKind::kRevised}, {"original", ControllerKind::kOriginal}},
      "What keeps the controlled logical clock from running away. revised: A, B, C, D of 2000; "
      "original: of 1997")
      ->group(group)
      ->default_str("revised");
  add("--min-event-gap", o.min_event_gap_ns, ParseShortDuration, "DURATION",
      "Least distance kept between events of a process (δ)")
      ->default_str("0");
  add("--gamma-max", o.revised.gamma_max, of_both, "G",
      "Share of a measured interval that is kept after a jump (A: 0.99998; original: 0.95)");
  add("--gamma-floor", o.revised.gamma_floor, ParseFinite, "G",
      "Never keep less than this share (D: 0.98; but 0 where readings of a clock are as far "
      "apart as --clock-difference)");
  add("--q-low", o.revised.q_low, ParseFinite, "Q",
      "C acts from this multiple of the clock differences (1.2)");
  add("--q-high", o.revised.q_high, ParseFinite, "Q", "... and stops the clock at this one (3)");
  add("--q-init", o.original.q_init_ns, ParseShortDuration, "DURATION",
      "original: deviation to begin with (250000)");
  add("--q-min", o.original.q_min_ns, ParseShortDuration, "DURATION",
      "original: deviation that is tolerated (250000)");
  add("--q-factor", o.original.q_factor, ParseFinite, "F",
      "original: how slowly deviations are forgotten (0.9)");
  add("--gamma-step", o.original.gamma_step, ParseFinite, "F",
      "original: factor of each reduction (0.9)");
  add("--l-up", o.original.l_up, ParseFinite, "L", "original: reduce above this ratio (2)");
  add("--l-low", o.original.l_low, ParseFinite, "L", "original: relax below this ratio (1.8)");
  AddChoice<AmortizationKind, AmortizationKind>(
      command, "--amortization", o.amortization,
      {{"backward", AmortizationKind::kBackward}, {"none", AmortizationKind::kNone}},
      "backward: spread jumps over the time before them; none: leave them")
      ->group(group)
      ->default_str("backward");
  add("--amortization-error", o.amortizer.error_numerator, of_parts, "SHARE",
      "Wanted relative error of intervals by the spreading; decides over how long a time")
      ->default_str("0.5%");
  add("--clock-difference", o.amortizer.start_difference_ns, ParseShortDuration, "DURATION",
      "Expected largest difference of clocks")
      ->default_str("1000000");
}

namespace {

// What another option leaves no use.
Result<void> RefuseWithoutUse(const LogicalOptions& o) {
  const auto refuse = [](const char* why) { return Fail(ErrorCode::kUsage, why); };
  OriginalControllerOptions original;
  original.gamma_max = o.original.gamma_max;
  RevisedControllerOptions revised;
  revised.gamma_max = o.revised.gamma_max;
  const bool is_simple = o.clock == LogicalClockKind::kSimple;
  if (is_simple && (o.controller != ControllerKind::kRevised || o.revised != revised ||
                    o.original != OriginalControllerOptions() ||
                    o.revised.gamma_max != RevisedControllerOptions().gamma_max)) {
    return refuse("--logical simple has no controller: options of one are of no use");
  }
  if (o.controller == ControllerKind::kRevised && o.original != original) {
    return refuse(
        "--q-init, --q-min, --q-factor, --gamma-step, --l-up and --l-low are of "
        "--controller original");
  }
  if (o.controller == ControllerKind::kOriginal && o.revised != revised) {
    return refuse("--gamma-floor, --q-low and --q-high are of --controller revised");
  }
  const AmortizationOptions usual;
  const bool is_usual_error = o.amortizer.error_numerator * usual.error_denominator ==
                              usual.error_numerator * o.amortizer.error_denominator;
  if (o.amortization == AmortizationKind::kNone && !is_usual_error) {
    return refuse("--amortization none leaves --amortization-error no use");
  }
  return {};
}

}  // namespace

Result<std::optional<LogicalOptions>> WithClock(const std::string& clock, LogicalOptions options) {
  if (clock == "none" && options != LogicalOptions()) {
    return Fail(ErrorCode::kUsage, "--logical none leaves options of the logical clock no use");
  }
  options.clock = clock == "simple" ? LogicalClockKind::kSimple : LogicalClockKind::kControlled;
  SYNCLINE_TRY(CheckOptions(options));
  SYNCLINE_TRY(RefuseWithoutUse(options));
  if (clock == "none") return std::optional<LogicalOptions>();
  return std::optional(options);
}

}  // namespace syncline
