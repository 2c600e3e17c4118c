#include "simulate/otf2_trace_writer.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <otf2/otf2.h>

#include "base/check.h"
#include "base/output_folder.h"
#include "base/try.h"
#include "write/otf2/archive_output.h"
#include "write/otf2/new_archive.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr OTF2_CommRef kWorld = 0;
constexpr OTF2_SystemTreeNodeRef kMachine = 0;

OTF2_CollectiveOp CollectiveOpOf(Name kind) {
  // From kBarrier on.
  constexpr std::array<OTF2_CollectiveOp, kCollectiveKinds> kOperations = {
      OTF2_COLLECTIVE_OP_BARRIER,   OTF2_COLLECTIVE_OP_BCAST,     OTF2_COLLECTIVE_OP_REDUCE,
      OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_COLLECTIVE_OP_SCAN,      OTF2_COLLECTIVE_OP_SCATTER,
      OTF2_COLLECTIVE_OP_GATHER,    OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_COLLECTIVE_OP_ALLTOALL};
  return kOperations[static_cast<size_t>(kind) - static_cast<size_t>(Name::kBarrier)];
}

OTF2_RegionRole RoleOf(Name name) {
  // From kMpiBarrier on.
  constexpr std::array<OTF2_RegionRole, kCollectiveKinds> kRoles = {
      OTF2_REGION_ROLE_BARRIER,      OTF2_REGION_ROLE_COLL_ONE2ALL, OTF2_REGION_ROLE_COLL_ALL2ONE,
      OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_REGION_ROLE_COLL_OTHER,   OTF2_REGION_ROLE_COLL_ONE2ALL,
      OTF2_REGION_ROLE_COLL_ALL2ONE, OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_REGION_ROLE_COLL_ALL2ALL};
  if (name < Name::kMpiSend) return OTF2_REGION_ROLE_CODE;
  if (name < Name::kMpiBarrier) return OTF2_REGION_ROLE_POINT2POINT;
  return kRoles[static_cast<size_t>(name) - static_cast<size_t>(Name::kMpiBarrier)];
}

