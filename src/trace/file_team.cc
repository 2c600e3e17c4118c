#include "trace/file_team.h"

#include <algorithm>

namespace syncline {
namespace {

FileTeam* file_team_of_this_run = nullptr;

// A descriptor of this process, as standard input is.
bool IsOfThisProcess(const std::string& path) {
  return path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/");
}

}  // namespace

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
