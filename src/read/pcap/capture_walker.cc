#include "read/pcap/capture_walker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/try.h"
#include "read/pcap/pcapng_option.h"

namespace syncline {
namespace {

tl::unexpected<Error> NotACapture(const ByteWindow& window) {
  return Fail(ErrorCode::kMalformed, "is not a pcap or pcapng capture", window.name(),
              ByteOffset{0});
}

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

enum BlockType : uint32_t {
  kInterfaceBlock = 1,
  kObsoletePacketBlock = 2,
  kSimplePacketBlock = 3,
  kStatisticsBlock = 5,
  kEnhancedPacketBlock = 6,
  kSectionBlock = PcapngWalker::kMagic,
};

constexpr uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr size_t kBlockHead = 8;     // type and total length
constexpr size_t kBlockTrailer = 4;  // total length again
constexpr size_t kPacketHead = 28;   // block head, interface, timestamp, lengths

size_t Padded(size_t size) { return (size + 3) / 4 * 4; }

std::string Text(std::span<const std::byte> value) {
  std::string text(reinterpret_cast<const char*>(value.data()), value.size());
  return text.substr(0, text.find('\0'));
}

// Ticks per second from the option's byte: a negative power of ten, or of two if the top bit is
// set. nullopt where 62 bits do not hold them.
std::optional<int64_t> TicksPerSecond(uint8_t resolution) {
  const int exponent = resolution & 0x7f;
  if ((resolution & 0x80) != 0) {
    if (exponent > 62) return std::nullopt;
    return int64_t{1} << exponent;
  }
  if (exponent > 18) return std::nullopt;
  int64_t ticks = 1;
  for (int i = 0; i < exponent; ++i) ticks *= 10;
  return ticks;
}

PacketDirection FlaggedDirection(uint32_t flags) {
  static constexpr std::array kDirections = {PacketDirection::kUnknown, PacketDirection::kInbound,
                                             PacketDirection::kOutbound, PacketDirection::kUnknown};
  return kDirections[flags & 3];
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

Result<PcapngWalker> PcapngWalker::Start(WalkState& state) {
  if (!state.window.Have(kShortestSection)) {
    return Fail(ErrorCode::kMalformed, "ends within its section header", state.window.name(),
                ByteOffset{state.window.offset()});
  }
  PcapngWalker walker;
  const CaptureFrame* first = walker.Next(state);
  if (state.error) return tl::unexpected(*state.error);
  if (first == nullptr || first->kind == FrameKind::kCutOff) {
    return Fail(ErrorCode::kMalformed, "ends within its section header", state.window.name(),
                ByteOffset{0});
  }
  return walker;
}

const CaptureFrame* PcapngWalker::Next(WalkState& state) {
  if (!TakeBlock(state)) return ending_;
  switch (Word(state, 0)) {
    case kSectionBlock: return Section(state);
    case kInterfaceBlock: return Interface(state);
    case kEnhancedPacketBlock: return EnhancedPacket(state);
    case kObsoletePacketBlock: return ObsoletePacket(state);
    case kSimplePacketBlock: return SimplePacket(state);
    case kStatisticsBlock: return Statistics(state);
    default: return &state.frame;
  }
}

bool PcapngWalker::End(const CaptureFrame* last) {
  ending_ = last;
  return false;
}

bool PcapngWalker::ReadByteOrder(WalkState& state) {
  if (!state.window.Have(kBlockHead + 4)) return End(state.EndEarly());
  const auto magic = Load<uint32_t>(state.window.data() + kBlockHead, ByteOrder::kNative);
  if (magic != kByteOrderMagic && SwapBytes(magic) != kByteOrderMagic) {
    return End(state.FailAt(state.window.offset(), ErrorCode::kMalformed,
                            "the section header has no valid byte order"));
  }
  order_ = magic == kByteOrderMagic ? ByteOrder::kNative : ByteOrder::kSwapped;
  return true;
}

bool PcapngWalker::TakeBlock(WalkState& state) {
  ByteWindow& window = state.window;
  if (!window.Have(kBlockHead)) return End(state.EndEarly());
  const auto type = Load<uint32_t>(window.data(), order_);
  if (type == kSectionBlock && !ReadByteOrder(state)) return false;
  const auto length = Load<uint32_t>(window.data() + 4, order_);
  if (length < kBlockHead + kBlockTrailer || length % 4 != 0 || length > kMaxCaptureBlock) {
    if (length == 0 && state.IsZeroFilled()) return End(state.EndEarly());
    return End(
        state.FailAt(window.offset(), ErrorCode::kMalformed,
                     fmt::format("a block of type {} has the impossible length {}", type, length)));
  }
  if (!window.Have(length)) return End(state.EndEarly());
  const auto again = Load<uint32_t>(window.data() + length - kBlockTrailer, order_);
  if (again != length) {
    return End(state.FailAt(window.offset(), ErrorCode::kMalformed,
                            fmt::format("a block of type {} has length {} at its start and {} at "
                                        "its end",
                                        type, length, again)));
  }
  state.Take(length);
  state.frame.kind = FrameKind::kOther;
  state.frame.direction = PacketDirection::kUnknown;
  return true;
}

const CaptureFrame* PcapngWalker::Section(WalkState& state) {
  if (state.frame.raw.size() < kShortestSection) {
    return Malformed(state, "the section header is too short");
  }
  const auto major = Load<uint16_t>(state.frame.raw.data() + 12, order_);
  if (major != 1) {
    return state.FailAt(state.frame.offset, ErrorCode::kUnsupported,
                        fmt::format("has pcapng version {}; only 1 is supported", major));
  }
  section_interfaces_ = state.interfaces.size();
  state.frame.time_field = {order_, TimeLayout::kHighAndLow, 0};
  return &state.frame;
}

const CaptureFrame* PcapngWalker::Interface(WalkState& state) const {
  constexpr size_t kHead = 16;
  const std::span raw = state.frame.raw;
  if (raw.size() < kHead + kBlockTrailer) {
    return Malformed(state, "an interface description is too short");
  }
  CaptureInterface interface;
  interface.link_number = Load<uint16_t>(raw.data() + 8, order_);
  interface.snap_length = Word(state, 12);
  int64_t ticks_per_second = 1'000'000;
  int64_t offset_seconds = 0;
  PcapngOptionList options(raw.subspan(kHead, raw.size() - kHead - kBlockTrailer), order_);
  while (const auto option = options.Next()) {
    if (option->code == kInterfaceName) interface.name = Text(option->value);
    if (option->code == kInterfaceDescription) interface.description = Text(option->value);
    if (option->code == kInterfaceTimeOffset && option->value.size() == 8) {
      offset_seconds = static_cast<int64_t>(Load<uint64_t>(option->value.data(), order_));
    }
    if (option->code == kInterfaceTimeResolution && option->value.size() == 1) {
      const auto ticks = TicksPerSecond(std::to_integer<uint8_t>(option->value[0]));
      if (!ticks) {
        return state.FailAt(state.frame.offset, ErrorCode::kUnsupported,
                            "an interface has a time resolution finer than 10^-18 or 2^-62 s");
      }
      ticks_per_second = *ticks;
    }
  }
  if (options.malformed()) return Malformed(state, "an option is longer than its block");
  interface.time_scale = TimeScale(ticks_per_second, offset_seconds);
  state.interfaces.push_back(std::move(interface));
  return &state.frame;
}

const CaptureFrame* PcapngWalker::EnhancedPacket(WalkState& state) const {
  if (state.frame.raw.size() < kPacketHead + kBlockTrailer) {
    return Malformed(state, "a packet block is too short");
  }
  if (!SetInterface(state, Word(state, 8))) return nullptr;
  return TimedPacket(state, kPacketHead);
}

// Differs from the enhanced block only in the interface: 16 bits, then a count of drops.
const CaptureFrame* PcapngWalker::ObsoletePacket(WalkState& state) const {
  if (state.frame.raw.size() < kPacketHead + kBlockTrailer) {
    return Malformed(state, "a packet block is too short");
  }
  if (!SetInterface(state, Load<uint16_t>(state.frame.raw.data() + 8, order_))) return nullptr;
  return TimedPacket(state, kPacketHead);
}

const CaptureFrame* PcapngWalker::TimedPacket(WalkState& state, size_t header) const {
  CaptureFrame& frame = state.frame;
  const size_t room = frame.raw.size() - header - kBlockTrailer;
  const uint32_t captured = Word(state, 20);
  if (captured > room) return Malformed(state, "a packet is longer than its block");
  frame.data_at = header;
  frame.captured_length = captured;
  frame.original_length = Word(state, 24);
  const size_t padded = Padded(captured);
  frame.options = frame.raw.subspan(header + padded, room - padded);
  PcapngOptionList options(frame.options, order_);
  while (const auto option = options.Next()) {
    if (option->code == kPacketFlags && option->value.size() == 4) {
      frame.direction = FlaggedDirection(Load<uint32_t>(option->value.data(), order_));
    }
  }
  if (options.malformed()) return Malformed(state, "an option is longer than its block");
  CaptureInterface& interface = state.interfaces[frame.interface];
  frame.kind = FrameKind::kPacket;
  frame.time_at = 12;
  frame.ticks = frame.time_field.Read(frame.raw.data() + frame.time_at);
  const auto ns = interface.time_scale.ToNs(frame.ticks);
  if (!ns) return Malformed(state, "a packet's time is beyond the years 1677 to 2262");
  frame.time_ns = *ns;
  ++interface.packets;
  return &frame;
}

const CaptureFrame* PcapngWalker::SimplePacket(WalkState& state) const {
  if (state.frame.raw.size() < kBlockHead + 4 + kBlockTrailer) {
    return Malformed(state, "a packet block is too short");
  }
  if (!SetInterface(state, 0)) return nullptr;
  state.frame.kind = FrameKind::kUntimedPacket;
  ++state.interfaces[state.frame.interface].packets;
  return &state.frame;
}

const CaptureFrame* PcapngWalker::Statistics(WalkState& state) const {
  constexpr size_t kHead = 20;
  CaptureFrame& frame = state.frame;
  if (frame.raw.size() < kHead + kBlockTrailer) {
    return Malformed(state, "an interface statistics block is too short");
  }
  if (!SetInterface(state, Word(state, 8))) return nullptr;
  frame.kind = FrameKind::kStatistics;
  frame.time_at = 12;
  frame.ticks = frame.time_field.Read(frame.raw.data() + frame.time_at);
  frame.options = frame.raw.subspan(kHead, frame.raw.size() - kHead - kBlockTrailer);
  PcapngOptionList options(frame.options, order_);
  while (options.Next()) {
  }
  if (options.malformed()) return Malformed(state, "an option is longer than its block");
  return &frame;
}

const CaptureFrame* PcapngWalker::Malformed(WalkState& state, std::string_view what) const {
  return state.FailAt(state.frame.offset, ErrorCode::kMalformed, std::string(what));
}

bool PcapngWalker::SetInterface(WalkState& state, uint32_t number_in_section) const {
  if (number_in_section >= state.interfaces.size() - section_interfaces_) {
    Malformed(state, fmt::format("interface {} is not described", number_in_section));
    return false;
  }
  state.frame.interface = static_cast<uint32_t>(section_interfaces_ + number_in_section);
  return true;
}

Result<CaptureWalker> CaptureWalker::Open(const std::string& path) {
  SYNCLINE_ASSIGN(auto window, ByteWindow::Open(path));
  return Start(std::move(window));
}

Result<CaptureWalker> CaptureWalker::Start(ByteWindow input) {
  WalkState state(std::move(input));
  const bool has_magic = state.window.Have(4);
  if (state.window.error()) return tl::unexpected(*state.window.error());
  if (state.window.available() == 0) {
    return Fail(ErrorCode::kMalformed, "is empty", state.window.name());
  }
  if (!has_magic) return NotACapture(state.window);
  const auto magic = Load<uint32_t>(state.window.data(), ByteOrder::kNative);
  if (magic == PcapngWalker::kMagic) {
    SYNCLINE_ASSIGN(auto pcapng, PcapngWalker::Start(state));
    return CaptureWalker(std::move(state), pcapng);
  }
  if (!ClassicWalker::KnowsMagic(magic)) return NotACapture(state.window);
  SYNCLINE_ASSIGN(auto classic, ClassicWalker::Start(state));
  return CaptureWalker(std::move(state), classic);
}

bool LooksLikeCapture(std::span<const std::byte> head) {
  if (head.size() < 4) return false;
  const auto magic = Load<uint32_t>(head.data(), ByteOrder::kNative);
  return magic == PcapngWalker::kMagic || ClassicWalker::KnowsMagic(magic);
}

}  // namespace syncline
