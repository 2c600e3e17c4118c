#include "write/text/text_rewriter.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace syncline {
namespace {

constexpr int64_t kNanosecondTicks = 1'000'000'000;

// The line with `number` in the place of its numbers.
Result<void> CopyWith(int64_t number, const TextLine& line, ByteSink& output) {
  const char* begin = line.text.data();
  const char* end = begin + line.text.size();
  const fmt::format_int digits(number);
  return output.Append({std::string_view(begin, line.numbers.data()),
                        {digits.data(), digits.size()},
                        {line.numbers.data() + line.numbers.size(), end}});
}

}  // namespace

Result<TextRewriteCounts> RewriteText(const std::string& input, OutputFile& output,
                                      const RetimeEvent& retime) {
  auto reader = TextReader::Open(input);
  if (!reader) return tl::unexpected(reader.error());
  return RewriteText(*reader, ByteSink(output), retime);
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
      written = CopyWith(time.ns, *line, output);
    } else if (line->kind == TextLine::Kind::kClock) {
      written = CopyWith(kNanosecondTicks, *line, output);
    } else {
      written = output.Append(line->text);
    }
    if (!written) return tl::unexpected(written.error());
  }
  if (reader.error()) return tl::unexpected(*reader.error());
  if (auto written = output.Flush(); !written) return tl::unexpected(written.error());
  return counts;
}

}  // namespace syncline
