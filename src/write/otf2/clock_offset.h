// ClockOffset records, and the times that readers of OTF2 make of them.
//
// Units: ticks of the archive's timer. A reader adds to a recorded time the offset that lies on the
// line between the two neighbouring records, rounded to nearest, ties to even; before the first and
// after the last record the nearest line goes on. It computes in double precision and never looks
// back: the records it has passed stay passed. So does libotf2 3.0.2;
// metadata_writer_test.cc compares the two.
// Tested by: clock_offset_fitter_test.cc, metadata_writer_test.cc (against libotf2).
#pragma once

#include <cstdint>

namespace syncline {

struct ClockOffset {
  int64_t time = 0;    // as recorded
  int64_t offset = 0;  // to add
  friend bool operator==(const ClockOffset&, const ClockOffset&) = default;
};

// Recorded and corrected times, and offsets, of at most this size stay within 64 bits wherever
// lines lead. In nanoseconds: 146 and 73 years.
inline constexpr int64_t kMaxOtf2Ticks = (int64_t{1} << 62) - 1;
inline constexpr int64_t kMaxClockOffset = int64_t{1} << 61;

// The offset that a reader applies at `time` on the line through `a` and `b`.
// Requires a.time < b.time and numbers within the limits above. A rise beyond kMaxClockOffset is
// cut off there.
int64_t OffsetOnLine(const ClockOffset& a, const ClockOffset& b, int64_t time);

}  // namespace syncline
