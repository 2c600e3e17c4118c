#include "read/pcap/walk_state.h"

namespace syncline {

const CaptureFrame* WalkState::EndEarly() {
  finished = true;
  if (window.error()) {
    error = window.error();
    return nullptr;
  }
  if (window.available() == 0) return nullptr;
  Take(window.available()).kind = FrameKind::kCutOff;
  return &frame;
}

const CaptureFrame* WalkState::FailAt(uint64_t offset, ErrorCode code, std::string message) {
  finished = true;
  error = Error{code, std::move(message), window.name(), ByteOffset{offset}};
  return nullptr;
}

}  // namespace syncline
