#include "cli/clock/characterization.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/table.h"

namespace syncline {
namespace {

std::string FormatSignedPpm(double ppm) {
  return fmt::format("{}{:.4f} ppm", ppm < 0 ? "−" : "+", std::abs(ppm));
}

std::string FormatWholeNs(double ns) { return FormatDuration(std::llround(ns)); }

double CpuPercent(const Measurement& m) {
  if (m.elapsed_ns <= 0) return 0;
  return 100 * static_cast<double>(m.cpu_ns) / static_cast<double>(m.elapsed_ns);
}

std::string HeadText(const ClockCharacterization& c) {
  std::string text = fmt::format("{} against {}: {} in {}.\n", c.clock, c.reference,
                                 FormatCount(c.measurement.samples.size(), "measurement"),
                                 FormatDuration(c.measurement.elapsed_ns));
  if (c.frequency) {
    text +=
        fmt::format("Its ticks count as {:.6f} MHz, found by CLOCK_MONOTONIC_RAW ± {:.3f} ppm.\n",
                    static_cast<double>(c.frequency->hz) * 1e-6,
                    static_cast<double>(c.frequency->BoundPpb()) * 1e-3);
  }
  return text;
}

std::string ResolutionText(const Resolution& r) {
  if (r.least_step_ns == 0) return "Resolution  unknown: the clock stands still\n";
  return fmt::format("Resolution  {} between readings that differ; all steps are multiples of {}\n",
                     FormatDuration(r.least_step_ns), FormatDuration(r.common_step_ns));
}

std::string FiguresText(const Character& c) {
  std::string text = fmt::format(
      "Offset      {} at first, {} at last, ± {} (median)\n", FormatDuration(c.first_offset_ns),
      FormatDuration(c.last_offset_ns), FormatDuration(c.median_uncertainty_ns));
  text += fmt::format("Drift       {}; from {} to {} between the first and the last\n",
                      FormatSignedPpm(c.drift_ppm), FormatSignedPpm(c.least_drift_ppm),
                      FormatSignedPpm(c.most_drift_ppm));
  text += fmt::format("Jitter      {} from one to the next; {} around the line, from {} to {}\n",
                      FormatWholeNs(c.jitter_ns), FormatWholeNs(c.residual_ns),
                      FormatDuration(c.least_residual_ns), FormatDuration(c.most_residual_ns));
  return text;
}

std::string MeasuringCostText(const Measurement& m) {
  return fmt::format(
      "Cost        {}, {}, {} of CPU ({:.2f} %)\n", FormatCount(m.effort.readings, "reading"),
      FormatCount(m.effort.messages, "message"), FormatDuration(m.cpu_ns), CpuPercent(m));
}

std::string AllanText(const std::vector<AllanPoint>& allan) {
  if (allan.empty()) return "";
  Table table({{"over"}, {"Allan deviation"}, {"as time"}, {"differences"}});
  for (const AllanPoint& p : allan) {
    table.AddRow({FormatDuration(p.tau_ns), fmt::format("{:.3e}", p.deviation),
                  fmt::format("{:.1f} ns", p.deviation * static_cast<double>(p.tau_ns)),
                  FormatCount(p.terms)});
  }
  return "\n" + table.ToString();
}

}  // namespace

std::vector<std::string> ClockCharacterization::Weaknesses() const {
  std::vector<std::string> weaknesses;
  const Measurement& m = measurement;
  if (m.unanswered > 0) {
    weaknesses.push_back(
        fmt::format("{} of {} measurements had no answer", m.unanswered, m.wanted));
  }
  // The Allan deviation takes measurements as even.
  if (m.skipped * 100 > m.wanted) {
    weaknesses.push_back(
        fmt::format("the machine was too busy for {} of {} measurements", m.skipped, m.wanted));
  }
  if (!character) {
    weaknesses.emplace_back("too few measurements, or the reference clock was set back");
  }
  if (resolution && resolution->least_step_ns == 0) {
    weaknesses.emplace_back("the clock stands still");
  }
  return weaknesses;
}

std::string CharacterizationText(const ClockCharacterization& c) {
  std::string text = HeadText(c);
  text += '\n';
  if (c.resolution) text += ResolutionText(*c.resolution);
  if (c.character) text += FiguresText(*c.character);
  text += MeasuringCostText(c.measurement);
  if (c.character) text += AllanText(c.character->allan);
  for (const std::string& weakness : c.Weaknesses())
    text += fmt::format("\nweakness: {}", weakness);
  if (text.back() != '\n') text += '\n';
  return text;
}

}  // namespace syncline
