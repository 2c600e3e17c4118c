#include "write/text/text_rewriter.h"

#include "base/try.h"
#include "write/text/line_parts.h"

namespace syncline {

Result<TextRewriteCounts> RewriteText(const std::string& input, OutputFile& output,
                                      const RetimeEvent& retime) {
  SYNCLINE_ASSIGN(auto reader, TextReader::Open(input));
  return RewriteText(reader, ByteSink(output), retime);
}

Result<TextRewriteCounts> RewriteText(TextReader& reader, ByteSink output,
                                      const RetimeEvent& retime) {
  TextRewriteCounts counts;
  while (const TextLine* line = reader.NextLine()) {
    Result<void> written;
    if (line->kind == TextLine::Kind::kEvent) {
      const Event& event = reader.event();
      const GlobalTime time = retime(event.process, reader.index(), event.time);
      ++counts.events;
      counts.changed += time.ns != event.time.ticks ? 1 : 0;
      written = AppendWith(time.ns, PartsOf(*line), output);
    } else if (line->kind == TextLine::Kind::kClock) {
      written = AppendWith(kNanosecondTicks, PartsOf(*line), output);
    } else {
      written = output.Append(line->text);
    }
    if (!written) return tl::unexpected(written.error());
  }
  if (reader.error()) return tl::unexpected(*reader.error());
  SYNCLINE_TRY(output.Flush());
  return counts;
}

}  // namespace syncline
