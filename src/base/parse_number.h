// A number as the command line or a line of a file gives it.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace syncline {

// Nothing where `text` is not, from end to end, a number that fits.
template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace syncline
