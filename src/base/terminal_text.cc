#include "base/terminal_text.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/parse_number.h"
#include "base/utf8.h"

namespace syncline {
namespace {

bool IsObeyed(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) {
    return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F;
  }
  const auto last = static_cast<uint8_t>(character.back());
  if (character.size() == 2) return first == 0xC2 && last < 0xA0;  // U+0080 to U+009F
  if (character.starts_with("\xE2\x80"))
    return (last >= 0xAA && last <= 0xAE) || last == 0x8E || last == 0x8F;
  return character.starts_with("\xE2\x81") && last >= 0xA6 && last <= 0xA9;
}

}  // namespace

std::string ForTerminal(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    if (length == 0 || IsObeyed(character)) {
      for (const char c : character) {
        shown += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
      }
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string OnOneLine(std::string_view text) {
  std::string line = ForTerminal(text);
  for (size_t at = 0; (at = line.find('\n', at)) != std::string::npos;)
    line.replace(at, 1, "\\x0a");
  return line;
}

Result<void> PrintText(std::string_view text, std::FILE* stream) {
  const std::string shown = ForTerminal(text);
  errno = 0;
  const bool done = std::fwrite(shown.data(), 1, shown.size(), stream) == shown.size() &&
                    std::fflush(stream) == 0;
  if (done) return {};
  const int reason = errno;
  return Fail(ErrorCode::kUnreadable,
              reason == 0 ? "cannot write the report"
                          : fmt::format("cannot write the report: {}", std::strerror(reason)),
              stream == stderr ? "standard error" : "standard output");
}

std::optional<size_t> TerminalColumns(std::FILE* stream) {
  const int file = ::fileno(stream);
  if (::isatty(file) == 0) return std::nullopt;
  const char* given = std::getenv("COLUMNS");
  const auto columns = ParseNumber<uint16_t>(given == nullptr ? "" : given);
  if (columns && *columns > 0) return *columns;
  winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace syncline
