#include "trace/file_team.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace syncline {
namespace {

FileTeam* file_team_of_this_run = nullptr;

// A descriptor of this process, as standard input is.
bool IsOfThisProcess(const std::string& path) {
  return path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/");
}

std::optional<uint64_t> SizeOf(const std::string& path) {
  std::error_code missing;
  const uint64_t size = std::filesystem::file_size(path, missing);
  return missing ? std::nullopt : std::optional(size);
}

}  // namespace

DealtFile::DealtFile(std::string path) : path_(std::move(path)), size_(SizeOf(path_)) {}

Result<void> DealtFile::Check() const {
  const std::optional<uint64_t> size = SizeOf(path_);
  if (!size || size == size_) return {};
  return Fail(ErrorCode::kUnreadable, "is another file than the first process sees", path_);
}

FileTeam* FileTeamOfThisRun() { return file_team_of_this_run; }
void SetFileTeamOfThisRun(FileTeam* team) { file_team_of_this_run = team; }

std::vector<size_t> DealFiles(std::span<const Input* const> inputs, size_t processes) {
  std::vector<uint64_t> bytes(processes);
  std::vector<size_t> readers;
  for (const Input* input : inputs) {
    const auto least =
        IsOfThisProcess(input->path) ? bytes.begin() : std::ranges::min_element(bytes);
    *least += input->bytes;
    readers.push_back(static_cast<size_t>(least - bytes.begin()));
  }
  return readers;
}

}  // namespace syncline
