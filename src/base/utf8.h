// Characters of UTF-8.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace syncline {

// How many bytes the character at the begin of `text` takes; 0 where none begins there (Unicode
// 15, table 3-7: no surrogates, nothing overlong). Requires: text is not empty.
size_t Utf8Length(std::string_view text);

// Control characters, which terminals obey, as %1b; all other bytes as they are, for names of files
// need not be UTF-8. Tested by: edge_cases_test.cc, captures_test.py.
std::string WithoutControls(std::string_view name);
// A name as it can be shown anywhere: all bytes of other than ASCII so, too, where it is no UTF-8.
// Tested by: span_reader_test.cc.
std::string PrintableName(std::string_view name);

// What JSON may not hold as it is, in place: a question mark for each byte that is no UTF-8, a
// blank for each control character. Tested by: log_fields_test.cc.
void MaskForJson(std::span<char> text);

}  // namespace syncline
