// Text for people on standard streams.
//
// Names in traces are bytes that somebody else chose; a terminal would obey some of them. Tested
// by: terminal_text_test.cc.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "syncline/result.h"

namespace syncline {

// Control characters but line breaks and tabs, those that turn the direction of writing, and bytes
// that are no UTF-8 become \xNN, byte by byte; all else stays.
std::string ForTerminal(std::string_view text);

// Writes ForTerminal(text) and flushes. Error: kUnreadable, naming the stream.
Result<void> PrintText(std::string_view text, std::FILE* stream);

}  // namespace syncline
