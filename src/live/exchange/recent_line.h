// The best guess of an offset and its drift: the line through what was measured as far back as the
// clocks ran straight.
//
// Units: nanoseconds; a drift is a pure number. Sign: as the offsets that it is given.
// Guarantee: none; peer_bounds.h has those. Errors: none.
// Method: a line by least squares through the newest n measurements, each weighted by what its
// round trip left open. The more, the closer, as long as the clocks keep their rates: n grows while
// the line's offset at the newest measurement stays within κ standard errors of all lines of fewer
// (O. Lepski's rule, 1990). Old measurements are thinned: of each two the narrower stays, so that
// about 8 are kept of each doubling of time.
// Cost: Add O(1) amortized, At O(h²) for h = 8·log2(measurements) kept.
// Tested by: recent_line_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace syncline {

struct MeasuredOffset {
  int64_t own_ns = 0;
  int64_t offset_ns = 0;
  int64_t open_ns = 0;  // half of what was left open, ≥ 0
};

class RecentLine {
 public:
  // In the order of their times.
  void Add(const MeasuredOffset& measured);
  void Clear() { kept_.clear(); }

  struct Line {
    int64_t own_ns = 0;           // of the newest measurement
    int64_t offset_ns = 0;        // then
    std::optional<double> drift;  // none of a single measurement
    bool is_of_all = false;       // the clocks ran straight since the first measurement

    int64_t OffsetAt(int64_t own_ns) const;
  };
  // None where there is no measurement.
  std::optional<Line> Find() const;

 private:
  struct Kept {
    MeasuredOffset measured;
    uint32_t level = 0;  // one of 2^level measurements
  };
  std::vector<Kept> kept_;  // levels fall
};

}  // namespace syncline
