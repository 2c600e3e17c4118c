#include "base/sha256.h"

#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "base/file.h"

namespace syncline {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

// libcrypto fails here only where memory does, or where its digests were taken out.
Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  SYNCLINE_CHECK(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::Add(std::span<const std::byte> bytes) {
  SYNCLINE_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  SYNCLINE_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
  std::string digits;
  for (const unsigned char byte : std::span(digest).first(size)) {
    fmt::format_to(std::back_inserter(digits), "{:02x}", byte);
  }
  return digits;
}

Result<std::string> Sha256OfFile(const std::string& path) {
  auto file = InputFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  Sha256 hash;
  std::vector<std::byte> buffer(kFileBlock);
  while (true) {
    const auto read = file->Read(buffer);
    if (!read) return tl::unexpected(read.error());
    if (*read == 0) return hash.Finish();
    hash.Add(std::span(buffer).first(*read));
  }
}

}  // namespace syncline
