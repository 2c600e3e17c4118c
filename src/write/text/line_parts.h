// A line of a text trace with another number in the place of its numbers, every other byte kept.
//
// Cost: no copy but that into the sink. Tested by: text_rewriter_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "syncline/clock.h"
#include "syncline/result.h"

#include "base/byte_sink.h"
#include "base/int128.h"
#include "read/text/text_reader.h"

namespace syncline {

// How late readings may be once they are corrected. Rates differ by less than a hundredth; both
// ends are rounded.
inline int64_t CorrectedReadingNs(int64_t reading_ns) {
  return reading_ns == 0 ? 0 : Saturate(static_cast<Int128>(reading_ns) + reading_ns / 100 + 2);
}

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

// Of readings that count what the clock's ticks tell.
inline int64_t CorrectedReadingNs(const Clock& clock) {
  return CorrectedReadingNs(std::max(clock.reading_ns, Clock::ReadingNs(clock.ticks_per_second)));
}

// The line of a clock whose times become nanoseconds since the epoch, late by up to `reading_ns`.
inline Result<void> AppendClock(int64_t reading_ns, const TextLine& line, ByteSink& output) {
  const LineParts parts = PartsOf(line);
  const std::string numbers =
      reading_ns > 0 ? fmt::format("1000000000 0 {}", reading_ns) : "1000000000";
  return output.Append({parts.before, numbers, parts.after});
}

}  // namespace syncline
