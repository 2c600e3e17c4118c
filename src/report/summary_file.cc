#include "report/summary_file.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/file.h"
#include "base/try.h"

namespace syncline {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

tl::unexpected<Error> Bad(const std::string& path, std::string_view what) {
  return Fail(ErrorCode::kMalformed, fmt::format("not a summary of Syncline: {}", what), path);
}

Result<Correction> ReadCorrection(const element& clock, const std::string& name,
                                  const std::string& path) {
  array list;
  if (clock["correction"].get(list) != simdjson::SUCCESS) {
    return Bad(path, fmt::format("clock {} has no \"correction\"", name));
  }
  std::vector<Correction::Knot> knots;
  for (const element knot : list) {
    Correction::Knot& added = knots.emplace_back();
    if (knot["local"].get(added.local.ticks) != simdjson::SUCCESS ||
        knot["global_ns"].get(added.global.ns) != simdjson::SUCCESS) {
      return Bad(path, fmt::format("a knot of clock {} lacks \"local\" or \"global_ns\"", name));
    }
  }
  auto correction = Correction::FromKnots(std::move(knots));
  if (!correction) return Bad(path, fmt::format("clock {}: {}", name, correction.error().message));
  return correction;
}

Result<std::vector<SummaryEpoch>> ReadEpochs(const element& clock, const std::string& name,
                                             const std::string& path) {
  std::vector<SummaryEpoch> epochs;
  array list;
  if (clock["epochs"].get(list) != simdjson::SUCCESS) return epochs;
  for (const element epoch : list) {
    int64_t first_local = 0;
    simdjson::dom::object events;
    if (epoch["first_local"].get(first_local) != simdjson::SUCCESS ||
        epoch["events"].get(events) != simdjson::SUCCESS) {
      return Bad(path,
                 fmt::format("an epoch of clock {} lacks \"first_local\" or \"events\"", name));
    }
    SYNCLINE_ASSIGN(auto correction, ReadCorrection(epoch, name, path));
    SummaryEpoch& added =
        epochs.emplace_back(SummaryEpoch{{first_local}, std::move(correction), {}});
    for (const auto& [process, number] : events) {
      uint64_t first = 0;
      if (number.get(first) != simdjson::SUCCESS) {
        return Bad(path, fmt::format("an event of an epoch of clock {} is no number", name));
      }
      added.events.emplace(process, first);
    }
  }
  return epochs;
}

ReadingSpan ReadSpan(const element& of) {
  ReadingSpan span;
  const bool is_said = of["first_local"].get(span.first.ticks) == simdjson::SUCCESS &&
                       of["last_local"].get(span.last.ticks) == simdjson::SUCCESS;
  return is_said ? span : ReadingSpan{{INT64_MAX}, {INT64_MIN}};
}

std::optional<SummaryBound> ReadBound(const element& clock) {
  SummaryBound bound;
  if (clock["bound_ns"]["worst"].get(bound.worst_ns) != simdjson::SUCCESS) return std::nullopt;
  if (clock["reading_ns"].get(bound.reading_ns) != simdjson::SUCCESS) bound.reading_ns = 0;
  bound.traced.push_back(ReadSpan(clock));
  array epochs;
  if (clock["epochs"].get(epochs) != simdjson::SUCCESS) return bound;
  for (const element epoch : epochs) bound.traced.push_back(ReadSpan(epoch));
  return bound;
}

bool IsOfAnotherTime(const element& clock, const SummaryFile& summary) {
  std::string_view reference;
  return clock["reference"].get(reference) == simdjson::SUCCESS && !summary.reference.empty() &&
         reference != summary.reference;
}

Result<void> ReadClock(const element& clock, SummaryFile& summary) {
  std::string_view name;
  if (clock["name"].get(name) != simdjson::SUCCESS) {
    return Bad(summary.path, "a clock has no \"name\"");
  }
  SYNCLINE_ASSIGN(auto correction, ReadCorrection(clock, std::string(name), summary.path));
  SYNCLINE_ASSIGN(auto epochs, ReadEpochs(clock, std::string(name), summary.path));
  if (!epochs.empty()) summary.later_epochs.emplace(name, std::move(epochs));
  auto bound = ReadBound(clock);
  if (bound && !IsOfAnotherTime(clock, summary)) summary.bounds.emplace(name, std::move(*bound));
  uint64_t moved = 0;
  if (clock["logical"]["events_moved"].get(moved) == simdjson::SUCCESS) {
    summary.events_moved += moved;
  }
  if (!summary.corrections.emplace(name, correction).second) {
    return Bad(summary.path, fmt::format("two clocks are called {}", name));
  }
  return {};
}

void ReadFindings(const element& document, SummaryFile& summary) {
  array list;
  if (document["diagnostics"].get(list) != simdjson::SUCCESS) return;
  for (const element entry : list) {
    std::string_view name, severity, example;
    uint64_t count = 0;
    if (entry["name"].get(name) != simdjson::SUCCESS ||
        entry["severity"].get(severity) != simdjson::SUCCESS ||
        entry["count"].get(count) != simdjson::SUCCESS ||
        severity == SeverityName(Severity::kInfo)) {
      continue;
    }
    if (entry["example"].get(example) != simdjson::SUCCESS) example = {};
    const bool is_error = severity == SeverityName(Severity::kError);
    summary.weaknesses.Count(name, is_error ? Severity::kError : Severity::kWarning, count,
                             example);
  }
}

std::optional<Summary::Suspect::End> ReadSuspectEnd(const element& suspect,
                                                    std::string_view which) {
  Summary::Suspect::End end;
  std::string_view clock, process;
  element at;
  if (suspect[which].get(at) != simdjson::SUCCESS || at["clock"].get(clock) != simdjson::SUCCESS ||
      at["process"].get(process) != simdjson::SUCCESS ||
      at["event"].get(end.event) != simdjson::SUCCESS ||
      at["local"].get(end.local_ticks) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  end.clock = clock;
  end.process = process;
  return end;
}

void ReadSuspects(const element& document, SummaryFile& summary) {
  for (const char* kind : {"suspects", "in_cycles"}) {
    uint64_t count = 0;
    if (document["messages"][kind].get(count) == simdjson::SUCCESS)
      summary.suspects_in_all += count;
  }
  array list;
  if (document["suspects"].get(list) != simdjson::SUCCESS) return;
  for (const element suspect : list) {
    auto send = ReadSuspectEnd(suspect, "send");
    auto receive = ReadSuspectEnd(suspect, "receive");
    if (!send || !receive) continue;
    Summary::Suspect& added = summary.suspects.emplace_back();
    added.send = std::move(*send);
    added.receive = std::move(*receive);
    std::string_view why;
    const bool is_in_cycle = suspect["why"].get(why) == simdjson::SUCCESS && why == "cycle";
    if (is_in_cycle) added.why = Summary::Suspect::Why::kCycle;
    bool& is_of_collective = added.is_of_collective;
    if (suspect["collective"].get(is_of_collective) != simdjson::SUCCESS) is_of_collective = false;
  }
}

}  // namespace

Result<SummaryFile> ReadSummaryFile(const std::string& path) {
  SYNCLINE_ASSIGN(auto text, ReadWholeFile(path));
  simdjson::dom::parser parser;
  element document;
  if (const auto error = parser.parse(text).get(document)) {
    return Bad(path, simdjson::error_message(error));
  }
  array clocks;
  if (document["clocks"].get(clocks) != simdjson::SUCCESS) return Bad(path, "no list \"clocks\"");
  SummaryFile summary{.path = path};
  std::string_view reference;
  if (document["reference"].get(reference) == simdjson::SUCCESS) summary.reference = reference;
  for (const element clock : clocks) {
    SYNCLINE_TRY(ReadClock(clock, summary));
  }
  ReadFindings(document, summary);
  ReadSuspects(document, summary);
  return summary;
}

}  // namespace syncline
