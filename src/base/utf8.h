// Characters of UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace syncline {

// How many bytes the character at the begin of `text` takes; 0 where none begins there (Unicode
// 15, table 3-7: no surrogates, nothing overlong). Requires: text is not empty.
size_t Utf8Length(std::string_view text);

}  // namespace syncline
