#include "read/ctf/trace_folder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

#include "base/file.h"
#include "base/try.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<uint8_t, 4> kMagic = {0x75, 0xD1, 0x1D, 0x57};
// Of a packet of metadata: magic, UUID, three words, five bytes.
constexpr size_t kPacketHeader = 37;
constexpr std::byte kRecordSeparator{0x1E};

bool HasMagic(std::span<const std::byte> head) {
  if (head.size() < kMagic.size()) return false;
  const auto is_magic = [&](auto begin) {
    return std::equal(kMagic.begin(), kMagic.end(), begin,
                      [](uint8_t a, std::byte b) { return std::byte{a} == b; });
  };
  return is_magic(head.begin()) || is_magic(std::make_reverse_iterator(head.begin() + 4));
}

// CTF 2 is a sequence of JSON texts.
bool StartsAsJson(std::span<const std::byte> text) {
  return !text.empty() && (text[0] == kRecordSeparator || text[0] == std::byte{'{'});
}

bool IsText(std::span<const std::byte> head) {
  return std::ranges::all_of(head, [](std::byte b) {
    const auto c = static_cast<uint8_t>(b);
    return c >= 0x20 || c == '\t' || c == '\n' || c == '\r';
  });
}

// The words with which a block of TSDL can begin.
bool HoldsTsdl(std::string_view text) {
  if (text.starts_with("/* CTF ")) return true;
  return std::ranges::any_of(
      std::array{"trace", "typealias", "env", "clock", "stream", "event", "struct", "typedef"},
      [&](std::string_view word) {
        const size_t at = text.find(word);
        return at != std::string_view::npos &&
               text.find_first_of("{:", at + word.size()) != std::string_view::npos;
      });
}

Result<void> AddTraces(const std::string& folder, std::vector<std::string>& found) {
  if (MetadataKindOfFolder(folder) != MetadataKind::kNone) {
    found.push_back(folder);
    return {};
  }
  std::error_code error;
  std::vector<std::string> below;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) below.push_back(it->path().string());
  }
  if (error) return Fail(ErrorCode::kUnreadable, "cannot list: " + error.message(), folder);
  std::ranges::sort(below);
  for (const std::string& path : below) SYNCLINE_TRY(AddTraces(path, found));
  return {};
}

// Of a session's folder: what says nothing about its host.
bool IsLayout(const std::string& name) {
  constexpr std::array kNames = {"kernel", "ust", "uid", "pid", "64-bit", "32-bit"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

MetadataKind MetadataKindOf(std::span<const std::byte> head) {
  if (HasMagic(head)) {
    const bool is_json = head.size() > kPacketHeader && StartsAsJson(head.subspan(kPacketHeader));
    return is_json ? MetadataKind::kCtf2 : MetadataKind::kPackets;
  }
  if (StartsAsJson(head)) return MetadataKind::kCtf2;
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return IsText(head) && HoldsTsdl(text) ? MetadataKind::kPlainText : MetadataKind::kNone;
}

MetadataKind MetadataKindOfFolder(const std::string& folder) {
  const std::string path = (fs::path(folder) / "metadata").string();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return MetadataKind::kNone;
  auto file = InputFile::OpenPacked(path);
  if (!file) return MetadataKind::kNone;
  std::array<std::byte, 2048> head{};
  const auto read = file->Read(head);
  if (!read) return MetadataKind::kNone;
  return MetadataKindOf(std::span<const std::byte>(head).first(*read));
}

Result<std::vector<std::string>> FindCtfTraces(const std::string& folder) {
  std::vector<std::string> found;
  SYNCLINE_TRY(AddTraces(folder, found));
  return found;
}

std::string HostOfTrace(std::string_view given, std::string_view environment_hostname,
                        const std::string& folder) {
  if (!given.empty()) return std::string(given);
  if (!environment_hostname.empty()) return std::string(environment_hostname);
  std::error_code error;
  fs::path path = fs::absolute(folder, error).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string own = path.filename().string();
  while (path.has_filename() && IsLayout(path.filename().string())) path = path.parent_path();
  return path.has_filename() ? path.filename().string() : own;
}

}  // namespace syncline
