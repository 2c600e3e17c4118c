#include "pipeline/filter/filter_output.h"

#include <utility>

#include <fmt/format.h>

namespace syncline {

void FilterOutput::Keep(Result<void> written) {
  if (!written && !error_) error_ = std::move(written.error());
}

void FilterOutput::EndLineBefore(std::string_view line_end) {
  if (owes_line_end_) Keep(output_.Append("\n"));
  owes_line_end_ = !line_end.ends_with('\n');
}

void FilterOutput::WriteLine(const TextLine& line, const TraceSet& traces) {
  if (error_) return;
  EndLineBefore(line.text);
  if (line.kind == TextLine::Kind::kClock) {
    const Clock& clock = traces.clocks.back();
    // Nanoseconds since the epoch stay what they are.
    const int64_t reading_ns = clock.IsNanoseconds() ? clock.reading_ns : CorrectedReadingNs(clock);
    Keep(AppendClock(reading_ns, line, output_));
  } else {
    Keep(output_.Append(line.text));
  }
}

void FilterOutput::WriteEvent(const LineParts& line, GlobalTime recorded, GlobalTime after) {
  if (error_) return;
  EndLineBefore(line.after);
  if (recorded_ == RecordedTimes::kInComments) return WriteCommented(line, recorded, after);
  Keep(AppendWith(after.ns, line, output_));
}

void FilterOutput::WriteCommented(const LineParts& line, GlobalTime recorded, GlobalTime after) {
  std::string_view text = line.after;
  std::string_view end;
  if (text.ends_with('\n')) end = text.substr(text.size() - (text.ends_with("\r\n") ? 2 : 1));
  text.remove_suffix(end.size());
  Keep(AppendWith(after.ns, {line.before, text}, output_));
  Keep(output_.Append(fmt::format("  # recorded {}{}", recorded.ns, end)));
}

}  // namespace syncline
