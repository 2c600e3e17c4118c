// A text of which only order and equality count, in 32 bytes.
//
// Texts of up to 16 bytes are in order as such, longer ones that begin alike by a hash. Requires
// texts without NUL. Tested by: group_operations_test.cc.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "match/key_hash.h"

namespace syncline {

struct TextKey {
  uint64_t head[2] = {};  // its first bytes, the first one highest
  uint64_t hash[2] = {};

  TextKey() = default;
  explicit TextKey(std::string_view text) {
    if (text.empty()) return;
    for (size_t i = 0; i < 16; ++i) {
      head[i / 8] = head[i / 8] << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
    }
    KeyHash hashed;
    hashed.AddBytes(std::as_bytes(std::span(text)));
    hash[0] = hashed.First();
    hash[1] = hashed.Second();
  }
  friend auto operator<=>(const TextKey&, const TextKey&) = default;
  // Equality alone, in 8 bytes: 0 for the empty text.
  uint64_t Digest() const { return hash[0]; }
  bool empty() const { return *this == TextKey(); }
};

}  // namespace syncline
