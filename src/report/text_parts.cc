#include "report/text_parts.h"

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

std::string DiagnosticsText(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& [name, d] : diagnostics.all()) {
    text += fmt::format("{}: {} × {}{}\n", SeverityName(d.severity), FormatCount(d.count), name,
                        d.example.empty() ? "" : " (" + d.example + ")");
  }
  return text;
}

}  // namespace syncline
