// What --help and --help-all print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help/command_model.h"

namespace syncline {

// Usage, examples, and the options that most people need, a line each; `whole`: all of them.
// Lines are at most `width` columns wide, but for single words that are longer.
std::string HelpText(const CommandModel& command, bool whole, size_t width);
// The terminal's, of standard output; 100 where there is none.
size_t HelpWidth();

// "syncline sync [OPTIONS] INPUT... -o DIR".
std::string UsageLine(const CommandModel& command);
// "-o,--output DIR".
std::string OptionHead(const OptionModel& option);
// What else is to be said of an option behind its text: what can be chosen, its default.
std::string OptionTail(const OptionModel& option);
std::vector<std::string> GroupsOf(const std::vector<OptionModel>& options);
// `text` in lines of at most `width` bytes, broken at spaces; line breaks in it stay.
std::vector<std::string> WrapText(std::string_view text, size_t width);

// Scripts by which shells complete commands, options and their choices; file names elsewhere.
//
// Empty for other shells than "bash", "zsh" and "fish".
std::string CompletionScript(const CommandModel& program, std::string_view shell);

// Manual pages: roff with the macros of man(7), as mandoc and groff read it.
//
// `version` as "1.2.3". Without the date: the same program gives the same page.
std::string ManPage(const CommandModel& program, const CommandModel& command,
                    std::string_view version);

// What is said where a command line was not understood: which word, and what may have been meant.

// `words` are those behind the program's name, `problem` what the parser said of them. Lines, each
// ending in a line break. Unknown commands and options come first, whatever the parser found.
std::string UsageError(const CommandModel& program, const std::vector<std::string>& words,
                       std::string_view problem);

// How many letters are to be inserted, removed, replaced or swapped with their neighbour.
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace syncline
