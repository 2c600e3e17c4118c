// Whole numbers in as few bytes as they need: LEB128, seven bits per byte, the lowest first.
//
// Requires: read as they were written, by the same program; aborts where the bytes end before.
// Cost: a nanosecond per byte. Tested by: varint_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"

namespace syncline {

inline void PutVarint(uint64_t number, std::vector<std::byte>& bytes) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::byte>(number | 0x80));
  bytes.push_back(static_cast<std::byte>(number));
}

// From one number to another, so that small steps either way are short; any step can be told.
inline void PutVarintStep(int64_t from, int64_t to, std::vector<std::byte>& bytes) {
  const uint64_t step = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  const bool is_back = step >> 63 != 0;
  PutVarint(is_back ? ~(step << 1) : step << 1, bytes);
}

class VarintReader {
 public:
  // The bytes must outlive the reader.
  explicit VarintReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t Take() {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      SYNCLINE_CHECK(next_ < bytes_.size() && shift < 64);
      const auto byte = static_cast<uint64_t>(bytes_[next_++]);
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
  }
  // Where PutVarintStep() went from here.
  int64_t TakeStep(int64_t from) {
    const uint64_t told = Take();
    const uint64_t step = (told & 1) != 0 ? ~(told >> 1) : told >> 1;
    return static_cast<int64_t>(static_cast<uint64_t>(from) + step);
  }
  // The next bytes as they are.
  std::span<const std::byte> TakeBytes(uint64_t count) {
    SYNCLINE_CHECK(count <= bytes_.size() - next_);
    next_ += count;
    return bytes_.subspan(next_ - count, count);
  }
  bool is_at_end() const { return next_ == bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  size_t next_ = 0;
};

}  // namespace syncline
