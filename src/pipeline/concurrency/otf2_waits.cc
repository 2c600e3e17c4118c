#include "pipeline/concurrency/otf2_waits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "trace/kept_archive.h"

namespace syncline {
namespace {

constexpr std::array<std::string_view, 29> kWaitingCalls = {"recv",
                                                            "mrecv",
                                                            "sendrecv",
                                                            "sendrecv_replace",
                                                            "probe",
                                                            "mprobe",
                                                            "wait",
                                                            "waitall",
                                                            "waitany",
                                                            "waitsome",
                                                            "barrier",
                                                            "bcast",
                                                            "reduce",
                                                            "allreduce",
                                                            "gather",
                                                            "gatherv",
                                                            "scatter",
                                                            "scatterv",
                                                            "allgather",
                                                            "allgatherv",
                                                            "alltoall",
                                                            "alltoallv",
                                                            "alltoallw",
                                                            "reduce_scatter",
                                                            "scan",
                                                            "exscan",
                                                            "reduce_scatter_block",
                                                            "neighbor_alltoall",
                                                            "neighbor_allgather"};

// "MPI_Recv", "PMPI_Recv", Fortran's "mpi_recv_".
bool IsWaitingCall(std::string_view region) {
  std::string name(region);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.starts_with("pmpi_")) name.erase(0, 1);
  if (!name.starts_with("mpi_")) return false;
  name.erase(0, 4);
  while (name.ends_with('_')) name.pop_back();
  return std::ranges::find(kWaitingCalls, name) != kWaitingCalls.end();
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
