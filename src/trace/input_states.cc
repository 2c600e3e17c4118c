#include "trace/input_states.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include <sys/stat.h>

namespace syncline {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FilesOf(const Input& input) {
  std::vector<std::string> files;
  const auto add_folder = [&](const fs::path& folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->is_regular_file(error)) files.push_back(entry->path().string());
    }
  };
  std::error_code error;
  if (fs::is_directory(input.path, error)) {
    add_folder(input.path);
    return files;
  }
  files.push_back(input.path);
  if (input.format == Format::kOtf2) {
    files.push_back(fs::path(input.path).replace_extension(".def").string());
    add_folder(fs::path(input.path).replace_extension(""));
  }
  return files;
}

}  // namespace

InputStates::InputStates(std::span<const Input> inputs) {
  for (const Input& input : inputs) {
    for (const std::string& file : FilesOf(input)) {
      struct stat found = {};
      // A pipe has no state that lasts.
      if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
      states_[file] = {found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                       found.st_mtim.tv_nsec};
    }
  }
}

Result<void> InputStates::CheckUnchanged() const {
  for (const auto& [file, state] : states_) {
    struct stat now = {};
    const bool is_there = ::stat(file.c_str(), &now) == 0;
    const State found = {now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec,
                         now.st_mtim.tv_nsec};
    if (is_there && found == state) continue;
    return Fail(ErrorCode::kMalformed,
                is_there ? "has changed while it was read: nothing is written"
                         : "has disappeared while it was read: nothing is written",
                file);
  }
  return {};
}

}  // namespace syncline
