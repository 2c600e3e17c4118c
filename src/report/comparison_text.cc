#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/difference.h"
#include "report/comparison.h"
#include "report/table.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

constexpr const char* kNone = "–";

std::string DurationOrNone(std::optional<double> ns) {
  return ns ? FormatDuration(NearestInteger(*ns)) : kNone;
}

std::string Seconds(double s) { return FormatDuration(NearestInteger(s * 1e9)); }

// A column of the table: its title, and its cell of a method that found corrections.
struct Column {
  Table::Column head;
  std::string (*cell)(const Comparison::Method&);
};

std::vector<Column> ColumnsOf(const Comparison& c) {
  using Method = Comparison::Method;
  std::vector<Column> columns = {
      {{"inverted"}, [](const Method& m) { return FormatCount(m.inverted); }},
      {{"± mean"}, [](const Method& m) { return FormatBound(m.Bound().mean_ns); }},
      {{"worst"}, [](const Method& m) { return FormatBound(m.Bound().worst_ns); }},
      {{"residual"}, [](const Method& m) { return DurationOrNone(m.residual_ns); }}};
  const auto any = [&](auto has) { return std::ranges::any_of(c.methods, has); };
  if (RestOnMinimumDelays(c.bounds_assume)) {
    columns.insert(columns.begin() + 1,
                   {{"too fast"}, [](const Method& m) { return FormatCount(m.too_fast); }});
  }
  if (any([](const Method& m) { return m.broadcast_ns.has_value(); })) {
    columns.push_back(
        {{"broadcasts"}, [](const Method& m) { return DurationOrNone(m.broadcast_ns); }});
  }
  if (any([](const Method& m) { return m.truth.has_value(); })) {
    columns.push_back({{"largest error"}, [](const Method& m) {
                         return m.truth ? FormatDuration(m.truth->max_error_ns) : kNone;
                       }});
    columns.push_back({{"RMS error"}, [](const Method& m) {
                         return m.truth ? DurationOrNone(m.truth->rms_error_ns) : kNone;
                       }});
    columns.push_back({{"outside ±"}, [](const Method& m) {
                         return m.truth ? FormatCount(m.truth->outside_bound) : kNone;
                       }});
  }
  columns.push_back({{"time"}, [](const Method& m) { return Seconds(m.estimate_s); }});
  columns.push_back({{"memory"}, [](const Method& m) {
                       return m.memory_bytes ? FormatBytes(*m.memory_bytes) : kNone;
                     }});
  columns.push_back({{"accurate", Align::kLeft}, [](const Method& m) {
                       return fmt::format("{} of {}", m.AccurateClocks(),
                                          FormatCount(m.CorrectedClocks(), "clock"));
                     }});
  columns.push_back(
      {{"± assumes", Align::kLeft}, [](const Method& m) {
         const char* rates = m.assumes_constant_rates ? "constant rates" : "limited rates";
         return fmt::format("{}{}", rates, m.contradiction.empty() ? "" : ": contradicted");
       }});
  return columns;
}

std::string MethodTable(const Comparison& c, size_t width) {
  const std::vector<Column> columns = ColumnsOf(c);
  std::vector<Table::Column> heads = {{"method", Align::kLeft}};
  for (const Column& column : columns) heads.push_back(column.head);
  Table table(heads);
  for (const Comparison::Method& method : c.methods) {
    std::vector<std::string> row = {method.name};
    for (const Column& column : columns) {
      row.push_back(method.IsFound() ? column.cell(method) : kNone);
    }
    if (!method.IsFound()) row.back() = "no correction";
    table.AddRow(std::move(row));
  }
  return table.ToString(width);
}

// Texts in order of first appearance, each with the names it was said of.
class Gathered {
 public:
  void Add(const std::string& text, const std::string& name) {
    const auto it =
        std::ranges::find_if(notes_, [&](const auto& note) { return note.first == text; });
    (it == notes_.end() ? notes_.emplace_back(text, std::vector<std::string>()) : *it)
        .second.push_back(name);
  }
  const std::vector<std::pair<std::string, std::vector<std::string>>>& notes() const {
    return notes_;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> notes_;
};

// Why a method has no correction, or is not sure of one.
std::vector<std::string> ReasonsOf(const Comparison::Method& method) {
  if (!method.IsFound()) return {method.failure};
  Gathered by_reason;
  for (const Comparison::Clock& clock : method.clocks) {
    if (clock.IsReference() || clock.quality == "accurate") continue;
    by_reason.Add(clock.quality + (clock.reason.empty() ? "" : ", " + clock.reason), clock.name);
  }
  std::vector<std::string> reasons;
  for (const auto& [reason, clocks] : by_reason.notes()) {
    reasons.push_back(fmt::format("{}: {}", NamesText(clocks), reason));
  }
  for (const auto& [name, finding] : method.findings.all()) {
    reasons.push_back(
        fmt::format("{} × {} ({})", FormatCount(finding.count), name, finding.example));
  }
  return reasons;
}

std::string ReasonText(const Comparison& c) {
  Gathered by_reason;
  for (const Comparison::Method& method : c.methods) {
    for (const std::string& reason : ReasonsOf(method)) by_reason.Add(reason, method.name);
  }
  std::string text;
  for (const auto& [reason, methods] : by_reason.notes()) {
    const bool is_all = methods.size() == c.methods.size() && methods.size() > 1;
    text += fmt::format("{}: {}\n", is_all ? "all methods" : NamesText(methods), reason);
  }
  return text;
}

// What figures rest on, and what they say of each other.
std::string AssumptionText(const Comparison& c) {
  const std::vector<SharedAssumption> assumptions = RankByAssumption(c);
  std::string text;
  for (const SharedAssumption& shared : assumptions) {
    text += fmt::format("For {}: ", shared.assumes);
    if (shared.best) {
      text += fmt::format("{} gives the most: {}.", shared.best->name, shared.best->reason);
      if (!shared.best->as_good.empty()) {
        text += fmt::format(" As good: {}.", NamesText(shared.best->as_good));
      }
    } else {
      text += fmt::format("not compared, for {}; the ± of {} is no guarantee.",
                          shared.contradiction, NamesText(shared.methods));
    }
    text += "\n";
  }
  const auto possible = std::ranges::count_if(
      assumptions, [](const SharedAssumption& s) { return s.best.has_value(); });
  if (!assumptions.empty() && possible == 0) {
    text += "No method's figures can be compared: messages contradict what each assumes.\n";
  }
  if (possible > 1) {
    text +=
        "Figures of different assumptions do not compare: a narrower ± can be a stronger "
        "assumption.\n";
  }
  return text;
}

std::string Headline(const Comparison& c) {
  return fmt::format("{}{} by {}{}.\n", RecordedInversionSentence(c.messages),
                     FormatCount(c.clocks, "clock"), FormatCount(c.methods.size(), "method"),
                     c.reference.empty() ? "" : ", all relative to " + c.reference);
}

}  // namespace

std::string ComparisonToText(const Comparison& c, size_t columns) {
  std::string text = Headline(c) + "\n" + MethodTable(c, columns);
  const std::string reasons = ReasonText(c);
  if (!reasons.empty()) text += "\n" + reasons;
  const std::string findings = DiagnosticsText(c.diagnostics);
  if (!findings.empty()) text += "\n" + findings;
  const std::string assumptions = AssumptionText(c);
  if (!assumptions.empty()) text += "\n" + assumptions;
  return text + OutputsText(c.plots);
}

}  // namespace syncline
