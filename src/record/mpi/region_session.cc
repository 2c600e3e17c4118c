#include <array>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "record/mpi/regions_report.h"
#include "record/mpi/session.h"

namespace syncline::mpi {
namespace {

bool WriteFile(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && is_written;
}

// MPI 4 has calls that send and are not recorded (MPI_Send_c, MPI_Isendrecv): what receives would
// take their data for a stamp.
bool RecordsAllCalls() {
  int version = 0;
  int subversion = 0;
  PMPI_Get_version(&version, &subversion);
  return version < 4;
}

// Empty where it can.
const char* WhyNot(int thread_level) {
  if (thread_level > MPI_THREAD_FUNNELED) return "several threads may call MPI";
  return RecordsAllCalls() ? "" : "this MPI has calls that are not recorded";
}

}  // namespace

std::string BeginRegions(Recorder& recorder, bool is_wanted, int thread_level,
                         MPI_Comm communicator) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &size);
  const std::string why_not = WhyNot(thread_level);
  const int can = is_wanted && why_not.empty() ? 1 : 0;
  int can_all = 0;
  PMPI_Allreduce(&can, &can_all, 1, MPI_INT, MPI_MIN, communicator);
  if (can_all != 0) {
    recorder.regions().Begin(static_cast<uint32_t>(rank), static_cast<uint32_t>(size));
    return "";
  }
  if (!is_wanted) return "";
  return fmt::format("no region clocks are kept: {}",
                     why_not.empty() ? "not all processes ask for them" : why_not);
}

void EndRegions(Recorder& recorder) {
  recorder.shared_stamps().Finish();
  recorder.regions().End();
}

std::string WriteRegions(const Recorder& recorder, const std::string& folder,
                         MPI_Comm communicator) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &size);
  const Regions::Totals own = recorder.regions().totals();
  constexpr int kWords = 4;
  const std::array<int64_t, kWords> words = {own.computed_ns, own.delayed_ns, own.height_ns,
                                             static_cast<int64_t>(recorder.regions().refused())};
  std::vector<std::array<int64_t, kWords>> all(rank == 0 ? static_cast<size_t>(size) : 0);
  PMPI_Gather(words.data(), kWords, MPI_INT64_T, all.data(), kWords, MPI_INT64_T, 0, communicator);
  if (rank != 0) return "";
  std::vector<ProcessTotals> ranks;
  int64_t refused = 0;
  for (const auto& [computed, delayed, height, of_rank] : all) {
    ranks.push_back({.computed_ns = computed, .delayed_ns = delayed, .height_ns = height});
    refused += of_rank;
  }
  const bool is_written =
      WriteFile(fmt::format("{}/concurrency.json", folder), RegionsToJson(ranks)) &&
      WriteFile(fmt::format("{}/concurrency.txt", folder), RegionsToText(ranks));
  if (!is_written) return fmt::format("{}: the measures of concurrency cannot be written", folder);
  if (refused == 0) return "";
  return fmt::format("{} messages carried no stamp of this run's: the measures are wrong", refused);
}

}  // namespace syncline::mpi
