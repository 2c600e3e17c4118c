#include "syncline/result.h"

#include <fmt/format.h>

namespace syncline {

std::string Error::ToString() const {
  if (file.empty()) return message;
  if (const auto* at = std::get_if<LineColumn>(&position)) {
    return fmt::format("{}:{}:{}: {}", file, at->line, at->column, message);
  }
  if (const auto* at = std::get_if<ByteOffset>(&position)) {
    return fmt::format("{}: byte {}: {}", file, at->value, message);
  }
  return fmt::format("{}: {}", file, message);
}

}  // namespace syncline
