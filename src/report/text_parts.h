// Sentences and lines that the texts of several commands share. For the sources of this folder, and
// commands without a summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/diagnostics.h"

#include "report/summary.h"
#include "report/summary_parts.h"

namespace syncline {

// What people call processes: by their labels, where no two have the same; ranks are often named by
// numbers alone.
class ProcessTitles {
 public:
  // Requires of each process: strings name and label.
  template <typename Processes>
  explicit ProcessTitles(const Processes& processes) {
    std::map<std::string, size_t> uses;
    for (const auto& p : processes) ++uses[p.label];
    for (const auto& p : processes) Add(p.name, uses[p.label] == 1 ? p.label : "");
  }
  // The name itself where no process has it.
  const std::string& Of(const std::string& name) const {
    const auto found = titles_.find(name);
    return found == titles_.end() ? name : found->second;
  }

 private:
  void Add(const std::string& name, const std::string& label);
  std::map<std::string, std::string> titles_;
};

// "a, b, c"; of many the first ones, "… and 3 more".
std::string NamesText(const std::vector<std::string>& names);
// Whether bounds, of which Summary::bounds_assume says so, rest on minimum delays.
bool RestOnMinimumDelays(std::string_view bounds_assume);
bool RestOnOrderOfOperations(std::string_view bounds_assume);
// "Of 4 messages, 3 were received before sent; after correction none is."
std::string CorrectedInversionSentence(const SummaryMessages& messages);
// The same of a trace that nothing was done to.
std::string RecordedInversionSentence(const SummaryMessages& messages);
// "event 3 of a to event 0 of b: would have taken −1.200 ms".
std::string DelayText(uint64_t send, std::string_view sender, uint64_t receive,
                      std::string_view receiver, int64_t delay_ns);
// What bounds assume of the clocks: "clocks of constant rates within 200 ppm of each other",
// "clocks whose rates stay within 200 ppm of the reference (557 ppm: b) between 2 steps", …
std::string ClockAssumption(const Summary& summary);
// One finding a line.
std::string DiagnosticsText(const Diagnostics& diagnostics);
// "wrote out/a.pcap", one path a line; nothing where there are none.
std::string OutputsText(std::span<const std::string> paths);

}  // namespace syncline
