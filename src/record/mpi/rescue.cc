// syncline_mpi_rescue FOLDER: makes the archive of a recorded run that did not get to its end.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "record/mpi/archive_writer.h"
#include "record/mpi/partial_folder.h"

namespace syncline::mpi {
namespace {

namespace fs = std::filesystem;

Result<RankDefinitions> ReadDefinitions(const std::string& log_folder, uint32_t rank) {
  const std::string path = fmt::format("{}/{}", log_folder, DefinitionsName(rank));
  std::ifstream file(path);
  if (!file) return Fail(ErrorCode::kUnreadable, "cannot be read", path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return ParseDefinitions(text, path);
}

Result<std::vector<RankDefinitions>> ReadProcesses(const std::string& log_folder) {
  std::vector<RankDefinitions> processes;
  for (uint32_t rank = 0, ranks = 1; rank < ranks; ++rank) {
    SYNCLINE_ASSIGN(auto process, ReadDefinitions(log_folder, rank));
    SYNCLINE_ASSIGN(process.threads, CountThreads(log_folder, rank));
    ranks = process.ranks;
    processes.push_back(std::move(process));
  }
  return processes;
}

Result<ArchiveCounts> Rescue(const std::string& folder) {
  std::error_code error;
  const bool exists = fs::exists(folder, error);
  if (error) return Fail(ErrorCode::kUnreadable, error.message(), folder);
  if (exists) return Fail(ErrorCode::kUsage, "exists already", folder);
  const std::string log_folder = LogFolderOf(folder);
  SYNCLINE_ASSIGN(auto processes, ReadProcesses(log_folder));
  const std::string archive = ArchiveFolderOf(folder);
  fs::remove_all(archive, error);
  fs::create_directory(archive, error);
  if (error) return Fail(ErrorCode::kUnreadable, error.message(), archive);
  std::vector<uint32_t> ranks(processes.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  SYNCLINE_ASSIGN(auto counts,
                  WriteArchive({.folder = archive,
                                .log_folder = log_folder,
                                .processes = processes,
                                .own_ranks = ranks,
                                .set_collectives = OTF2_Archive_SetSerialCollectiveCallbacks}));
  SYNCLINE_TRY(CompletePartialFolder(folder));
  return counts;
}

}  // namespace
}  // namespace syncline::mpi

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("syncline_mpi_rescue FOLDER: makes the archive FOLDER of FOLDER.partial\n", stderr);
    return 1;
  }
  std::string folder = argv[1];
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  const auto counts = syncline::mpi::Rescue(folder);
  if (!counts) {
    const std::string line = fmt::format("syncline_mpi_rescue: {}\n", counts.error().ToString());
    std::fputs(line.c_str(), stderr);
    return 2;
  }
  const std::string line = fmt::format("{} events in {}/traces.otf2; {} left out\n", counts->events,
                                       folder, counts->left_out);
  std::fputs(line.c_str(), stdout);
  return 0;
}
