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

struct WalkState {
  explicit WalkState(ByteWindow input) : window(std::move(input)) {}

  ByteWindow window;
  std::vector<CaptureInterface> interfaces;
  CaptureFrame frame;
  std::optional<Error> error;
  bool finished = false;

  // Makes the next `size` bytes, which are available, the current frame. All but its place in the
  // file stays as it was in the frame before.
  CaptureFrame& Take(size_t size) {
    frame.offset = window.offset();
    frame.raw = {window.data(), size};
    window.Skip(size);
    return frame;
  }
  // Ends the walk where less is left than the next frame needs: a read error, the regular end, or
  // a file that was cut off, whose rest becomes the last frame.
  const CaptureFrame* EndEarly();
  const CaptureFrame* FailAt(uint64_t offset, ErrorCode code, std::string message);
};

}  // namespace syncline
