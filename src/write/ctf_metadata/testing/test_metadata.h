// For tests: packets of CTF 1.8 metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace syncline::ctf_metadata {

inline constexpr size_t kTestHeaderBytes = 37;

enum class ByteSwap { kNo, kYes };
struct TestPacket {
  std::string_view text;
  ByteSwap swap = ByteSwap::kNo;
};

// Padded by 11 bytes.
inline std::string PacketOf(const TestPacket& packet) {
  const auto content = static_cast<uint32_t>(8 * (kTestHeaderBytes + packet.text.size()));
  std::string bytes(kTestHeaderBytes, '\0');
  const auto put = [&](size_t at, uint32_t word) {
    if (packet.swap == ByteSwap::kYes) word = __builtin_bswap32(word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  };
  put(0, 0x75D11D57);
  put(24, content);
  put(28, content + 8 * 11);
  bytes[35] = 1;
  bytes[36] = 8;
  return bytes + std::string(packet.text) + std::string(11, '\0');
}

}  // namespace syncline::ctf_metadata
