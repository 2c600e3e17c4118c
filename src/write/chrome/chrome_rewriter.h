// Copies a Chrome JSON file with corrected times: `ts` and `dur` alone change, with as many
// decimals as any time of the file has; every other byte is copied.
//
// Units: nanoseconds. An event without a time that could be read keeps what it has. `dur` becomes
// the distance of the corrected begin and end. Metadata is corrected where `plain` says to what,
// but a time of 0 stays. Errors: those of the reader and of the output. Cost: that of reading, and
// about 200 ns per event. Memory: the reader's. Tested by: chrome_rewriter_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"
#include "syncline/time.h"

#include "base/byte_sink.h"
#include "read/chrome/chrome_reader.h"

namespace syncline {

struct ChromeTimes {
  int64_t base_ns = 0;  // that the written times count from
  int decimals = 3;     // 0 to 3; times have no more
  std::function<GlobalTime(uint32_t track, uint64_t index, LocalTime local)> retime;
  // Of a time that is no event's; empty: it stays.
  std::function<std::optional<GlobalTime>(LocalTime local)> plain;
};

// What takes the place of some bytes of a file.
struct ChromeEdit {
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string text;
};

// Those of the event's times, in the order of the file.
std::vector<ChromeEdit> TimeEdits(const ChromeEvent& event, const ChromeTimes& times);
// Appends bytes that begin at `offset`, with the edits, which are ascending and lie inside.
Result<void> AppendEdited(std::string_view bytes, uint64_t offset,
                          std::span<const ChromeEdit> edits, ByteSink& output);

Result<void> RewriteChrome(ChromeReader reader, const ChromeTimes& times, ByteSink output);

}  // namespace syncline
