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

Result<void> MakePartialFolder(const std::string& folder) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error)))
    return Fail(ErrorCode::kUsage, "exists already", folder);
  const std::string partial = PartialFolderOf(folder);
  if (fs::exists(fs::symlink_status(partial, error))) {
    return Fail(ErrorCode::kUsage,
                fmt::format("holds an earlier run that did not end; remove it, or make the archive "
                            "of it with syncline_mpi_rescue {}",
                            folder),
                partial);
  }
  fs::create_directories(LogFolderOf(folder), error);
  if (error) {
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be created: {}", error.message()),
                partial);
  }
  return {};
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
