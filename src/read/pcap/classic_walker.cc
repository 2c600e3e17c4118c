#include "read/pcap/classic_walker.h"

#include <algorithm>

#include <fmt/format.h>

namespace syncline {
namespace {

constexpr uint32_t kMicrosecondMagic = 0xa1b2c3d4;
constexpr uint32_t kNanosecondMagic = 0xa1b23c4d;
// Dialects with other record headers.
constexpr uint32_t kModifiedMagic = 0xa1b2cd34;
constexpr uint32_t kIxiaMagics[] = {0x1c0001ab, 0x1c0001ac};

// Some recorders keep whole offloaded segments in spite of a smaller snap length in the header.
constexpr uint32_t kLeastSnapLimit = uint32_t{1} << 18;

bool IsDialect(uint32_t magic) {
  return magic == kModifiedMagic || std::ranges::count(kIxiaMagics, magic) > 0;
}

bool IsSupported(uint32_t magic) { return magic == kMicrosecondMagic || magic == kNanosecondMagic; }

tl::unexpected<Error> HeaderError(const WalkState& state, ErrorCode code, std::string message) {
  return Fail(code, std::move(message), state.window.name(), ByteOffset{state.window.offset()});
}

uint32_t MaxCaptured(uint32_t snap_length) {
  if (snap_length == 0) return kMaxCaptureBlock;
  return std::clamp(snap_length, kLeastSnapLimit, kMaxCaptureBlock);
}

}  // namespace

bool ClassicWalker::KnowsMagic(uint32_t magic) {
  const uint32_t swapped = SwapBytes(magic);
  return IsSupported(magic) || IsSupported(swapped) || IsDialect(magic) || IsDialect(swapped);
}

Result<ClassicWalker> ClassicWalker::Start(WalkState& state) {
  const auto magic = Load<uint32_t>(state.window.data(), ByteOrder::kNative);
  const ByteOrder order = IsSupported(magic) ? ByteOrder::kNative : ByteOrder::kSwapped;
  if (IsDialect(magic) || IsDialect(SwapBytes(magic))) {
    return HeaderError(state, ErrorCode::kUnsupported,
                       "is a capture of a modified pcap format, which is not supported; "
                       "editcap -F nsecpcap converts it");
  }
  if (!state.window.Have(kFileHeader)) {
    return HeaderError(state, ErrorCode::kMalformed, "ends within its file header");
  }
  const std::byte* header = state.window.data();
  const auto major = Load<uint16_t>(header + 4, order);
  const auto minor = Load<uint16_t>(header + 6, order);
  if (major != 2 || minor != 4) {
    return HeaderError(state, ErrorCode::kUnsupported,
                       fmt::format("has pcap version {}.{}; only 2.4 is supported", major, minor));
  }
  const bool nanoseconds = Load<uint32_t>(header, order) == kNanosecondMagic;
  const int64_t ticks_per_second = nanoseconds ? 1'000'000'000 : 1'000'000;
  CaptureInterface interface;
  interface.snap_length = Load<uint32_t>(header + 16, order);
  // The upper bits tell about frame check sequences, which do no harm behind a packet.
  interface.link_number = Load<uint32_t>(header + 20, order) & 0x03ff'ffff;
  interface.time_scale = TimeScale(ticks_per_second, 0);
  const uint32_t max_captured = MaxCaptured(interface.snap_length);
  state.interfaces.push_back(std::move(interface));
  const TimeField time_field{order, TimeLayout::kSecondsAndFraction,
                             static_cast<uint64_t>(ticks_per_second)};
  CaptureFrame& frame = state.Take(kFileHeader);
  // The same in all packets.
  frame.time_field = time_field;
  frame.time_at = 0;
  frame.data_at = kRecordHeader;
  return ClassicWalker(time_field, TimeScale(ticks_per_second, 0), max_captured);
}

const CaptureFrame* ClassicWalker::Next(WalkState& state) const {
  if (!state.window.Have(kRecordHeader)) return state.EndEarly();
  const auto captured = Load<uint32_t>(state.window.data() + 8, time_field_.order);
  if (captured > max_captured_) [[unlikely]] {
    return state.FailAt(state.window.offset(), ErrorCode::kMalformed,
                        fmt::format("a packet record claims {} captured bytes; the most that this "
                                    "file's packets can have is {}",
                                    captured, max_captured_));
  }
  if (captured == 0 && state.IsZeroFilled()) [[unlikely]]
    return state.EndEarly();
  const size_t size = kRecordHeader + captured;
  if (!state.window.Have(size)) return state.EndEarly();
  const std::byte* header = state.window.data();
  CaptureFrame& frame = state.Take(size);
  frame.kind = FrameKind::kPacket;
  frame.ticks = time_field_.Read(header);
  // Below 2^32 s and 2^32 fractions: always fits.
  frame.time_ns = *time_scale_.ToNs(frame.ticks);
  frame.captured_length = captured;
  frame.original_length = Load<uint32_t>(header + 12, time_field_.order);
  ++state.interfaces[0].packets;
  return &frame;
}

}  // namespace syncline
