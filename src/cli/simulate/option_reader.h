// Turns what stands on the command line of a simulation into values.
//
// Errors: kUsage, with the option's name; the first one is kept. Tested by:
// simulate_command_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "syncline/result.h"

#include "simulate/spec_scanner.h"

namespace syncline {

inline Result<uint64_t> ParseWholeNumber(std::string_view text) {
  SpecScanner scan(text);
  auto count = scan.Number(UINT64_MAX);
  if (count && !scan.AtEnd()) return scan.Expected("the end");
  return count;
}

// Reads options until one is wrong, and keeps why. Empty ones are not given: their target stays.
class OptionReader {
 public:
  template <typename Parse, typename Target>
  void Read(std::string_view name, const std::string& text, Parse parse, Target& target) {
    if (text.empty() || error_) return;
    auto value = parse(text);
    if (value) {
      target = std::move(*value);
    } else {
      error_ = value.error();
      error_->message = fmt::format("{} {}", name, error_->message);
    }
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace syncline
