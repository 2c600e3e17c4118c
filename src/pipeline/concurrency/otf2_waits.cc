#include "pipeline/concurrency/otf2_waits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "read/otf2/record_types.h"
#include "trace/kept_archive.h"

namespace syncline {
namespace {

// Besides those of collectives.
constexpr auto kWaitingCalls = std::to_array<std::string_view>(
    {"recv", "mrecv", "sendrecv", "sendrecv_replace", "probe", "mprobe", "wait", "waitall",
     "waitany", "waitsome", "neighbor_alltoall", "neighbor_allgather"});

template <size_t N>
bool IsIn(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// "MPI_Recv", "PMPI_Recv", Fortran's "mpi_recv_".
bool IsWaitingCall(std::string_view region) {
  std::string name(region);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.starts_with("pmpi_")) name.erase(0, 1);
  if (!name.starts_with("mpi_")) return false;
  name.erase(0, 4);
  while (name.ends_with('_')) name.pop_back();
  return IsIn(kWaitingCalls, name) || IsIn(kOtf2CollectiveNames, name);
}

// One location: the outermost waiting calls.
Result<std::vector<WaitSpan>> WaitsOf(const Otf2Archive& archive, ProcessId process,
                                      const std::vector<bool>& waits) {
  SYNCLINE_ASSIGN(auto cursor, archive.OpenLocation(process));
  std::vector<WaitSpan> spans;
  uint64_t depth = 0;  // of waiting calls
  bool has_sent = false;
  while (const Event* event = cursor.Next()) {
    const bool is_send =
        event->kind == EventKind::kSend || event->kind == EventKind::kCollectiveBegin;
    if (is_send && depth > 0 && !std::exchange(has_sent, true)) spans.back().begin = cursor.index();
    const bool is_region = event->kind == EventKind::kEnter || event->kind == EventKind::kLeave;
    if (!is_region || !waits[event->name]) continue;
    if (event->kind == EventKind::kEnter) {
      if (depth++ > 0) continue;
      spans.push_back({cursor.index(), UINT64_MAX});
      has_sent = false;
    } else if (depth > 0 && --depth == 0) {
      spans.back().end = cursor.index();
    }
  }
  if (cursor.error()) return tl::unexpected(*cursor.error());
  return spans;
}

}  // namespace

Result<std::vector<std::vector<WaitSpan>>> Otf2WaitsOf(const LoadedInput& input,
                                                       const std::vector<bool>& is_here) {
  const Otf2Archive& archive = ArchiveOf(input).archive;
  std::vector<bool> waits;
  for (const std::string& name : archive.names()) waits.push_back(IsWaitingCall(name));
  std::vector<Result<std::vector<WaitSpan>>> read(input.processes.size());
  ForEachParallel(read.size(), [&](size_t i) {
    if (!is_here[input.processes[i].index()]) return;
    read[i] = WaitsOf(archive, ProcessId(static_cast<uint32_t>(i)), waits);
  });
  std::vector<std::vector<WaitSpan>> spans;
  for (auto& of_process : read) {
    if (!of_process) return tl::unexpected(of_process.error());
    spans.push_back(std::move(*of_process));
  }
  return spans;
}

}  // namespace syncline
