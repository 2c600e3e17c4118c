// Walks over a capture file of either format frame by frame, for reading and for rewriting.
//
// Every byte of the file is part of exactly one frame, in order, so that writing all frames' `raw`
// copies the file; the fields to change stay at known places in it.
// Errors: Open() and error(), with the byte offset of the record or block. Ownership: a frame is
// valid until the next Next(). Cost: sequential reads of one block; besides, 10 to 20 ns per
// packet. Tested by: capture_walker_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "read/pcap/walk_state.h"

namespace syncline {

// Frames of classic capture files (pcap): a file header, then one record per packet.
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

// Frames of pcapng captures: one per block.
//
// A file may hold several sections, each with its own byte order and its own numbering of
// interfaces; frames number interfaces through the whole file. Blocks of unknown type are frames of
// kind kOther.
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

class CaptureWalker {
 public:
  static Result<CaptureWalker> Open(const std::string& path);
  static Result<CaptureWalker> Start(ByteWindow input);

  // The next frame, the first being the file's header; nullptr at the end or on error().
  const CaptureFrame* Next() {
    if (at_header_) {
      at_header_ = false;
      return &state_.frame;
    }
    if (state_.is_ending) return state_.EndEarly();
    if (auto* classic = std::get_if<ClassicWalker>(&format_)) return classic->Next(state_);
    return std::get<PcapngWalker>(format_).Next(state_);
  }

  const std::optional<Error>& error() const { return state_.error; }
  // Those described so far.
  std::span<const CaptureInterface> interfaces() const { return state_.interfaces; }
  uint64_t bytes_read() const { return state_.window.bytes_read(); }
  // Whether more should have followed, as compressed data shows.
  bool is_cut_off() const { return state_.window.is_cut_off(); }
  const std::string& name() const { return state_.window.name(); }

 private:
  using Format = std::variant<ClassicWalker, PcapngWalker>;
  CaptureWalker(WalkState state, Format format)
      : state_(std::move(state)), format_(std::move(format)) {}

  WalkState state_;
  Format format_;
  bool at_header_ = true;
};

// Whether a file that begins with these bytes (at least four) is a capture of either format,
// dialects included that Open() rejects with a reason.
bool LooksLikeCapture(std::span<const std::byte> head);

}  // namespace syncline
