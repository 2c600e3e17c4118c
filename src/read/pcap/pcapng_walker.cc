#include "read/pcap/pcapng_walker.h"

#include <array>

#include <fmt/format.h>

namespace syncline {
namespace {

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

}  // namespace syncline
