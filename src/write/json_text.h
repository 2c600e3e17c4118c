// Text of a trace as text of a file: valid UTF-8, and strings of JSON.
//
// Names in traces are bytes. What is not UTF-8 becomes U+FFFD, a replacement for each byte that
// begins no character. Cost: some nanoseconds per byte. Tested by: json_text_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace syncline {

std::string ValidUtf8(std::string_view text);

// Appends `text` with its quotes.
void AppendJsonString(std::string_view text, std::string& json);

// Appends nanoseconds as microseconds with three decimals: 1500 is 1.500.
void AppendMicroseconds(uint64_t ns, std::string& json);

}  // namespace syncline
