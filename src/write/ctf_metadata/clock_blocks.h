// The `clock { … }` blocks of CTF 1.8 metadata: what they say, and the text with other values.
//
// A block's freq is 1 000 000 000 Hz and its offsets 0 unless it says otherwise. Values are
// replaced in place and missing ones added at the block's beginning; every other character stays.
// Errors: kMalformed with line and column, where babeltrace2 would refuse the block as well.
// Tested by: clock_blocks_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/result.h"

#include "write/ctf_metadata/clock_setting.h"

namespace syncline::ctf_metadata {

// A part of the text.
struct TextPart {
  size_t at = 0;
  size_t size = 0;
};

struct ClockBlock {
  std::string name;
  ClockSetting setting;
  size_t body = 0;  // behind the opening brace
  // The values as written, where there are any.
  std::optional<TextPart> freq, offset_s, offset;
};

Result<std::vector<ClockBlock>> ClockBlocks(std::string_view text);

// `blocks`: of this text; `settings`: one per block. Equal settings leave a block as it is.
std::string WithSettings(std::string_view text, std::span<const ClockBlock> blocks,
                         std::span<const ClockSetting> settings);

}  // namespace syncline::ctf_metadata
