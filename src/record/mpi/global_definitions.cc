
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "syncline/result.h"

#include "base/int128.h"
#include "record/mpi/archive_writer.h"
#include "record/mpi/call_list.h"
#include "record/mpi/clock_line.h"
#include "record/mpi/clock_source.h"

namespace syncline::mpi {
namespace {

constexpr OTF2_GroupRef kAllRanks = 0;
constexpr OTF2_SystemTreeNodeRef kRoot = 0;

// All processes' times by rank 0's clock, as far as the exchanges tell.
struct TimeSpan {
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
};

uint64_t Plus(uint64_t ticks, int64_t added) {
  const Int128 sum = static_cast<Int128>(ticks) + added;
  return static_cast<uint64_t>(std::clamp<Int128>(sum, 0, UINT64_MAX));
}

TimeSpan SpanOf(std::span<const RankDefinitions> processes) {
  TimeSpan span;
  for (const RankDefinitions& process : processes) {
    const auto [begin, end] = ClockLine(process.offsets, TicksPerSecondOf(processes));
    for (const ThreadDefinition& thread : process.threads) {
      if (thread.events == 0) continue;
      span.first = std::min(span.first, Plus(thread.first, begin.added));
      span.last = std::max(span.last, Plus(thread.last, end.added));
    }
  }
  if (span.first > span.last) span = {0, 0};
  return span;
}

class Writer {
 public:
  Writer(OTF2_GlobalDefWriter* writer, std::span<const RankDefinitions> processes)
      : writer_(writer), processes_(processes) {}

  OTF2_ErrorCode Write(const GlobalCommunicators& communicators) {
    empty_ = String("");
    WriteClock();
    WriteProcesses();
    WriteRegions();
    WriteCommunicators(communicators);
    return error_;
  }

 private:
  OTF2_StringRef String(const std::string& text) {
    const auto next = static_cast<OTF2_StringRef>(strings_.size());
    const auto [it, is_new] = strings_.try_emplace(text, next);
    if (is_new) Note(OTF2_GlobalDefWriter_WriteString(writer_, next, text.c_str()));
    return it->second;
  }
  void Note(OTF2_ErrorCode code) {
    if (error_ == OTF2_SUCCESS) error_ = code;
  }

  void WriteClock() {
    const uint64_t per_second = TicksPerSecondOf(processes_);
    const TimeSpan span = SpanOf(processes_);
    const TimePoint& start = processes_.front().times.front();
    const Int128 since = static_cast<Int128>(span.first) - static_cast<Int128>(start.ticks);
    const Int128 epoch =
        static_cast<Int128>(start.epoch_ns) + since * kNanosecondsPerSecond / per_second;
    Note(OTF2_GlobalDefWriter_WriteClockProperties(
        writer_, per_second, span.first, span.last - span.first + 1,
        static_cast<uint64_t>(std::clamp<Int128>(epoch, 0, INT64_MAX))));
  }

  void WriteProcesses() {
    const OTF2_StringRef node_class = String("node");
    Note(OTF2_GlobalDefWriter_WriteSystemTreeNode(
        writer_, kRoot, String("machine"), String("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (const RankDefinitions& process : processes_) {
      const auto next = static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1);
      const auto [host, is_new] = hosts.try_emplace(process.host, next);
      if (is_new) {
        Note(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, next, String(process.host),
                                                      node_class, kRoot));
        Note(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer_, next,
                                                            OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
      }
      WriteProcess(process, host->second);
    }
  }

  void WriteProcess(const RankDefinitions& process, OTF2_SystemTreeNodeRef host) {
    Note(OTF2_GlobalDefWriter_WriteLocationGroup(
        writer_, process.rank, String(fmt::format("rank{}", process.rank)),
        OTF2_LOCATION_GROUP_TYPE_PROCESS, host, OTF2_UNDEFINED_LOCATION_GROUP));
    for (size_t thread = 0; thread < process.threads.size(); ++thread) {
      const std::string name = thread == 0 ? "first thread" : fmt::format("thread {}", thread + 1);
      Note(OTF2_GlobalDefWriter_WriteLocation(writer_, LocationOf(process.rank, thread),
                                              String(name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                              process.threads[thread].events, process.rank));
    }
  }

  void WriteRegions() {
    for (uint32_t i = 0; i < static_cast<uint32_t>(Call::kCount); ++i) {
      const OTF2_StringRef name = String(NameOf(static_cast<Call>(i)));
      Note(OTF2_GlobalDefWriter_WriteRegion(writer_, i, name, name, empty_,
                                            RoleOf(static_cast<Call>(i)), OTF2_PARADIGM_MPI,
                                            OTF2_REGION_FLAG_NONE, empty_, 0, 0));
    }
  }

  void WriteCommunicators(const GlobalCommunicators& communicators) {
    std::vector<uint64_t> ranks;
    for (const RankDefinitions& process : processes_) ranks.push_back(LocationOf(process.rank, 0));
    WriteGroup(kAllRanks, OTF2_GROUP_TYPE_COMM_LOCATIONS, ranks);
    OTF2_GroupRef group = kAllRanks + 1;
    for (const CommunicatorDefinition& communicator : communicators.all) {
      const auto self = static_cast<OTF2_CommRef>(communicator.number);
      const OTF2_StringRef name = String(communicator.name);
      const OTF2_GroupRef members = group++;
      WriteGroup(members, OTF2_GROUP_TYPE_COMM_GROUP,
                 {communicator.members.begin(), communicator.members.end()});
      if (communicator.remote.empty()) {
        Note(OTF2_GlobalDefWriter_WriteComm(writer_, self, name, members, OTF2_UNDEFINED_COMM,
                                            OTF2_COMM_FLAG_NONE));
        continue;
      }
      const OTF2_GroupRef remote = group++;
      WriteGroup(remote, OTF2_GROUP_TYPE_COMM_GROUP,
                 {communicator.remote.begin(), communicator.remote.end()});
      Note(OTF2_GlobalDefWriter_WriteInterComm(writer_, self, name, members, remote,
                                               OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
  }

  void WriteGroup(OTF2_GroupRef self, OTF2_GroupType type, const std::vector<uint64_t>& members) {
    Note(OTF2_GlobalDefWriter_WriteGroup(writer_, self, empty_, type, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE,
                                         static_cast<uint32_t>(members.size()), members.data()));
  }

  OTF2_GlobalDefWriter* writer_;
  std::span<const RankDefinitions> processes_;
  std::map<std::string, OTF2_StringRef> strings_;
  OTF2_StringRef empty_ = 0;
  OTF2_ErrorCode error_ = OTF2_SUCCESS;
};

}  // namespace

OTF2_ErrorCode WriteGlobalDefinitions(OTF2_GlobalDefWriter* writer,
                                      std::span<const RankDefinitions> processes,
                                      const GlobalCommunicators& communicators) {
  if (writer == nullptr) return OTF2_ERROR_PROCESSED_WITH_FAULTS;
  return Writer(writer, processes).Write(communicators);
}

uint64_t TicksPerSecondOf(std::span<const RankDefinitions> processes) {
  const RankDefinitions& root = processes.front();
  return TicksPerSecond(root.times, root.clock == NameOf(ClockSource::kCounter));
}

}  // namespace syncline::mpi
