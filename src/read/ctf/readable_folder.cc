#include "read/ctf/readable_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/copy_file.h"
#include "base/temporaries.h"
#include "read/ctf/trace_folder.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

Result<std::string> MakeTemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  const bool is_set = folder != nullptr && *folder != '\0';
  std::string path = fmt::format("{}/syncline-ctf-XXXXXX", is_set ? folder : "/tmp");
  const HeldTemporaries held = HoldTemporaries();
  if (::mkdtemp(path.data()) != nullptr) {
    NoteTemporary(path);
    return path;
  }
  const std::error_code error(errno, std::generic_category());
  return Fail(ErrorCode::kUnreadable,
              fmt::format("cannot create temporary storage: {}", error.message()), path);
}

tl::unexpected<Error> SystemError(const std::error_code& error, const fs::path& file) {
  return Fail(ErrorCode::kUnreadable, error.message(), file.string());
}

// The whole packets of a cut file; no file where there is none.
Result<void> CopyWhole(const CutFile& cut, const fs::path& to) {
  if (cut.whole_bytes == 0) return {};
  if (auto done = CopyFile(cut.path, to.string()); !done) return done;
  std::error_code error;
  fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
  if (!error) fs::resize_file(to, cut.whole_bytes, error);
  if (error) return SystemError(error, to);
  return {};
}

}  // namespace

Result<std::shared_ptr<const ReadableFolder>> ReadableFolder::Of(const std::string& folder) {
  switch (MetadataKindOfFolder(folder)) {
    case MetadataKind::kNone:
      return Fail(ErrorCode::kUnsupported, "is no CTF trace: its metadata is missing or no TSDL",
                  folder);
    case MetadataKind::kCtf2:
      return Fail(ErrorCode::kUnsupported, "has CTF 2 metadata; CTF 1.8 can be read", folder);
    case MetadataKind::kPlainText:
    case MetadataKind::kPackets:
      break;
  }
  auto cuts = CheckPacketSizes(folder);
  if (!cuts) return tl::unexpected(cuts.error());
  std::shared_ptr<ReadableFolder> readable(new ReadableFolder(folder));
  readable->cuts_ = std::move(*cuts);
  if (!readable->cuts_.empty()) {
    if (auto done = readable->MakeTemporary(); !done) return tl::unexpected(done.error());
  }
  readable->CountBytes();
  return readable;
}

ReadableFolder::~ReadableFolder() {
  std::error_code ignored;
  if (temporary_.empty()) return;
  fs::remove_all(temporary_, ignored);
  ForgetTemporary(temporary_);
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
  auto made = MakeTemporaryFolder();
  if (!made) return tl::unexpected(made.error());
  temporary_ = std::move(*made);
  std::error_code error;
  fs::directory_iterator entry(folder_, error);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    const std::string file = entry->path().string();
    const fs::path to = fs::path(temporary_) / entry->path().filename();
    const auto cut = std::find_if(cuts_.begin(), cuts_.end(),
                                  [&](const CutFile& one) { return one.path == file; });
    if (cut != cuts_.end()) {
      if (auto done = CopyWhole(*cut, to); !done) return done;
    } else {
      fs::create_symlink(fs::absolute(entry->path()), to, error);
      if (error) return SystemError(error, to);
    }
  }
  if (error) return SystemError(error, folder_);
  return {};
}

std::string ReadableFolder::OriginalOf(std::string_view file) const {
  if (temporary_.empty() || !file.starts_with(temporary_)) return std::string(file);
  return (fs::path(folder_) / fs::path(file).filename()).string();
}

}  // namespace syncline
