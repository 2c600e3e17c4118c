// Writes a text trace (docs/formats/text.md) from clocks, processes, groups and events.
//
// Units: times in ticks of the process's clock, as the events carry them.
// What the format cannot hold is written so that it can: in names and ids each blank, control byte
// and leading '#' becomes `%` and two hex digits, an empty one `%`; in labels control bytes become
// spaces, runs of blanks at the ends go, and a '#' that begins a word becomes `%23`.
// Errors: kUnsupported for two clocks, processes or groups of the same name, a clock without ticks,
// a group without members or with one twice;
// those of the output. Requires: Declare() before the first event of a process or group.
// Cost: about 100 ns per event; memory of one block and the names of clocks, processes and groups.
// Tested by: text_writer_test.cc (by reading back).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "syncline/clock.h"
#include "syncline/event.h"
#include "syncline/result.h"

#include "base/byte_sink.h"
#include "write/exported_trace.h"

namespace syncline {

class TextWriter {
 public:
  explicit TextWriter(ByteSink output) : output_(std::move(output)) {}

  // What messages are called that are not called by their number; the map must outlive the writer.
  using MessageNames = std::unordered_map<uint64_t, std::string>;
  void SetMessageNames(const MessageNames* names) { message_names_ = names; }
  // The same of comments beside declarations, by "clock NAME", "process NAME", "group NAME".
  using Comments = std::unordered_map<std::string, ExportedComment>;
  void SetComments(const Comments* comments) { comments_ = comments; }
  // Of the next line, until which `comment` must live.
  Result<void> Comment(const ExportedComment& comment);
  // Declares what `traces` holds beyond what is declared already: it may grow, but not change.
  Result<void> Declare(const TraceSet& traces);
  // `names` are what Event::name and Event::group are indices of.
  Result<void> Write(const Event& event, std::span<const std::string> names);
  // The same for a part of a collective, with Event::bytes as its size, 0 too.
  Result<void> WriteSized(const Event& event, std::span<const std::string> names);
  // To be called once after the last event.
  Result<void> Finish() { return output_.Flush(); }

 private:
  void BeginLine(const Event& event);
  Result<void> BeginDeclaration(std::string_view keyword, const std::string& token);
  Result<void> FinishLine();
  Result<void> DeclareClock(const Clock& clock);
  Result<void> DeclareProcess(const Process& process);
  Result<void> DeclareGroup(const Group& group);
  void AddDetails(const Event& event, std::span<const std::string> names);
  void AddTransfer(std::string_view verb, const Event& event);
  void AddCollective(const Event& event, std::string_view phase,
                     std::span<const std::string> names);
  void AddField(std::string_view field);
  void AddMessage(uint64_t message);

  ByteSink output_;
  const MessageNames* message_names_ = nullptr;
  const Comments* comments_ = nullptr;
  std::string_view behind_;                  // the comment that ends the line being written
  std::vector<std::string> clock_tokens_;    // by ClockId
  std::vector<std::string> process_tokens_;  // by ProcessId
  absl::flat_hash_set<std::string> clock_names_;
  absl::flat_hash_set<std::string> process_names_;
  absl::flat_hash_set<std::string> group_names_;  // one for each group declared
  std::string line_;                              // being written; kept for its memory
};

// `name` as one field of a line.
std::string TextToken(std::string_view name);

}  // namespace syncline
