#include "cli/logical_options.h"

#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/duration_text.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace syncline {
namespace {

class Parser {
 public:
  // A number that does not say what it should leaves `value` and becomes the error.
  void Nanoseconds(std::string_view option, const std::string& text, int64_t& value) {
    if (text.empty()) return;
    const auto ns = ParseDuration(text);
    if (!ns || *ns > kMost) {
      return Refuse(option, "a duration up to 13 days, like 400us, or whole nanoseconds", text);
    }
    value = *ns;
  }
  void Number(std::string_view option, const std::string& text, double& value) {
    if (text.empty()) return;
    const auto number = ParseNumber<double>(text);
    if (!number || !std::isfinite(*number)) return Refuse(option, "a number", text);
    value = *number;
  }
  // "0.5%" or "0.005".
  void Share(std::string_view option, std::string text, AmortizationOptions& value) {
    const bool is_percent = text.ends_with('%');
    if (is_percent) text.pop_back();
    double share = -1;
    Number(option, text, share);
    if (is_percent) share /= 100;
    constexpr int64_t kDenominator = 1'000'000'000;
    if (!(share >= 1.0 / kDenominator && share <= 1)) {
      return Refuse(option, "a share above 0 and up to 1, like 0.005 or 0.5%", text);
    }
    value.error_numerator = std::llround(share * kDenominator);
    value.error_denominator = kDenominator;
  }
  Result<void> result() const {
    if (!error_.empty()) return Fail(ErrorCode::kUsage, error_);
    return {};
  }

 private:
  static constexpr int64_t kMost = int64_t{1} << 50;
  void Refuse(std::string_view option, std::string_view expected, std::string_view found) {
    if (error_.empty())
      error_ = fmt::format("{}: expected {}, not \"{}\"", option, expected, found);
  }
  std::string error_;
};

}  // namespace

void DeclareLogicalOptions(CLI::App& command, LogicalChoice& c) {
  const std::string group = "Logical clock";
  const auto add = [&](const std::string& name, std::string& value, const std::string& text) {
    return command.add_option(name, value, text)->group(group);
  };
  add("--controller", c.controller,
      "What keeps the controlled logical clock from running away. revised: A, B, C, D of 2000; "
      "original: of 1997")
      ->check(CLI::IsMember({"revised", "original"}))
      ->capture_default_str();
  add("--min-event-gap", c.min_event_gap, "Least distance kept between events of a process (δ)")
      ->type_name("DURATION")
      ->capture_default_str();
  add("--gamma-max", c.gamma_max,
      "Share of a measured interval that is kept after a jump (A: 0.99998; original: 0.95)")
      ->type_name("G");
  add("--gamma-floor", c.gamma_floor,
      "Never keep less than this share (D: 0.98); 0 for clocks with coarse ticks")
      ->type_name("G");
  add("--q-low", c.q_low, "C acts from this multiple of the clock differences (1.2)")
      ->type_name("Q");
  add("--q-high", c.q_high, "... and stops the clock at this one (3)")->type_name("Q");
  add("--q-init", c.q_init, "original: deviation to begin with (250000)")->type_name("DURATION");
  add("--q-min", c.q_min, "original: deviation that is tolerated (250000)")->type_name("DURATION");
  add("--q-factor", c.q_factor, "original: how slowly deviations are forgotten (0.9)")
      ->type_name("F");
  add("--gamma-step", c.gamma_step, "original: factor of each reduction (0.9)")->type_name("F");
  add("--l-up", c.l_up, "original: reduce above this ratio (2)")->type_name("L");
  add("--l-low", c.l_low, "original: relax below this ratio (1.8)")->type_name("L");
  add("--amortization", c.amortization,
      "backward: spread jumps over the time before them; none: leave them")
      ->check(CLI::IsMember({"backward", "none"}))
      ->capture_default_str();
  add("--amortization-error", c.amortization_error,
      "Wanted relative error of intervals by the spreading; decides over how long a time")
      ->type_name("SHARE")
      ->capture_default_str();
  add("--clock-difference", c.clock_difference, "Expected largest difference of clocks")
      ->type_name("DURATION")
      ->capture_default_str();
}

Result<LogicalOptions> ParseLogicalOptions(const std::string& clock, const LogicalChoice& choice) {
  LogicalOptions options;
  Parser parser;
  options.clock = clock == "simple" ? LogicalClockKind::kSimple : LogicalClockKind::kControlled;
  options.controller =
      choice.controller == "original" ? ControllerKind::kOriginal : ControllerKind::kRevised;
  options.amortization =
      choice.amortization == "none" ? AmortizationKind::kNone : AmortizationKind::kBackward;
  parser.Nanoseconds("--min-event-gap", choice.min_event_gap, options.min_event_gap_ns);
  parser.Number("--gamma-max", choice.gamma_max, options.revised.gamma_max);
  parser.Number("--gamma-max", choice.gamma_max, options.original.gamma_max);
  parser.Number("--gamma-floor", choice.gamma_floor, options.revised.gamma_floor);
  parser.Number("--q-low", choice.q_low, options.revised.q_low);
  parser.Number("--q-high", choice.q_high, options.revised.q_high);
  parser.Nanoseconds("--q-init", choice.q_init, options.original.q_init_ns);
  parser.Nanoseconds("--q-min", choice.q_min, options.original.q_min_ns);
  parser.Number("--q-factor", choice.q_factor, options.original.q_factor);
  parser.Number("--gamma-step", choice.gamma_step, options.original.gamma_step);
  parser.Number("--l-up", choice.l_up, options.original.l_up);
  parser.Number("--l-low", choice.l_low, options.original.l_low);
  parser.Share("--amortization-error", choice.amortization_error, options.amortizer);
  parser.Nanoseconds("--clock-difference", choice.clock_difference,
                     options.amortizer.start_difference_ns);
  SYNCLINE_TRY(parser.result());
  SYNCLINE_TRY(CheckOptions(options));
  return options;
}

Result<std::optional<LogicalOptions>> ParseLogicalChoice(const std::string& clock,
                                                         const LogicalChoice& choice) {
  SYNCLINE_ASSIGN(auto options, ParseLogicalOptions(clock, choice));
  if (clock == "none") return std::optional<LogicalOptions>();
  return std::optional(std::move(options));
}

}  // namespace syncline
