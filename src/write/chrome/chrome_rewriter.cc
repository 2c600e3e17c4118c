#include "write/chrome/chrome_rewriter.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/try.h"
#include "read/chrome/decimal_time.h"

namespace syncline {
namespace {

ChromeEdit EditOf(const ChromeToken& token, Duration duration, int decimals) {
  ChromeEdit edit{.offset = token.offset, .length = token.size};
  AppendMicroseconds(duration.ns, decimals, edit.text);
  return edit;
}

}  // namespace

std::vector<ChromeEdit> TimeEdits(const ChromeEvent& event, const ChromeTimes& times) {
  const GlobalTime base{times.base_ns};
  std::vector<ChromeEdit> edits;
  if (event.instants == 0) {
    const bool is_told = event.has_time && event.begin.ticks != 0 && times.plain &&
                         event.time.text.find_first_of("123456789") != std::string_view::npos;
    const auto plain = is_told ? times.plain(event.begin) : std::nullopt;
    if (plain) edits.push_back(EditOf(event.time, *plain - base, times.decimals));
    return edits;
  }
  const GlobalTime begin = times.retime(event.track, event.index, event.begin);
  edits.push_back(EditOf(event.time, begin - base, times.decimals));
  if (event.instants == 2) {
    const GlobalTime end = times.retime(event.track, event.index + 1, event.end);
    edits.push_back(EditOf(event.duration, end - begin, times.decimals));
    if (edits[1].offset < edits[0].offset) std::swap(edits[0], edits[1]);
  }
  return edits;
}

Result<void> AppendEdited(std::string_view bytes, uint64_t offset,
                          std::span<const ChromeEdit> edits, ByteSink& output) {
  uint64_t copied = offset;
  for (const ChromeEdit& edit : edits) {
    SYNCLINE_TRY(output.Append(
        {bytes.substr(copied - offset, edit.offset - copied), std::string_view(edit.text), {}}));
    copied = edit.offset + edit.length;
  }
  return output.Append(bytes.substr(copied - offset));
}

Result<void> RewriteChrome(ChromeReader reader, const ChromeTimes& times, ByteSink output) {
  std::vector<ChromeEdit> edits;  // not yet written
  reader.SetOnBytes([&](uint64_t offset, std::string_view bytes) -> Result<void> {
    const auto inside = std::ranges::find_if(
        edits, [&](const ChromeEdit& edit) { return edit.offset >= offset + bytes.size(); });
    const auto count = static_cast<size_t>(inside - edits.begin());
    SYNCLINE_TRY(AppendEdited(bytes, offset, std::span(edits).first(count), output));
    edits.erase(edits.begin(), inside);
    return {};
  });
  while (const ChromeEvent* event = reader.Next()) {
    for (ChromeEdit& edit : TimeEdits(*event, times)) edits.push_back(std::move(edit));
  }
  if (reader.error()) return tl::unexpected(*reader.error());
  return output.Flush();
}

}  // namespace syncline
