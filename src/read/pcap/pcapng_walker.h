// Frames of pcapng captures: one per block.
//
// A file may hold several sections, each with its own byte order and its own numbering of
// interfaces; frames number interfaces through the whole file. Blocks of unknown type are frames of
// kind kOther.
// Errors: in WalkState::error, with the byte offset of the block. Cost: some ten nanoseconds a
// block. Tested by: capture_walker_test.cc.
#pragma once

#include <string_view>

#include "read/pcap/pcapng_option.h"
#include "read/pcap/walk_state.h"

namespace syncline {

class PcapngWalker {
 public:
  static constexpr uint32_t kMagic = 0x0a0d0d0a;  // the same in both byte orders
  static constexpr size_t kShortestSection = 28;

  // Takes the section header at the front of the window as the first frame.
  static Result<PcapngWalker> Start(WalkState& state);

  const CaptureFrame* Next(WalkState& state);

 private:
  // Checks the block at the front of the window and takes it as a frame of kind kOther.
  // False: the walk has ended, and `ending_` is what Next() gives.
  bool TakeBlock(WalkState& state);
  bool End(const CaptureFrame* last);
  bool ReadByteOrder(WalkState& state);

  const CaptureFrame* Section(WalkState& state);
  const CaptureFrame* Interface(WalkState& state) const;
  const CaptureFrame* EnhancedPacket(WalkState& state) const;
  const CaptureFrame* ObsoletePacket(WalkState& state) const;
  const CaptureFrame* TimedPacket(WalkState& state, size_t header) const;
  const CaptureFrame* SimplePacket(WalkState& state) const;
  const CaptureFrame* Statistics(WalkState& state) const;

  // The current block as broken.
  const CaptureFrame* Malformed(WalkState& state, std::string_view what) const;
  // Gives the frame its interface by the section's number; false if there is none.
  bool SetInterface(WalkState& state, uint32_t number_in_section) const;
  uint32_t Word(const WalkState& state, size_t at) const {
    return Load<uint32_t>(state.frame.raw.data() + at, order_);
  }

  ByteOrder order_ = ByteOrder::kNative;
  size_t section_interfaces_ = 0;  // index of the section's first interface
  const CaptureFrame* ending_ = nullptr;
};

}  // namespace syncline
