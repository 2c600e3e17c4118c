#include "live/exchange/packet_key.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"
#include "base/file.h"
#include "base/try.h"

namespace syncline {

Result<PacketKey> PacketKey::FromFile(const std::string& path) {
  SYNCLINE_ASSIGN(auto file, InputFile::OpenPacked(path));
  std::string secret(kMostBytes + 3, '\0');
  SYNCLINE_ASSIGN(const auto read, file.Read(std::as_writable_bytes(std::span(secret))));
  secret.resize(read);
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
  if (secret.size() < kLeastBytes || secret.size() > kMostBytes) {
    return Fail(ErrorCode::kUsage,
                fmt::format("a key has from {} to {} bytes", kLeastBytes, kMostBytes), path);
  }
  return PacketKey(std::move(secret));
}

Digest PacketKey::Sign(std::span<const std::byte> bytes) const {
  Digest digest = {};
  unsigned int size = 0;
  // libcrypto fails here only where memory does, or where its digests were taken out.
  SYNCLINE_CHECK(HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                      reinterpret_cast<unsigned char*>(digest.data()), &size) != nullptr);
  SYNCLINE_CHECK(size == kDigestBytes);
  return digest;
}

bool PacketKey::Verifies(std::span<const std::byte> bytes,
                         std::span<const std::byte> digest) const {
  if (digest.size() != kDigestBytes) return false;
  const Digest expected = Sign(bytes);
  return CRYPTO_memcmp(expected.data(), digest.data(), kDigestBytes) == 0;
}

}  // namespace syncline
