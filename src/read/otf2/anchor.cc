#include "read/otf2/anchor.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "base/try.h"

namespace syncline {
namespace {

constexpr size_t kFixedBytes = 46;
constexpr size_t kStrings = 3;
constexpr size_t kLeastPropertyBytes = 2;

// Where the number of properties stands.
std::optional<size_t> PropertiesAt(std::string_view bytes) {
  if (bytes.size() < kFixedBytes || bytes.substr(2, 4) != "OTF2") return std::nullopt;
  size_t at = kFixedBytes;
  for (size_t i = 0; i < kStrings; ++i) {
    at = bytes.find('\0', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  if (at + sizeof(uint32_t) > bytes.size()) return std::nullopt;
  return at;
}

}  // namespace

Result<void> CheckAnchor(const std::string& path) {
  SYNCLINE_ASSIGN(const auto content, ReadWholeFile(path));
  const std::optional<size_t> at = PropertiesAt(content);
  if (!at) return {};
  const bool is_big_endian = content[1] == '#';
  uint64_t properties = 0;
  for (size_t i = 0; i < sizeof(uint32_t); ++i) {
    const size_t byte = *at + (is_big_endian ? i : sizeof(uint32_t) - 1 - i);
    properties = properties << 8 | static_cast<unsigned char>(content[byte]);
  }
  if (properties * kLeastPropertyBytes <= content.size() - *at) return {};
  return Fail(ErrorCode::kMalformed,
              fmt::format("claims {} properties, more than it has room for", properties), path,
              ByteOffset{*at});
}

}  // namespace syncline
