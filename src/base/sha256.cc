#include "base/sha256.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <span>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "base/file.h"
#include "base/try.h"

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
  SYNCLINE_ASSIGN(auto file, InputFile::OpenPacked(path));
  Sha256 hash;
  std::vector<std::byte> buffer(kFileBlock);
  while (true) {
    SYNCLINE_ASSIGN(auto read, file.Read(buffer));
    if (read == 0) return hash.Finish();
    hash.Add(std::span(buffer).first(read));
  }
}

Result<std::string> Sha256OfFolder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const std::string name = entry->path().filename().string();
    if (entry->is_regular_file(ignored) && !name.starts_with('.')) names.push_back(name);
  }
  if (error) return Fail(ErrorCode::kUnreadable, error.message(), path);
  std::ranges::sort(names);
  Sha256 lines;
  for (const std::string& name : names) {
    SYNCLINE_ASSIGN(auto digest, Sha256OfFile((std::filesystem::path(path) / name).string()));
    digest += "  ";
    digest += name;
    digest += '\n';
    lines.Add(std::as_bytes(std::span(digest)));
  }
  return lines.Finish();
}

}  // namespace syncline
