#include "report/text_parts.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "report/table.h"

namespace syncline {
namespace {

std::string Recorded(const SummaryMessages& m) {
  if (m.total == 0) return "No messages relate two processes";
  if (m.inverted_before == 0) {
    return fmt::format("Of {} none is received before it was sent",
                       FormatCount(m.total, "message"));
  }
  return fmt::format("Of {}, {} {} received before sent", FormatCount(m.total, "message"),
                     FormatCount(m.inverted_before), m.inverted_before == 1 ? "was" : "were");
}

}  // namespace

void ProcessTitles::Add(const std::string& name, const std::string& label) {
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  titles_.try_emplace(name, !label.empty() ? label : is_number ? "process " + name : name);
}

std::string RecordedInversionSentence(const SummaryMessages& m) { return Recorded(m) + ".\n"; }

std::string CorrectedInversionSentence(const SummaryMessages& m) {
  const std::string text = Recorded(m);
  if (m.total == 0) return text + ".\n";
  if (m.inverted_before == 0 && m.inverted_after == 0) return text + ", as it was recorded.\n";
  if (m.inverted_after == 0) return text + "; after correction none is.\n";
  return fmt::format("{}; after correction {} still {}.\n", text, FormatCount(m.inverted_after),
                     m.inverted_after == 1 ? "is" : "are");
}

// Most clocks have one limit; the others are named.
std::string ClockAssumption(const Summary& s) {
  std::map<double, std::string> by_limit;
  const auto rounded = [](double ppm) { return std::round(ppm * 1000) / 1000; };
  for (const Summary::Clock& clock : s.clocks) {
    if (!clock.rate_limit_ppm) continue;
    std::string& names = by_limit[rounded(*clock.rate_limit_ppm)];
    names += (names.empty() ? "" : ", ") + clock.name;
  }
  if (by_limit.empty()) {
    return s.max_drift_ppm ? fmt::format("clocks of constant rates within {} ppm of each other",
                                         *s.max_drift_ppm)
                           : "clocks of constant rates";
  }
  if (!s.max_drift_ppm) return "clocks that never go back";
  std::string text =
      fmt::format("clocks whose rates stay within {} ppm of the reference", *s.max_drift_ppm);
  for (const auto& [limit, names] : by_limit) {
    if (limit > *s.max_drift_ppm + 0.001) text += fmt::format(" ({} ppm: {})", limit, names);
  }
  if (s.max_wander_ppm) {
    text += fmt::format(", and within {} ppm of their own mean", *s.max_wander_ppm);
  }
  return text;
}

std::string DiagnosticsText(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& [name, d] : diagnostics.all()) {
    text += fmt::format("{}: {} × {}{}\n", SeverityName(d.severity), FormatCount(d.count), name,
                        d.example.empty() ? "" : " (" + d.example + ")");
  }
  return text;
}

}  // namespace syncline