class Archive {
 public:
  Archive(OutputFolder output, const TraceSet& traces, std::span<const std::string> names)
      : output_(std::move(output)),
        traces_(traces),
        names_(names.begin(), names.end()),
        last_ns_(traces.processes.size(), 0) {
    for (uint32_t n = 0; n < names_.size(); ++n) {
      regions_.push_back(region_names_.size());
      if (IsRegion(static_cast<Name>(n))) region_names_.push_back(static_cast<Name>(n));
    }
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  Result<void> Open() {
    SYNCLINE_ASSIGN(auto archive,
                    otf2_write::NewArchive::Create(output_.place(), "syncline simulate"));
    archive_ = std::move(archive);
    for (uint64_t p = 0; p < traces_.processes.size(); ++p) {
      writers_.push_back(archive_->BeginLocation(p));
    }
    return archive_->Outcome();
  }

  Result<void> Write(const SimulatedEvent& simulated) {
    const Event& event = simulated.event;
    const size_t process = event.process.index();
    const Clock& clock = traces_.clocks[traces_.processes[process].clock.index()];
    const int64_t ns = clock.NominalNs(event.time);
    if (ns < 0) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("clock {} shows {} ns, and OTF2 knows no negative times: a later "
                              "--start keeps them positive",
                              clock.name, ns));
    }
    if (ns < last_ns_[process]) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("clock {} steps back, which OTF2 cannot hold", clock.name));
    }
    last_ns_[process] = ns;
    const auto time = static_cast<uint64_t>(ns);
    first_ns_ = std::min(first_ns_, time);
    latest_ns_ = std::max(latest_ns_, time);
    archive_->Put([&] { return Put(writers_[process], simulated, time); });
    return archive_->Outcome();
  }

  Result<OutputFolder> Finish() {
    for (uint64_t p = 0; p < writers_.size(); ++p) archive_->EndLocation(p, writers_[p]);
    OTF2_GlobalDefWriter* definitions = archive_->BeginDefinitions();
    if (definitions != nullptr) WriteDefinitions(definitions);
    SYNCLINE_TRY(archive_->Outcome());
    SYNCLINE_TRY(archive_->Finish());
    archive_.reset();
    return std::move(output_);
  }

 private:
  static bool IsRegion(Name name) {
    return name != Name::kNone && (name < Name::kWorld || name > Name::kAlltoall);
  }
  OTF2_RegionRef RegionOf(uint32_t name) const {
    return static_cast<OTF2_RegionRef>(regions_[name]);
  }

  OTF2_ErrorCode Put(OTF2_EvtWriter* writer, const SimulatedEvent& simulated, uint64_t time) const {
    const Event& event = simulated.event;
    switch (event.kind) {
      case EventKind::kEnter:
        return OTF2_EvtWriter_Enter(writer, nullptr, time, RegionOf(event.name));
      case EventKind::kLeave:
        return OTF2_EvtWriter_Leave(writer, nullptr, time, RegionOf(event.name));
      case EventKind::kSend:
        return OTF2_EvtWriter_MpiSend(writer, nullptr, time, event.peer.value, kWorld, 0,
                                      event.bytes);
      case EventKind::kReceive:
        return OTF2_EvtWriter_MpiRecv(writer, nullptr, time, event.peer.value, kWorld, 0,
                                      event.bytes);
      case EventKind::kCollectiveBegin:
        return OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, time);
      case EventKind::kCollectiveEnd:
        return OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, time,
                                               CollectiveOpOf(static_cast<Name>(event.name)),
                                               kWorld, simulated.root, 0, 0);
      case EventKind::kBroadcast:
      case EventKind::kBlock:
      case EventKind::kMark: break;
    }
    // With Detail::kCalls no other kind is recorded.
    SYNCLINE_CHECK(false);
    return OTF2_ERROR_INVALID_ARGUMENT;
  }

  void WriteDefinitions(OTF2_GlobalDefWriter* definitions) {
    const uint64_t first = std::min(first_ns_, latest_ns_);
    archive_->DefineClock(first, latest_ns_, OTF2_UNDEFINED_TIMESTAMP);
    WriteRegions(definitions);
    WriteLocations(definitions);
    archive_->DefineMpi();
    std::vector<uint64_t> members(traces_.processes.size());
    for (uint64_t p = 0; p < members.size(); ++p) members[p] = p;
    archive_->DefineCommunicator(kWorld, "MPI_COMM_WORLD", members);
  }

  void WriteRegions(OTF2_GlobalDefWriter* definitions) {
    const OTF2_StringRef empty = archive_->String("");
    for (const Name name : region_names_) {
      const auto number = static_cast<uint32_t>(name);
      const OTF2_StringRef text = archive_->String(names_[number]);
      archive_->Check(OTF2_GlobalDefWriter_WriteRegion(
          definitions, RegionOf(number), text, text, empty, RoleOf(name),
          name >= Name::kMpiSend ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
          empty, 0, 0));
    }
  }

  void WriteLocations(OTF2_GlobalDefWriter* definitions) {
    const auto define_node = [&](OTF2_SystemTreeNodeRef number, std::string_view name,
                                 OTF2_StringRef kind, OTF2_SystemTreeNodeRef parent) {
      archive_->Check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
          definitions, number, archive_->String(name), kind, parent));
    };
    define_node(kMachine, "simulation", archive_->String("machine"),
                OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    const OTF2_StringRef node = archive_->String("node");
    for (uint32_t p = 0; p < traces_.processes.size(); ++p) {
      const Process& process = traces_.processes[p];
      const std::string& clock = traces_.clocks[process.clock.index()].name;
      define_node(kMachine + 1 + p, clock, node, kMachine);
      archive_->DefineLocation(p, process.name, clock, kMachine + 1 + p);
    }
  }

  OutputFolder output_;  // longer than what writes into it
  TraceSet traces_;
  std::vector<std::string> names_;
  std::vector<Name> region_names_;  // by number of the region
  std::vector<size_t> regions_;     // the region of each name that is one
  std::unique_ptr<otf2_write::NewArchive> archive_;
  std::vector<OTF2_EvtWriter*> writers_;  // by process; the archive owns them
  std::vector<int64_t> last_ns_;          // by process
  uint64_t first_ns_ = UINT64_MAX;
  uint64_t latest_ns_ = 0;
};

// What an earlier run wrote, and nothing else.
bool HoldsOnlyAnArchive(const std::string& folder) {
  constexpr const char* kArchive = "traces";
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!otf2_write::IsPartOf(kArchive, entry.path().filename().string())) return false;
  }
  return !error && !otf2_write::ForeignPart(folder, kArchive);
}

}  // namespace

bool HasOtf2Writer() { return true; }

Result<OutputFolder> WriteOtf2Trace(Simulation& simulation, const std::string& folder,
                                    IfExists if_exists) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (if_exists == IfExists::kFail) {
      return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", folder);
    }
    if (!HoldsOnlyAnArchive(folder)) {
      return Fail(ErrorCode::kUsage, "holds something else than an archive: not replaced", folder);
    }
  }
  SYNCLINE_ASSIGN(auto output, OutputFolder::Create(folder, if_exists));
  Archive archive(std::move(output), simulation.traces(), simulation.names());
  SYNCLINE_TRY(archive.Open());
  while (const SimulatedEvent* next = simulation.Next()) SYNCLINE_TRY(archive.Write(*next));
  return archive.Finish();
}

}  // namespace syncline
