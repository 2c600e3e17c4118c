#include "pipeline/compare/assumptions.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/table.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

std::string CountLeftOut(const Summary& summary) {
  const size_t count = summary.CountSuspects(Summary::Suspect::Why::kContradiction);
  if (count == 0) return "";
  return fmt::format("{} {} wrong", FormatCount(count, "message"), count == 1 ? "is" : "are");
}

}  // namespace

Comparison::Method WithAssumption(Comparison::Method figures, const Summary& summary) {
  figures.assumes_constant_rates = std::ranges::none_of(
      summary.clocks, [](const Summary::Clock& clock) { return clock.rate_limit_ppm.has_value(); });
  figures.assumes = ClockAssumption(summary);
  const std::string left_out = CountLeftOut(summary);
  if (!left_out.empty()) figures.assumes += fmt::format(", if {}", left_out);
  for (const char* finding : {"messages-contradict", "no-joint-solution"}) {
    const auto found = summary.diagnostics.all().find(finding);
    if (found != summary.diagnostics.all().end()) figures.contradiction = found->second.example;
  }
  return figures;
}

std::string AgainstConstantRates(const Summary& summary) {
  const std::string limit =
      summary.max_drift_ppm ? fmt::format(" within {} ppm", *summary.max_drift_ppm) : "";
  for (const Summary::Pair& pair : summary.pairs) {
    if (pair.quality != "approximate") continue;
    return fmt::format("no constant rate{} fits all messages between {} and {}", limit, pair.a,
                       pair.b);
  }
  const auto& findings = summary.diagnostics.all();
  if (const auto step = findings.find("clock-stepped"); step != findings.end()) {
    return step->second.example;
  }
  if (findings.count("rate-limit-raised") > 0 || findings.count("no-joint-solution") > 0 ||
      findings.count("messages-contradict") > 0) {
    return fmt::format("no constant rates{} fit all messages", limit);
  }
  const std::string left_out = CountLeftOut(summary);
  if (left_out.empty()) return "";
  return fmt::format("no constant rates{} fit all messages, unless {}", limit, left_out);
}

std::vector<std::string> ContradictionsOf(std::span<const MethodRun> runs) {
  std::string against;
  for (const MethodRun& run : runs) {
    if (against.empty()) against = run.against_constant_rates;
  }
  std::vector<std::string> contradictions;
  for (const MethodRun& run : runs) {
    const Comparison::Method& method = run.figures;
    const bool is_concerned = method.assumes_constant_rates && run.leaves_nothing_out;
    contradictions.push_back(is_concerned && !against.empty() ? against : method.contradiction);
  }
  return contradictions;
}

}  // namespace syncline
