// Options whose values are typed where they are declared: what they take is refused by the parser
// of the command line, with the option's name, before a command begins.
//
// Ownership: the target must outlive the parser. Tested by: simulate, scale, clock and probe
// command tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "syncline/result.h"

#include "base/duration_text.h"
#include "base/parse_number.h"

namespace syncline {

// The target becomes what `parse`, a function from a text to a Result, makes of the option's value.
template <typename Target, typename Parse>
CLI::Option* AddParsed(CLI::App& command, const std::string& names, Target& target, Parse parse,
                       const std::string& type, const std::string& help) {
  const std::string name = names.substr(0, names.find(','));
  const auto take = [name, parse, &target](const std::string& text) {
    auto value = std::invoke(parse, text);
    if (!value) throw CLI::ValidationError(name, value.error().message);
    target = std::move(*value);
  };
  return command.add_option_function<std::string>(names, take, help)->type_name(type);
}

// AddParsed() to a command that declares many.
inline auto AdderTo(CLI::App& command) {
  return
      [&command](const char* names, auto& target, auto parse, const char* type, const char* help) {
        return AddParsed(command, names, target, parse, type, help);
      };
}

// One of several names, each of which stands for a value.
template <typename Target, typename Value>
CLI::Option* AddChoice(CLI::App& command, const std::string& name, Target& target,
                       std::vector<std::pair<std::string, Value>> choices,
                       const std::string& help) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  const auto take = [choices = std::move(choices), &target](const std::string& text) {
    for (const auto& [choice, value] : choices) {
      if (choice == text) target = value;
    }
  };
  return command.add_option_function<std::string>(name, take, help)->check(CLI::IsMember(names));
}

// For AddParsed: a number from `least` to `most`, both included.
template <typename T>
auto NumberWithin(T least, std::type_identity_t<T> most) {
  return [=](std::string_view text) -> Result<T> {
    const auto number = ParseNumber<T>(text);
    if (number && *number >= least && *number <= most) return *number;
    return Fail(ErrorCode::kUsage,
                fmt::format("expected a {}number from {} to {}, not \"{}\"",
                            std::is_integral_v<T> ? "whole " : "", least, most, text));
  };
}

inline constexpr double kLongestS = 1e9;
// For AddParsed: a time in this range as nanoseconds; a number alone is in seconds.
inline auto SecondsWithin(double least_s, double most_s) {
  return [=](std::string_view text) -> Result<int64_t> {
    const auto ns = ParseSeconds(text);
    if (ns && *ns >= std::llround(least_s * 1e9) && *ns <= std::llround(most_s * 1e9)) return *ns;
    return Fail(ErrorCode::kUsage,
                fmt::format("expected a number of seconds, or a time as 400us or 10min, from {} to "
                            "{} s, not \"{}\"",
                            least_s, most_s, text));
  };
}

}  // namespace syncline
