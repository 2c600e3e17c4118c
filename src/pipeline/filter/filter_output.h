// Writes what a text filter puts out: lines as they were, events with other times.
//
// A line without an end gets one when another follows. Errors are kept: after one, nothing more is
// written. Cost: one copy of each line.
#pragma once

#include <optional>
#include <string_view>

#include "syncline/clock.h"
#include "syncline/result.h"

#include "base/byte_sink.h"
#include "logical/logical_event.h"
#include "read/text/text_reader.h"
#include "write/text/line_parts.h"

namespace syncline {

enum class RecordedTimes {
  kReplaced,
  kInComments,  // each event's line ends with "  # recorded TIME", its time before the clock in ns
};

class FilterOutput {
 public:
  FilterOutput(ByteSink output, RecordedTimes recorded)
      : output_(std::move(output)), recorded_(recorded) {}

  // A declaration, which was added to `traces` last, or a line that is empty but for a comment.
  // Clocks become clocks of nanoseconds.
  void WriteLine(const TextLine& line, const TraceSet& traces);
  void WriteEvent(const LineParts& line, GlobalTime recorded, GlobalTime after);
  void Flush() { Keep(output_.Flush()); }
  const std::optional<Error>& error() const { return error_; }

 private:
  void Keep(Result<void> written);
  void EndLineBefore(std::string_view line_end);
  void WriteCommented(const LineParts& line, GlobalTime recorded, GlobalTime after);

  ByteSink output_;
  RecordedTimes recorded_;
  bool owes_line_end_ = false;
  std::optional<Error> error_;
};

}  // namespace syncline
