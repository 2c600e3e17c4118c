#include "read/ctf/readable_folder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/copy_file.h"
#include "base/file.h"
#include "base/try.h"
#include "read/ctf/packet_layout.h"
#include "read/ctf/trace_folder.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

Result<TemporaryFolder> MakeTemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  const bool is_set = folder != nullptr && *folder != '\0';
  const std::string prefix = fmt::format("{}/syncline-ctf-", is_set ? folder : "/tmp");
  auto made = TemporaryFolder::Private(prefix);
  if (made) return *std::move(made);
  return Fail(ErrorCode::kUnreadable,
              fmt::format("cannot create temporary storage: {}", made.error().message()),
              is_set ? folder : "/tmp");
}

tl::unexpected<Error> SystemError(const std::error_code& error, const fs::path& file) {
  return Fail(ErrorCode::kUnreadable, error.message(), file.string());
}

// The whole packets of a cut file; no file where there is none.
Result<void> CopyWhole(const CutFile& cut, const fs::path& to) {
  if (cut.whole_bytes == 0) return {};
  SYNCLINE_TRY(CopyFile(cut.path, to.string()));
  std::error_code error;
  fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
  if (!error) fs::resize_file(to, cut.whole_bytes, error);
  if (error) return SystemError(error, to);
  return {};
}

// The text of a trace's metadata, taken out of its packets where it has some.
//
// Errors: kUnreadable; kMalformed where the file ends inside a packet, for more of which
// libbabeltrace2 2.0.4 would wait for ever.
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

// `folder` holds the file `metadata`. What follows a packet that is none is left out.
Result<std::string> ReadMetadataText(const std::string& folder) {
  const std::string path = folder + "/metadata";
  auto content = ReadWholeFile(path);
  if (!content || MetadataKindOfFolder(folder) != MetadataKind::kPackets) return content;
  return Unpacked(*content, path);
}

namespace fs = std::filesystem;

// One stream file, from packet to packet.
class FileCheck {
 public:
  FileCheck(const std::string& path, const PacketLayout& layout)
      : path_(path), layout_(layout), file_(path, std::ios::binary) {
    std::error_code error;
    size_ = fs::file_size(path, error);
    if (error) size_ = 0;
  }

  // The cut, where there is one. What cannot be read or is no packet, the library has words for.
  Result<std::optional<CutFile>> Run() {
    constexpr uint64_t kTooMuch = uint64_t{1} << 63;
    const size_t last = std::max(layout_.content_size.end(), layout_.packet_size.end());
    uint64_t at = 0;
    while (at < size_) {
      if (size_ - at < last) return CutAt(at);
      const uint64_t bits = Number(at, layout_.packet_size);
      const uint64_t content = Number(at, layout_.content_size);
      if (!file_) break;
      if (bits / 8 == 0 || bits >= kTooMuch || content >= kTooMuch) {
        return Fail(ErrorCode::kMalformed, "a packet claims an impossible size", path_,
                    ByteOffset{at + layout_.packet_size.begin});
      }
      if (bits / 8 > size_ - at) return CutAt(at);
      at += bits / 8;
    }
    return std::optional<CutFile>();
  }

 private:
  uint64_t Number(uint64_t packet, const NumberPlace& place) {
    return LoadNumber(Bytes(packet + place.begin, place.bytes), layout_.is_big_endian);
  }

  // At most 8.
  std::string Bytes(uint64_t at, size_t count) {
    std::array<char, 8> bytes{};
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(bytes.data(), static_cast<std::streamsize>(count));
    return {bytes.data(), count};
  }

  std::optional<CutFile> CutAt(uint64_t at) {
    constexpr std::string_view kMagic = "\xC1\xFC\x1F\xC1";
    if (!layout_.has_magic && at == 0) return std::nullopt;
    if (layout_.has_magic) {
      const size_t count = std::min<uint64_t>(kMagic.size(), size_ - at);
      std::string magic(kMagic);
      if (!layout_.is_big_endian) std::ranges::reverse(magic);
      if (Bytes(at, count) != magic.substr(0, count) || !file_) return std::nullopt;
    }
    return CutFile{path_, size_, at};
  }

  const std::string& path_;
  const PacketLayout& layout_;
  std::ifstream file_;
  uint64_t size_ = 0;
};

}  // namespace

Result<std::shared_ptr<const ReadableFolder>> ReadableFolder::Of(const std::string& folder) {
  switch (MetadataKindOfFolder(folder)) {
    case MetadataKind::kNone:
      return Fail(ErrorCode::kUnsupported, "is no CTF trace: its metadata is missing or no TSDL",
                  folder);
    case MetadataKind::kCtf2:
      return Fail(ErrorCode::kUnsupported, "has CTF 2 metadata; CTF 1.8 can be read", folder);
    case MetadataKind::kPlainText:
    case MetadataKind::kPackets: break;
  }
  SYNCLINE_ASSIGN(auto cuts, CheckPacketSizes(folder));
  std::shared_ptr<ReadableFolder> readable(new ReadableFolder(folder));
  readable->cuts_ = std::move(cuts);
  if (!readable->cuts_.empty()) SYNCLINE_TRY(readable->MakeTemporary());
  readable->CountBytes();
  return readable;
}

void ReadableFolder::CountBytes() {
  std::error_code error;
  fs::directory_iterator entry(path(), error);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    const uint64_t bytes = entry->file_size(ignored);
    if (!ignored) bytes_ += bytes;
  }
}

Result<void> ReadableFolder::MakeTemporary() {
  SYNCLINE_ASSIGN(temporary_, MakeTemporaryFolder());
  std::error_code error;
  fs::directory_iterator entry(folder_, error);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    const std::string file = entry->path().string();
    const fs::path to = fs::path(temporary_.path()) / entry->path().filename();
    const auto cut = std::ranges::find(cuts_, file, &CutFile::path);
    if (cut != cuts_.end()) {
      SYNCLINE_TRY(CopyWhole(*cut, to));
    } else {
      fs::create_symlink(fs::absolute(entry->path()), to, error);
      if (error) return SystemError(error, to);
    }
  }
  if (error) return SystemError(error, folder_);
  return {};
}

std::string ReadableFolder::OriginalOf(std::string_view file) const {
  const std::string& temporary = temporary_.path();
  if (temporary.empty() || !file.starts_with(temporary)) return std::string(file);
  return (fs::path(folder_) / fs::path(file).filename()).string();
}

Result<std::vector<CutFile>> CheckPacketSizes(const std::string& folder) {
  SYNCLINE_ASSIGN(const auto text, ReadMetadataText(folder));
  const auto layout = FindPacketLayout(text);
  std::vector<CutFile> cuts;
  if (!layout) return cuts;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (name == "metadata" || name.starts_with('.') || !it->is_regular_file(ignored)) continue;
    const std::string path = it->path().string();
    SYNCLINE_ASSIGN(auto cut, FileCheck(path, *layout).Run());
    if (cut) cuts.push_back(std::move(*cut));
  }
  std::ranges::sort(cuts, {}, &CutFile::path);
  return cuts;
}

}  // namespace syncline
