#include "write/text/text_rewriter.h"

#include "base/try.h"
#include "write/text/line_parts.h"

namespace syncline {

Result<void> RewriteText(TextReader& reader, ByteSink output, const RetimeEvent& retime) {
  while (const TextLine* line = reader.NextLine()) {
    if (line->kind == TextLine::Kind::kEvent) {
      const Event& event = reader.event();
      const GlobalTime time = retime(event.process, reader.index(), event.time);
      SYNCLINE_TRY(AppendWith(time.ns, PartsOf(*line), output));
    } else if (line->kind == TextLine::Kind::kClock) {
      SYNCLINE_TRY(AppendClock(CorrectedReadingNs(reader.traces().clocks.back()), *line, output));
    } else {
      SYNCLINE_TRY(output.Append(line->text));
    }
  }
  if (reader.error()) return tl::unexpected(*reader.error());
  return output.Flush();
}

}  // namespace syncline
