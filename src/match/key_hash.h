// A fixed 128-bit hash of a sequence of words and bytes, the same in every run.
//
// Method: two lanes, each folding the 128-bit product of its state and the input to 64 bits. Not
// meant against forged collisions. Keys live in memory only, so words are read in host byte order.
// Cost: about 1 ns per 16 bytes; long byte runs go through four independent lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/int128.h"

namespace syncline {

class KeyHash {
 public:
  void Add(uint64_t x, uint64_t y) {
    a_ = Fold(a_ ^ x ^ kSecret[0], y ^ kSecret[1]) + y;
    b_ = Fold(b_ ^ y ^ kSecret[2], x ^ kSecret[3]) + x;
  }

  void AddBytes(std::span<const std::byte> bytes) {
    const size_t size = bytes.size();
    if (bytes.size() >= 64) bytes = AddBlocks(bytes);
    for (; bytes.size() >= 16; bytes = bytes.subspan(16)) {
      Add(Load(bytes.data()), Load(bytes.data() + 8));
    }
    const auto [first, second] = LoadRest(bytes);
    Add(first ^ (static_cast<uint64_t>(size) << 56), second + size);
  }

  uint64_t First() const { return Fold(a_ ^ kSecret[1], b_ ^ kSecret[2]); }
  uint64_t Second() const { return Fold(b_ ^ kSecret[3], a_ + kSecret[0]); }

  static uint64_t Fold(uint64_t x, uint64_t y) {
    const UInt128 product = static_cast<UInt128>(x) * y;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

 private:
  // Odd numbers without structure: fractional digits of the square roots of 2, 3, 5 and 7.
  static constexpr uint64_t kSecret[4] = {0x6a09e667f3bcc909, 0xbb67ae8584caa73b,
                                          0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1};

  // All of up to 15 bytes in two words, by loads that overlap: gathering them in memory first would
  // stall, and the size is hashed too.
  static std::pair<uint64_t, uint64_t> LoadRest(std::span<const std::byte> bytes) {
    const std::byte* p = bytes.data();
    const size_t n = bytes.size();
    if (n >= 8) return {Load(p), Load(p + n - 8)};
    if (n >= 4) return {Load32(p), Load32(p + n - 4)};
    if (n == 0) return {0, 0};
    const auto at = [&](size_t i) { return std::to_integer<uint64_t>(p[i]); };
    return {at(0) | at(n / 2) << 8 | at(n - 1) << 16, 0};
  }

  static uint32_t Load32(const std::byte* p) {
    uint32_t v = 0;
    std::memcpy(&v, p, sizeof v);
    return v;
  }

  static uint64_t Load(const std::byte* p) {
    uint64_t v = 0;
    std::memcpy(&v, p, sizeof v);
    return v;
  }

  std::span<const std::byte> AddBlocks(std::span<const std::byte> bytes) {
    uint64_t lane[4] = {kSecret[3], kSecret[2], kSecret[1], kSecret[0]};
    for (; bytes.size() >= 64; bytes = bytes.subspan(64)) {
      for (size_t i = 0; i < 4; ++i) {
        const uint64_t x = Load(bytes.data() + 16 * i);
        const uint64_t y = Load(bytes.data() + 16 * i + 8);
        lane[i] = Fold(lane[i] ^ x, y ^ kSecret[i]) + y;
      }
    }
    Add(lane[0], lane[1]);
    Add(lane[2], lane[3]);
    return bytes;
  }

  uint64_t a_ = kSecret[2];
  uint64_t b_ = kSecret[0];
};

}  // namespace syncline
