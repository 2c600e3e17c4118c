// Compressed data from any bytes: unpacking ends, and what was packed comes out again.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/compression.h"

namespace syncline {
namespace {

constexpr size_t kMost = size_t{1} << 22;  // bytes, lest a small file takes a minute

Result<std::string> Unpacked(Compression kind, std::span<const std::byte> packed, size_t block) {
  auto unpacking = MakeUnpacking(kind, "fuzz");
  if (!unpacking) return tl::unexpected(unpacking.error());
  const auto read = [&](std::span<std::byte> to) -> Result<size_t> {
    const size_t n = std::min({to.size(), packed.size(), block});
    std::copy_n(packed.begin(), n, to.begin());
    packed = packed.subspan(n);
    return n;
  };
  std::string text;
  std::vector<std::byte> buffer(4096);
  while (text.size() < kMost) {
    auto n = (*unpacking)->ReadSome(buffer, read);
    if (!n) return tl::unexpected(n.error());
    if (*n == 0) break;
    text.append(reinterpret_cast<const char*>(buffer.data()), *n);
  }
  return text;
}

void CheckCompression(Compression kind, std::span<const std::byte> input) {
  // However the file comes, it is the same.
  const auto whole = Unpacked(kind, input, input.size() + 1);
  const auto bits = Unpacked(kind, input, 7);
  SYNCLINE_CHECK(whole.has_value() == bits.has_value());
  if (whole && whole->size() < kMost) SYNCLINE_CHECK(*whole == *bits);
  auto packing = MakePacking(kind);
  if (!packing) return;
  std::vector<std::byte> packed;
  const auto write = [&](std::span<const std::byte> bytes) -> Result<void> {
    packed.insert(packed.end(), bytes.begin(), bytes.end());
    return {};
  };
  SYNCLINE_CHECK((*packing)->Write(input, write) && (*packing)->End(write));
  const auto again = Unpacked(kind, packed, 1000);
  SYNCLINE_CHECK(again && std::ranges::equal(std::as_bytes(std::span(*again)), input));
}

}  // namespace
}  // namespace syncline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  syncline::CheckCompression(syncline::Compression::kGzip, input);
  syncline::CheckCompression(syncline::Compression::kZstd, input);
  return 0;
}
