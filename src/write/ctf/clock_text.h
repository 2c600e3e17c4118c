// The clocks in the metadata that the sink wrote, made to count nanoseconds.
//
// The sink copies the clock classes of the trace it is given. Corrected times are nanoseconds on
// the reference's time line: a clock of another frequency could not hold them exactly, and a time
// before the clock's origin not at all. So the text of the clock blocks is changed: one gigahertz,
// and an origin that may be earlier.
// Requires: text as sink.ctf.fs writes it, one property per line.
// Tested by: clock_text_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "syncline/result.h"

namespace syncline::ctf_write {

// Every clock counts nanoseconds from `earlier_ns` before the nanosecond in which its cycle 0 lies.
// The text stays as it is where a clock does so already. Errors: kUnsupported for blocks that lack
// a property.
Result<std::string> CountNanoseconds(std::string_view metadata, int64_t earlier_ns);

}  // namespace syncline::ctf_write
