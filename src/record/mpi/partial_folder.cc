#include "record/mpi/partial_folder.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace syncline::mpi {

namespace fs = std::filesystem;

std::string PartialFolderOf(const std::string& folder) { return folder + ".partial"; }
std::string LogFolderOf(const std::string& folder) { return PartialFolderOf(folder) + "/log"; }
std::string ArchiveFolderOf(const std::string& folder) {
  return PartialFolderOf(folder) + "/archive";
}

Result<std::string> MakePartialFolder(const std::string& folder) {
  std::error_code error;
  const auto is_taken = [&](const std::string& path) {
    return fs::exists(fs::symlink_status(path, error)) ||
           fs::exists(fs::symlink_status(PartialFolderOf(path), error));
  };
  std::string free = folder;
  for (int number = 2; is_taken(free); ++number) free = fmt::format("{}.{}", folder, number);
  fs::create_directories(LogFolderOf(free), error);
  if (error) {
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be created: {}", error.message()),
                PartialFolderOf(free));
  }
  return free;
}

void RemovePartialFolder(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(PartialFolderOf(folder), ignored);
}

Result<void> CompletePartialFolder(const std::string& folder) {
  std::error_code error;
  fs::rename(ArchiveFolderOf(folder), folder, error);
  if (error) {
    return Fail(ErrorCode::kUnreadable,
                fmt::format("cannot be renamed to {}: {}", folder, error.message()),
                ArchiveFolderOf(folder));
  }
  RemovePartialFolder(folder);
  return {};
}

}  // namespace syncline::mpi
