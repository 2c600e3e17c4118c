#include "cli/preparation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "cli/finish.h"
#include "cli/solve_options.h"

namespace syncline {
namespace {

// Rules that no input can have been meant by are a mistake.
Result<void> CheckRules(const EstimateOptions& options, const ResolvedInputs& inputs) {
  const bool has_rules = !options.match.empty() || !options.rules.empty();
  const bool takes_rules = std::ranges::any_of(inputs.inputs, [](const Input& input) {
    return input.format == Format::kCtf || input.format == Format::kLog;
  });
  if (!has_rules || takes_rules) return {};
  const bool has_stream =
      std::ranges::any_of(inputs.inputs, [](const Input& input) { return input.path == "-"; });
  return Fail(ErrorCode::kUsage,
              std::string(options.match.empty() ? "--rules" : "--match") +
                  " says which events of CTF traces and logs are messages, and no input is one" +
                  (has_stream ? "; logs are read from files, not from standard input" : ""));
}

// Neither can options that say whose one clock is.
Result<void> CheckClocks(const EstimateOptions& options, const ResolvedInputs& inputs) {
  const auto has = [&](Format format) {
    return std::ranges::any_of(inputs.inputs, [&](const Input& i) { return i.format == format; });
  };
  if (!options.clock_per.empty() && !has(Format::kOtf2) && !has(Format::kChrome)) {
    return Fail(ErrorCode::kUsage,
                "--clock-per is for OTF2 archives and Chrome JSON, and no input is one");
  }
  if (!options.clock_by.empty() && !has(Format::kSpans)) {
    return Fail(ErrorCode::kUsage, "--clock-by is for spans, and no input has any");
  }
  return {};
}

}  // namespace

Result<Preparation> Prepare(const EstimateOptions& options, const std::string& truth) {
  SYNCLINE_ASSIGN(auto solve, ParseSolveOptions(options));
  SYNCLINE_ASSIGN(auto inputs, RequestedInputs(options));
  Preparation preparation{std::move(solve), std::move(inputs), {}, FilesRead(options)};
  if (truth.empty()) return preparation;
  SYNCLINE_ASSIGN(preparation.truth, ReadTruth(truth));
  preparation.read.push_back(truth);
  return preparation;
}

Result<void> RefuseStandardInput(const std::vector<Input>& inputs, std::string_view reader) {
  if (std::ranges::find(inputs, "-", &Input::path) == inputs.end()) return {};
  return Fail(ErrorCode::kUsage, fmt::format("{} twice, so standard input cannot be one", reader));
}

Result<ResolvedInputs> RequestedInputs(const EstimateOptions& options) {
  SYNCLINE_ASSIGN(auto rules, GatherRules(options.match, options.rules));
  SYNCLINE_ASSIGN(auto inputs, ResolveInputs(options.inputs, std::move(rules)));
  SYNCLINE_TRY(CheckRules(options, inputs));
  SYNCLINE_TRY(CheckClocks(options, inputs));
  inputs.clock_per = options.clock_per;
  inputs.clock_by = options.clock_by;
  return inputs;
}

}  // namespace syncline
