#include "write/ctf_metadata/metadata_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "base/file.h"
#include "base/try.h"

namespace syncline::ctf_metadata {
namespace {

constexpr uint32_t kMagic = 0x75D11D57;
constexpr char kRecordSeparator = 0x1E;  // how CTF 2 begins
constexpr size_t kHeaderBytes = 37;
constexpr std::string_view kSignature = "/* CTF 1.8";

uint32_t Word(std::string_view content, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, content.data() + at, sizeof word);
  return word;
}
uint8_t Byte(std::string_view content, size_t at) { return static_cast<uint8_t>(content[at]); }

// Places of the header's fields behind the magic number (4 bytes) and the trace's UUID (16).
struct Header {
  uint32_t checksum = 0;      // at byte 20
  uint32_t content_bits = 0;  // 24
  uint32_t packet_bits = 0;   // 28
  uint8_t compression = 0;    // 32
  uint8_t encryption = 0;
  uint8_t checksum_scheme = 0;
  uint8_t major = 0;
  uint8_t minor = 0;
};

class PacketReader {
 public:
  PacketReader(std::string_view content, bool swaps) : content_(content), swaps_(swaps) {}

  Result<std::string> Run() {
    std::string text;
    while (at_ < content_.size()) {
      SYNCLINE_ASSIGN(auto part, Packet());
      text += part;
    }
    return text;
  }

 private:
  uint32_t Read(size_t offset) const {
    const uint32_t word = Word(content_, at_ + offset);
    return swaps_ ? __builtin_bswap32(word) : word;
  }
  tl::unexpected<Error> FailHere(ErrorCode code, std::string message) const {
    return Fail(code, std::move(message), {}, ByteOffset{at_});
  }

  // The packet's text; goes on to the next one.
  Result<std::string_view> Packet() {
    if (content_.size() - at_ < kHeaderBytes) {
      return FailHere(ErrorCode::kMalformed, "the metadata ends within a packet's header");
    }
    if (Read(0) != kMagic) {
      return FailHere(ErrorCode::kMalformed, "a packet of metadata has no magic number");
    }
    const Header header{Read(20),
                        Read(24),
                        Read(28),
                        Byte(content_, at_ + 32),
                        Byte(content_, at_ + 33),
                        Byte(content_, at_ + 34),
                        Byte(content_, at_ + 35),
                        Byte(content_, at_ + 36)};
    SYNCLINE_TRY(CheckSupported(header));
    const size_t end = header.content_bits / 8;
    const size_t next = header.packet_bits / 8;
    if (end < kHeaderBytes || next < end) {
      return FailHere(ErrorCode::kMalformed, "a packet of metadata has impossible sizes");
    }
    if (end > content_.size() - at_) {
      return FailHere(ErrorCode::kMalformed, "the metadata ends within a packet");
    }
    const std::string_view text = content_.substr(at_ + kHeaderBytes, end - kHeaderBytes);
    // Readers do without the padding of the last packet.
    at_ += std::min(next, content_.size() - at_);
    return text;
  }

  Result<void> CheckSupported(const Header& header) const {
    if (header.major != 1 || header.minor != 8) {
      return FailHere(
          ErrorCode::kUnsupported,
          fmt::format("the metadata is CTF {}.{}; only 1.8 is read", header.major, header.minor));
    }
    if (header.compression != 0 || header.encryption != 0) {
      return FailHere(ErrorCode::kUnsupported, "the metadata is compressed or encrypted");
    }
    if (header.checksum != 0 || header.checksum_scheme != 0) {
      return FailHere(ErrorCode::kUnsupported, "the metadata has checksums");
    }
    return {};
  }

  std::string_view content_;
  bool swaps_;
  size_t at_ = 0;
};

}  // namespace

Result<std::string> MetadataText(std::string_view content) {
  if (content.starts_with(kRecordSeparator)) {
    return Fail(ErrorCode::kUnsupported, "the metadata is CTF 2; only 1.8 is read");
  }
  if (content.size() >= sizeof kMagic) {
    const uint32_t first = Word(content, 0);
    if (first == kMagic || first == __builtin_bswap32(kMagic)) {
      auto text = PacketReader(content, first != kMagic).Run();
      // Readers look for this in plain text only.
      if (text && !text->starts_with(kSignature)) {
        text->insert(0, fmt::format("{} */\n", kSignature));
      }
      return text;
    }
  }
  return std::string(content);
}

Result<std::string> ReadMetadata(const std::string& path) {
  SYNCLINE_ASSIGN(auto content, ReadWholeFile(path));
  auto text = MetadataText(content);
  if (!text) text.error().file = path;
  return text;
}

}  // namespace syncline::ctf_metadata
