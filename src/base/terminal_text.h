// Text for people on standard streams.
//
// Names in traces are bytes that somebody else chose; a terminal would obey some of them. Tested
// by: terminal_text_test.cc.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "syncline/result.h"

namespace syncline {

// Control characters but line breaks and tabs, those that turn the direction of writing, and bytes
// that are no UTF-8 become \xNN, byte by byte; all else stays.
std::string ForTerminal(std::string_view text);
// Line breaks become \x0a, too: for names of files, which could begin lines of their own.
std::string OnOneLine(std::string_view text);

// Writes ForTerminal(text) and flushes. Error: kUnreadable, naming the stream.
Result<void> PrintText(std::string_view text, std::FILE* stream);

// How many columns the terminal has that `stream` writes to: COLUMNS, where the environment says
// so, before what the terminal says itself. None: it is no terminal, or does not know.
std::optional<size_t> TerminalColumns(std::FILE* stream);

}  // namespace syncline
