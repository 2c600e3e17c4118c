// What a capture file is made of: frames (records, blocks, headers) and capture interfaces.
//
// Units: offsets and lengths in bytes, times in nanoseconds since the epoch. Ownership: spans point
// into the walker's buffer, valid until its next frame; they are mutable so that a rewriter can
// change a timestamp in place and copy the rest as it is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include "syncline/packet.h"

#include "read/pcap/time_scale.h"

namespace syncline {

// Integers of either byte order at any address of a capture file.
//
// Cost: one move, and one byte swap where the file's order is not this machine's.
enum class ByteOrder : uint8_t { kNative, kSwapped };

constexpr uint8_t SwapBytes(uint8_t v) { return v; }
constexpr uint16_t SwapBytes(uint16_t v) { return __builtin_bswap16(v); }
constexpr uint32_t SwapBytes(uint32_t v) { return __builtin_bswap32(v); }
constexpr uint64_t SwapBytes(uint64_t v) { return __builtin_bswap64(v); }

template <typename T>
T Load(const std::byte* at, ByteOrder order) {
  T value = 0;
  std::memcpy(&value, at, sizeof(T));
  return order == ByteOrder::kNative ? value : SwapBytes(value);
}

template <typename T>
void Store(std::byte* at, ByteOrder order, T value) {
  if (order == ByteOrder::kSwapped) value = SwapBytes(value);
  std::memcpy(at, &value, sizeof(T));
}

inline constexpr ByteOrder kBigEndian =
    std::endian::native == std::endian::big ? ByteOrder::kNative : ByteOrder::kSwapped;

// How a field lays out its 64 bits.
enum class TimeLayout : uint8_t {
  kSecondsAndFraction,  // classic: seconds, then ticks within the second
  kHighAndLow,          // pcapng: upper, then lower half of the count
};

// The 64 bits of a timestamp field, as ticks of its resolution since the start of its count.
struct TimeField {
  ByteOrder order = ByteOrder::kNative;
  TimeLayout layout = TimeLayout::kSecondsAndFraction;
  uint64_t ticks_per_second = 1'000'000;  // of seconds and fraction

  uint64_t Read(const std::byte* at) const {
    const uint64_t first = Load<uint32_t>(at, order);
    const uint64_t second = Load<uint32_t>(at + 4, order);
    if (layout == TimeLayout::kHighAndLow) return first << 32 | second;
    return first * ticks_per_second + second;
  }
  bool CanHold(uint64_t ticks) const {
    return layout == TimeLayout::kHighAndLow ||
           ticks / ticks_per_second <= std::numeric_limits<uint32_t>::max();
  }
  // Requires CanHold(ticks).
  void Write(std::byte* at, uint64_t ticks) const {
    const bool halves = layout == TimeLayout::kHighAndLow;
    Store(at, order, static_cast<uint32_t>(halves ? ticks >> 32 : ticks / ticks_per_second));
    Store(at + 4, order, static_cast<uint32_t>(halves ? ticks : ticks % ticks_per_second));
  }
};

// One capture interface of a file; a classic capture has exactly one, without a name.
struct CaptureInterface {
  std::string name;          // if_name
  std::string description;   // if_description
  uint32_t link_number = 0;  // LINKTYPE number, possibly one that LinkType does not know
  uint32_t snap_length = 0;  // most bytes kept per packet; 0 = unlimited
  TimeScale time_scale;      // if_tsresol, if_tsoffset
  uint64_t packets = 0;      // read so far, those without time included
};

enum class FrameKind : uint8_t {
  kPacket,         // a packet with its time
  kUntimedPacket,  // a Simple Packet Block
  kStatistics,     // an Interface Statistics Block
  kOther,          // headers, and everything that holds no time
  kCutOff,         // the incomplete end of a file that was cut off; always the last ones
};

struct CaptureFrame {
  FrameKind kind = FrameKind::kOther;
  PacketDirection direction = PacketDirection::kUnknown;
  uint32_t interface = 0;  // index into the walker's interfaces; packets and statistics
  uint64_t offset = 0;     // of `raw` in the file
  std::span<std::byte> raw;

  // Packets with a time; statistics have `time_field`, `time_at`, `ticks` and `options`.
  TimeField time_field;
  size_t time_at = 0;  // of the timestamp field in `raw`
  uint64_t ticks = 0;
  int64_t time_ns = 0;
  size_t data_at = 0;  // of the captured bytes in `raw`
  uint32_t captured_length = 0;
  uint32_t original_length = 0;
  std::span<std::byte> options;  // pcapng: the block's option list

  std::span<const std::byte> data() const { return {raw.data() + data_at, captured_length}; }
};

}  // namespace syncline
