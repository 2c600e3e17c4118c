// What both capture formats share while a file is walked: its bytes, interfaces and outcome.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "read/pcap/byte_window.h"
#include "read/pcap/capture_frame.h"

namespace syncline {

// No packet and no block of a sane capture is larger; a length beyond this is a broken one.
inline constexpr uint32_t kMaxCaptureBlock = uint32_t{1} << 28;
// As many zeros in a row are no packets.
inline constexpr size_t kZeroFill = size_t{1} << 16;

struct WalkState {
  explicit WalkState(ByteWindow input) : window(std::move(input)) {}

  ByteWindow window;
  std::vector<CaptureInterface> interfaces;
  CaptureFrame frame;
  std::optional<Error> error;
  bool is_ending = false;

  // Makes the next `size` bytes, which are available, the current frame. All but its place in the
  // file stays as it was in the frame before.
  CaptureFrame& Take(size_t size) {
    frame.offset = window.offset();
    frame.raw = {window.data(), size};
    window.Skip(size);
    return frame;
  }
  // Whether nothing but zeros follows, to the end or for kZeroFill bytes at least: what a crash
  // leaves of blocks that were not yet written, and sparse files where they have holes.
  bool IsZeroFilled();
  // Ends the walk where no further frame can be told: at a read error, the regular end, or where a
  // file was cut off, whose rest becomes the last frames, one with each call.
  const CaptureFrame* EndEarly();
  const CaptureFrame* FailAt(uint64_t offset, ErrorCode code, std::string message);
};

}  // namespace syncline
