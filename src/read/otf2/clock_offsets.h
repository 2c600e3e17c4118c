// The correction that an archive already carries for one location: its ClockOffset records.
//
// Units: ticks of the archive's timer. Sign: corrected = recorded + offset, as OTF2 defines it.
// Method: what libotf2 3.0.2 computes, to the tick: linear between two records, the outermost
// segments go on, the slope in double precision; a single record means nothing.
// Errors: times that do not increase, which make other readers fail.
// Tested by: clock_offsets_test.cc, archive_test.cc (against libotf2 itself).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/clock.h"
#include "syncline/correction.h"
#include "syncline/result.h"

namespace syncline {

class Otf2ClockOffsets {
 public:
  struct Record {
    uint64_t time = 0;   // recorded, in ticks
    int64_t offset = 0;  // ticks
    friend bool operator==(const Record&, const Record&) = default;
  };

  Otf2ClockOffsets() = default;
  // In the order of the file.
  static Result<Otf2ClockOffsets> FromRecords(std::vector<Record> records);

  // Whether there is a correction: at least two records.
  bool corrects() const { return records_.size() >= 2; }
  const std::vector<Record>& records() const { return records_; }
  // What readers of the archive see for a recorded time; saturates. The identity without a
  // correction.
  LocalTime Corrected(uint64_t recorded) const {
    if (corrects()) return OnSegment(recorded);
    return {static_cast<int64_t>(std::min(recorded, static_cast<uint64_t>(INT64_MAX)))};
  }
  // Recorded ticks → nominal nanoseconds of the corrected ticks, exact where Corrected() rounds.
  // Nothing without a correction, and where the records let time stand still or run backwards.
  std::optional<Correction> ToCorrection(const Clock& clock) const;

 private:
  LocalTime OnSegment(uint64_t recorded) const;

  std::vector<Record> records_;
};

}  // namespace syncline
