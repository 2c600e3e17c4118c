#include "base/output_folder.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "base/temporaries.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> CannotCreate(const std::error_code& error, const std::string& path) {
  return Fail(ErrorCode::kUnreadable, fmt::format("cannot create the folder: {}", error.message()),
              path);
}

Result<void> CheckFree(const std::string& path, IfExists if_exists) {
  std::error_code ignored;
  if (if_exists == IfExists::kFail && fs::exists(fs::symlink_status(path, ignored))) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", path);
  }
  return {};
}

}  // namespace

Result<OutputFolder> OutputFolder::Create(const std::string& path, IfExists if_exists) {
  std::string place = path;
  while (place.size() > 1 && place.ends_with('/')) place.pop_back();
  if (auto free = CheckFree(place, if_exists); !free) return tl::unexpected(free.error());
  std::error_code error;
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    const std::string temporary = fmt::format("{}.partial-{}-{}", place, ::getpid(), attempt);
    const HeldTemporaries held = HoldTemporaries();
    if (!fs::create_directory(temporary, error)) {
      if (!error) continue;  // it exists
      break;
    }
    NoteTemporary(temporary);
    OutputFolder folder(place, temporary, if_exists);
    if (!fs::create_directory(folder.place(), error)) break;
    return folder;
  }
  return CannotCreate(error, place);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (temporary_.empty()) return;
  fs::remove_all(temporary_, ignored);
  ForgetTemporary(temporary_);
}

Result<void> OutputFolder::Commit() {
  const HeldTemporaries held = HoldTemporaries();
  if (auto free = CheckFree(path_, if_exists_); !free) return free;
  const std::string old = temporary_ + "/old";
  std::error_code error, ignored;
  const bool replaces = fs::exists(fs::symlink_status(path_, ignored));
  if (replaces) fs::rename(path_, old, error);
  if (error) return CannotCreate(error, path_);
  fs::rename(place(), path_, error);
  if (error) {
    if (replaces) fs::rename(old, path_, ignored);
    return CannotCreate(error, path_);
  }
  fs::remove_all(temporary_, ignored);
  ForgetTemporary(temporary_);
  temporary_.clear();
  return {};
}

}  // namespace syncline
