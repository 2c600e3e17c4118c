// The SHA-256 of a file, so that a report says which inputs it is about.
//
// Errors: those of reading the file. Cost: one pass, at the speed of OpenSSL's libcrypto.
// Method: FIPS 180-4, section 6.2. Tested by: sha256_test.cc, with its examples.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "syncline/result.h"

struct evp_md_ctx_st;

namespace syncline {

class Sha256 {
 public:
  Sha256();
  void Add(std::span<const std::byte> bytes);
  // 64 hexadecimal digits. Ends the message: nothing may be added afterwards.
  std::string Finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

Result<std::string> Sha256OfFile(const std::string& path);
// Of the files in a folder, not those below: the digest of what `sha256sum *` prints there, in the
// order of bytes.
Result<std::string> Sha256OfFolder(const std::string& path);

}  // namespace syncline
