// A line of a text trace with another number in the place of its numbers, every other byte kept.
//
// Cost: no copy but that into the sink. Tested by: text_rewriter_test.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "syncline/result.h"

#include "base/byte_sink.h"
#include "read/text/text_reader.h"

namespace syncline {

// What a clock's numbers become where times are nanoseconds since the epoch.
inline constexpr int64_t kNanosecondTicks = 1'000'000'000;

// Views into the line.
struct LineParts {
  std::string_view before;  // the numbers
  std::string_view after;   // them, the line's end included
};

inline LineParts PartsOf(const TextLine& line) {
  const char* begin = line.text.data();
  const char* numbers_end = line.numbers.data() + line.numbers.size();
  return {{begin, line.numbers.data()}, {numbers_end, begin + line.text.size()}};
}

inline Result<void> AppendWith(int64_t number, const LineParts& parts, ByteSink& output) {
  const fmt::format_int digits(number);
  return output.Append({parts.before, {digits.data(), digits.size()}, parts.after});
}

}  // namespace syncline
