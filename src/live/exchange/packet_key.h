// The key that both ends of clock exchanges share, and the signatures made with it.
//
// Errors: as FromFile says; without a key nothing is signed. Cost: about 6 µs per signature.
// Method: HMAC-SHA-256 (RFC 2104, FIPS 180-4) of OpenSSL's libcrypto; compared in constant time.
// Tested by: packet_key_test.cc, with the examples of RFC 4231.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "syncline/result.h"

namespace syncline {

inline constexpr size_t kDigestBytes = 32;
using Digest = std::array<std::byte, kDigestBytes>;

class PacketKey {
 public:
  static constexpr size_t kLeastBytes = 16;
  static constexpr size_t kMostBytes = 4096;

  // No key: packets are not signed.
  PacketKey() = default;
  explicit PacketKey(std::string secret) : secret_(std::move(secret)) {}
  // All bytes of the file but line ends at its end. Errors: kUnreadable; kUsage where that is
  // shorter than kLeastBytes or longer than kMostBytes.
  static Result<PacketKey> FromFile(const std::string& path);

  bool is_given() const { return !secret_.empty(); }
  // Both require: is_given().
  Digest Sign(std::span<const std::byte> bytes) const;
  bool Verifies(std::span<const std::byte> bytes, std::span<const std::byte> digest) const;

 private:
  std::string secret_;
};

}  // namespace syncline
