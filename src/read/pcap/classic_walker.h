// Frames of classic capture files (pcap): a file header, then one record per packet.
//
// Errors: in WalkState::error, with the byte offset of the record. Cost: some ten nanoseconds a
// record. Tested by: capture_walker_test.cc.
#pragma once

#include "read/pcap/walk_state.h"

namespace syncline {

class ClassicWalker {
 public:
  static constexpr size_t kFileHeader = 24;
  static constexpr size_t kRecordHeader = 16;

  // Whether a file that starts with these four bytes, read as one number, is a classic capture.
  static bool KnowsMagic(uint32_t magic);
  // Takes the file header at the front of the window as the first frame.
  static Result<ClassicWalker> Start(WalkState& state);

  const CaptureFrame* Next(WalkState& state) const;

 private:
  ClassicWalker(TimeField time_field, TimeScale time_scale, uint32_t max_captured)
      : time_field_(time_field), time_scale_(time_scale), max_captured_(max_captured) {}

  TimeField time_field_;
  TimeScale time_scale_;
  uint32_t max_captured_ = 0;  // a longer packet is a broken record
};

}  // namespace syncline
