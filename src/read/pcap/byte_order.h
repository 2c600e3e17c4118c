// Integers of either byte order at any address of a capture file.
//
// Cost: one move, and one byte swap where the file's order is not this machine's.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace syncline {

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

}  // namespace syncline
