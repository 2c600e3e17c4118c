#include "read/text/message_token.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace syncline {
namespace {

constexpr SipKey kKey = {0x73796e636c696e65, 0x6d65737361676573};  // "syncline", "messages"

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

// The state v0..v3 of the paper.
struct SipState {
  uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }
  void Compress(uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
};

bool IsCanonicalDecimal(std::string_view token) {
  if (token.empty() || token.size() > 19) return false;
  if (token[0] == '0' && token.size() > 1) return false;
  return std::ranges::all_of(token, [](char c) { return c >= '0' && c <= '9'; });
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The number that `~` and hex digits stand for, 0 for any other token.
uint64_t FromHex(std::string_view token) {
  if (token.size() != 17 || token[0] != '~') return 0;
  uint64_t value = 0;
  for (const char c : token.substr(1)) {
    if (HexDigit(c) < 0) return 0;
    value = value << 4 | static_cast<uint64_t>(HexDigit(c));
  }
  return value >= kHashedMessage ? value : 0;
}

}  // namespace

uint64_t SipHash24(SipKey key, std::string_view bytes) {
  SipState state = {key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d,
                    key.low ^ 0x6c7967656e657261, key.high ^ 0x7465646279746573};
  const uint64_t length = bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    state.Compress(LittleEndian(bytes.substr(0, 8)));
  }
  state.Compress(length << 56 | LittleEndian(bytes));
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.Round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

uint64_t MessageFromToken(std::string_view token) {
  if (IsCanonicalDecimal(token)) {
    uint64_t value = 0;  // 19 digits stay below 2^64
    for (const char c : token) value = value * 10 + static_cast<uint64_t>(c - '0');
    if (value < kHashedMessage) return value;
  }
  if (const uint64_t value = FromHex(token); value != 0) return value;
  return kHashedMessage | SipHash24(kKey, token);
}

std::string TokenFromMessage(uint64_t message) {
  return message < kHashedMessage ? fmt::format_int(message).str()
                                  : fmt::format("~{:016x}", message);
}

}  // namespace syncline
