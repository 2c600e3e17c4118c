#include "read/ctf/metadata_text.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "read/ctf/packet_layout.h"
#include "read/ctf/trace_folder.h"

namespace syncline {
namespace {

Result<std::string> Unpacked(std::string_view content, const std::string& path) {
  constexpr size_t kHeader = 37;
  std::string text;
  while (content.size() >= kHeader) {
    const bool is_big_endian = static_cast<uint8_t>(content[0]) == 0x75;
    const uint64_t used = LoadNumber(content.substr(24, 4), is_big_endian) / 8;
    const uint64_t size = LoadNumber(content.substr(28, 4), is_big_endian) / 8;
    if (used < kHeader) break;
    if (used > content.size()) {
      return Fail(ErrorCode::kMalformed, "is cut off: its last packet is incomplete", path);
    }
    text += content.substr(kHeader, used - kHeader);
    if (used > size || size > content.size()) break;
    content.remove_prefix(size);
  }
  return text;
}

}  // namespace

Result<std::string> ReadMetadataText(const std::string& folder) {
  const std::string path = folder + "/metadata";
  auto content = ReadWholeFile(path);
  if (!content || MetadataKindOfFolder(folder) != MetadataKind::kPackets) return content;
  return Unpacked(*content, path);
}

}  // namespace syncline
