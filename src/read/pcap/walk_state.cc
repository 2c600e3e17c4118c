#include "read/pcap/walk_state.h"

#include <algorithm>

namespace syncline {

bool WalkState::IsZeroFilled() {
  window.Have(kZeroFill);
  const std::byte* rest = window.data();
  return std::all_of(rest, rest + std::min(window.available(), kZeroFill),
                     [](std::byte b) { return b == std::byte{0}; });
}

const CaptureFrame* WalkState::EndEarly() {
  is_ending = true;
  window.Have(1);
  if (!error) error = window.error();
  if (error || window.available() == 0) return nullptr;
  Take(window.available()).kind = FrameKind::kCutOff;
  return &frame;
}

const CaptureFrame* WalkState::FailAt(uint64_t offset, ErrorCode code, std::string message) {
  is_ending = true;
  error = Error{code, std::move(message), window.name(), ByteOffset{offset}};
  return nullptr;
}

}  // namespace syncline
