#include "report/text_parts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "report/table.h"

namespace syncline {
namespace {

std::string Recorded(const SummaryMessages& m) {
  if (m.total == 0) {
    return m.of_collectives.total > 0
               ? "The processes exchanged no messages one by one: collectives relate their clocks"
               : "No messages relate two processes";
  }
  if (m.inverted_before == 0) {
    return fmt::format("Of {} none is received before it was sent",
                       FormatCount(m.total, "message"));
  }
  return fmt::format("Of {}, {} {} received before sent", FormatCount(m.total, "message"),
                     FormatCount(m.inverted_before), m.inverted_before == 1 ? "was" : "were");
}

std::string After(uint64_t inverted) {
  if (inverted == 0) return "; after correction none is";
  return fmt::format("; after correction {} still {}", FormatCount(inverted),
                     inverted == 1 ? "is" : "are");
}

std::string OfCollectives(const CollectiveOrder& c, bool is_corrected) {
  if (c.total == 0) return "";
  const uint64_t before = c.inverted_before;
  const bool changes = is_corrected && before + c.inverted_after > 0;
  return fmt::format(" Of {} that collectives stand for, {} {} received before sent{}.",
                     FormatCount(c.total, "message"), before == 0 ? "none" : FormatCount(before),
                     before > 1 ? "were" : "was", changes ? After(c.inverted_after) : "");
}

// The folders that all have in common say nothing.
size_t SharedFolders(const Diagnostic& d) {
  size_t shared = d.example.rfind('/') + 1;  // 0: none
  for (const auto& [example, count] : d.spread) {
    while (shared > 0 && example.compare(0, shared, d.example, 0, shared) != 0) {
      shared = shared == 1 ? 0 : d.example.rfind('/', shared - 2) + 1;
    }
  }
  return shared;
}

// Where it was found: how often in which input or the like, where that is known of all, else the
// first place.
std::string SpreadText(const Diagnostic& d) {
  constexpr size_t kMost = 5;
  if (d.example.empty()) return "";
  uint64_t known = 0;
  for (const auto& [example, count] : d.spread) known += count;
  if (known != d.count || d.spread.size() < 2) return " (" + OnOneLine(d.example) + ")";
  const bool is_once_each = known == d.spread.size();
  const size_t shared = SharedFolders(d);
  std::string text;
  for (size_t i = 0; i < std::min(kMost, d.spread.size()); ++i) {
    const auto& [example, count] = d.spread[i];
    text += i == 0 ? "" : is_once_each ? "; " : ", ";
    text += example.substr(shared);
    if (!is_once_each) text += " " + FormatCount(count);
  }
  if (d.spread.size() > kMost) text += fmt::format(", and {} more", d.spread.size() - kMost);
  return " (" + OnOneLine(text) + ")";
}

// Most clocks have one limit; the others are named.
std::string RateAssumption(const Summary& s) {
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
  std::string text = "clocks that never run slower than at half the reference's rate";
  if (s.max_drift_ppm) {
    text = fmt::format("clocks whose rates stay within {} ppm of the reference", *s.max_drift_ppm);
    for (const auto& [limit, names] : by_limit) {
      if (limit <= *s.max_drift_ppm + 0.001) continue;
      text += limit < Summary::Clock::kAnyRatePpm
                  ? fmt::format(" ({} ppm: {})", limit, names)
                  : fmt::format(" (not below half of it: {})", names);
    }
  }
  if (s.max_wander_ppm) {
    text += fmt::format(", and within {} ppm of their own mean", *s.max_wander_ppm);
  }
  return text;
}

}  // namespace

void ProcessTitles::Add(const std::string& name, const std::string& label) {
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  titles_.try_emplace(name, !label.empty() ? label : is_number ? "process " + name : name);
}

std::string NamesText(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

bool RestOnMinimumDelays(std::string_view bounds_assume) {
  return bounds_assume.starts_with("given minimum delays") ||
         bounds_assume.starts_with("symmetric minimum delays");
}

bool RestOnOrderOfOperations(std::string_view bounds_assume) {
  return bounds_assume.find("operations matched rightly by order") != std::string_view::npos;
}

std::string DelayText(uint64_t send, std::string_view sender, uint64_t receive,
                      std::string_view receiver, int64_t delay_ns) {
  return fmt::format("event {} of {} to event {} of {}: would have taken {}", send, sender, receive,
                     receiver, FormatDuration(delay_ns));
}

std::string RecordedInversionSentence(const SummaryMessages& m) {
  return Recorded(m) + "." + OfCollectives(m.of_collectives, false) + "\n";
}

std::string CorrectedInversionSentence(const SummaryMessages& m) {
  const std::string text = Recorded(m);
  const std::string collectives = OfCollectives(m.of_collectives, true) + "\n";
  if (m.total == 0) return text + "." + collectives;
  if (m.inverted_before == 0 && m.inverted_after == 0) {
    return text + ", as recorded and as corrected." + collectives;
  }
  return text + After(m.inverted_after) + "." + collectives;
}

std::string ClockAssumption(const Summary& s) {
  const size_t steps = s.steps.size();
  if (steps == 0) return RateAssumption(s);
  return fmt::format("{} {} {}", RateAssumption(s), steps == 1 ? "before and after" : "between",
                     FormatCount(steps, "step"));
}

std::string DiagnosticsText(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& [name, d] : diagnostics.all()) {
    text += fmt::format("{}: {} × {}{}\n", SeverityName(d.severity), FormatCount(d.count), name,
                        SpreadText(d));
  }
  return text;
}

std::string OutputsText(std::span<const std::string> paths) {
  std::string text;
  for (const std::string& path : paths) {
    text += (text.empty() ? "\nwrote " : "      ") + OnOneLine(path) + "\n";
  }
  return text;
}

}  // namespace syncline
