// Characters of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace syncline {

// How many bytes the character at the begin of `text` takes; 0 where none begins there (Unicode
// 15, table 3-7: no surrogates, nothing overlong). Requires: text is not empty.
size_t Utf8Length(std::string_view text);

// A name as it can be shown anywhere: control characters, which terminals obey, and all bytes of
// other than ASCII where the name is no UTF-8, as %1b. Tested by: span_reader_test.cc.
std::string PrintableName(std::string_view name);

}  // namespace syncline
