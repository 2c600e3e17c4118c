// The SHA-256 of a file, so that a report says which inputs it is about.
//
// Errors: those of reading the file. Cost: one pass; about 200 MB/s.
// Method: FIPS 180-4, section 6.2. Tested by: sha256_test.cc, with its examples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "syncline/result.h"

namespace syncline {

class Sha256 {
 public:
  void Add(std::span<const std::byte> bytes);
  // 64 hexadecimal digits. Ends the message: nothing may be added afterwards.
  std::string Finish();

 private:
  static constexpr size_t kBlock = 64;
  void AddBlock(const std::byte* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, kBlock> waiting_ = {};
  size_t waiting_bytes_ = 0;
  uint64_t total_bytes_ = 0;
};

Result<std::string> Sha256OfFile(const std::string& path);

}  // namespace syncline
