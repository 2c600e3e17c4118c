#include "simulate/otf2_trace_writer.h"

#include <algorithm>
#include <cstdarg>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include "base/check.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kArchiveName = "traces";
constexpr uint64_t kChunkBytes = uint64_t{1} << 18;  // the smallest that OTF2 allows
// Numbers of definitions.
constexpr OTF2_GroupRef kLocationsGroup = 0;
constexpr OTF2_GroupRef kWorldGroup = 1;
constexpr OTF2_CommRef kWorld = 0;
constexpr OTF2_SystemTreeNodeRef kMachine = 0;

OTF2_FlushType FlushAlways(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                           void* /*caller*/, bool /*is_final*/) {
  return OTF2_FLUSH;
}

// The memory of one writer. The library's own goes up to 128 MiB for every process before it
// writes; here a full chunk of events is written at once, and used again.
struct WriterMemory {
  std::vector<std::vector<char>> chunks;
  size_t used = 0;
};

void* AllocateChunk(void* /*data*/, OTF2_FileType type, OTF2_LocationRef /*location*/,
                    void** of_writer, uint64_t size) {
  if (*of_writer == nullptr) *of_writer = new WriterMemory;
  auto& memory = *static_cast<WriterMemory*>(*of_writer);
  if (type == OTF2_FILETYPE_EVENTS && memory.used == 1) return nullptr;
  if (memory.used == memory.chunks.size()) memory.chunks.emplace_back(size);
  return memory.chunks[memory.used++].data();
}

void FreeChunks(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                void** of_writer, bool is_final) {
  auto* memory = static_cast<WriterMemory*>(*of_writer);
  if (memory == nullptr) return;
  memory->used = 0;
  if (!is_final) return;
  delete memory;
  *of_writer = nullptr;
}

// Errors are reported through Result alone.
OTF2_ErrorCode StaySilent(void* /*data*/, const char* /*file*/, uint64_t /*line*/,
                          const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                          va_list /*arguments*/) {
  return code;
}

OTF2_CollectiveOp CollectiveOpOf(Name kind) {
  switch (kind) {
    case Name::kBcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case Name::kReduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case Name::kAllreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Name::kScan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case Name::kScatter:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case Name::kGather:
      return OTF2_COLLECTIVE_OP_GATHER;
    case Name::kAllgather:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case Name::kAlltoall:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    default:
      return OTF2_COLLECTIVE_OP_BARRIER;
  }
}

OTF2_RegionRole RoleOf(Name name) {
  switch (name) {
    case Name::kMpiSend:
    case Name::kMpiRecv:
      return OTF2_REGION_ROLE_POINT2POINT;
    case Name::kMpiBarrier:
      return OTF2_REGION_ROLE_BARRIER;
    case Name::kMpiBcast:
    case Name::kMpiScatter:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case Name::kMpiReduce:
    case Name::kMpiGather:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case Name::kMpiAllreduce:
    case Name::kMpiAllgather:
    case Name::kMpiAlltoall:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case Name::kMpiScan:
      return OTF2_REGION_ROLE_COLL_OTHER;
    default:
      return OTF2_REGION_ROLE_CODE;
  }
}

}  // namespace

class Otf2TraceWriter::Archive {
 public:
  Archive(std::string folder, const TraceSet& traces, std::span<const std::string> names)
      : folder_(std::move(folder)),
        building_(fmt::format("{}.partial-{}", folder_, ::getpid())),
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
  ~Archive() {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
    std::error_code ignored;
    fs::remove_all(building_, ignored);
  }

  Result<void> Open() {
    std::error_code error;
    fs::create_directories(building_, error);
    if (error) {
      return Fail(ErrorCode::kUnreadable, "cannot create the folder: " + error.message(),
                  building_);
    }
    OTF2_Error_RegisterCallback(StaySilent, nullptr);
    archive_ = OTF2_Archive_Open(building_.c_str(), kArchiveName, OTF2_FILEMODE_WRITE, kChunkBytes,
                                 OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                                 OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr)
      return Fail(ErrorCode::kUnreadable, "cannot create the archive", folder_);
    // Without a record of each flush: it would carry a time of the simulating machine.
    static const OTF2_FlushCallbacks kFlush = {FlushAlways, nullptr};
    Check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
    static const OTF2_MemoryCallbacks kMemory = {AllocateChunk, FreeChunks};
    Check(OTF2_Archive_SetMemoryCallbacks(archive_, &kMemory, nullptr));
    Check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    Check(OTF2_Archive_SetCreator(archive_, "syncline simulate"));
    Check(OTF2_Archive_OpenEvtFiles(archive_));
    for (uint64_t p = 0; p < traces_.processes.size(); ++p) {
      writers_.push_back(OTF2_Archive_GetEvtWriter(archive_, p));
      if (writers_.back() == nullptr) Check(OTF2_ERROR_FILE_INTERACTION);
    }
    return Outcome();
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
    Check(Put(writers_[process], simulated, time));
    return Outcome();
  }

  Result<void> Finish() {
    WriteLocalDefinitions();
    WriteGlobalDefinitions();
    if (auto so_far = Outcome(); !so_far) return so_far;
    Check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
    if (auto so_far = Outcome(); !so_far) return so_far;
    std::error_code error;
    fs::remove_all(folder_, error);
    if (!error) fs::rename(building_, folder_, error);
    if (error) return Fail(ErrorCode::kUnreadable, "cannot create: " + error.message(), folder_);
    return {};
  }

 private:
  static bool IsRegion(Name name) {
    return name != Name::kNone && (name < Name::kWorld || name > Name::kAlltoall);
  }
  OTF2_RegionRef RegionOf(uint32_t name) const {
    return static_cast<OTF2_RegionRef>(regions_[name]);
  }

  void Check(OTF2_ErrorCode code) {
    if (code_ == OTF2_SUCCESS) code_ = code;
  }
  Result<void> Outcome() const {
    if (code_ == OTF2_SUCCESS) return {};
    return Fail(ErrorCode::kUnreadable,
                std::string("cannot write the archive: ") + OTF2_Error_GetDescription(code_),
                folder_);
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
      case EventKind::kMark:
        break;
    }
    // With Detail::kCalls no other kind is recorded.
    SYNCLINE_CHECK(false);
    return OTF2_ERROR_INVALID_ARGUMENT;
  }

  // Readers expect a file for every location, even without records.
  void WriteLocalDefinitions() {
    Check(CloseEvents());
    Check(OTF2_Archive_OpenDefFiles(archive_));
    for (uint64_t p = 0; p < traces_.processes.size(); ++p) {
      OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, p);
      Check(writer == nullptr ? OTF2_ERROR_FILE_INTERACTION
                              : OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    Check(OTF2_Archive_CloseDefFiles(archive_));
  }

  OTF2_ErrorCode CloseEvents() {
    for (OTF2_EvtWriter* writer : writers_) {
      uint64_t events = 0;
      Check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
      event_counts_.push_back(events);
      Check(OTF2_Archive_CloseEvtWriter(archive_, writer));
    }
    return OTF2_Archive_CloseEvtFiles(archive_);
  }

  OTF2_StringRef String(std::string_view text) {
    Check(OTF2_GlobalDefWriter_WriteString(definitions_, strings_, std::string(text).c_str()));
    return strings_++;
  }

  void WriteGlobalDefinitions() {
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    if (definitions_ == nullptr) return Check(OTF2_ERROR_FILE_INTERACTION);
    const uint64_t first = std::min(first_ns_, latest_ns_);
    Check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000, first,
                                                    latest_ns_ - first, OTF2_UNDEFINED_TIMESTAMP));
    empty_ = String("");
    Check(OTF2_GlobalDefWriter_WriteParadigm(definitions_, OTF2_PARADIGM_MPI, String("MPI"),
                                             OTF2_PARADIGM_CLASS_PROCESS));
    WriteRegions();
    WriteLocations();
    WriteCommunicator();
    Check(OTF2_Archive_CloseGlobalDefWriter(archive_, definitions_));
  }

  void WriteRegions() {
    for (const Name name : region_names_) {
      const auto number = static_cast<uint32_t>(name);
      const OTF2_StringRef text = String(names_[number]);
      Check(OTF2_GlobalDefWriter_WriteRegion(
          definitions_, RegionOf(number), text, text, empty_, RoleOf(name),
          name >= Name::kMpiSend ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
          empty_, 0, 0));
    }
  }

  void WriteLocations() {
    Check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, kMachine, String("simulation"),
                                                   String("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    const OTF2_StringRef node = String("node");
    for (uint32_t p = 0; p < traces_.processes.size(); ++p) {
      const Process& process = traces_.processes[p];
      const OTF2_StringRef clock = String(traces_.clocks[process.clock.index()].name);
      Check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, kMachine + 1 + p, clock, node,
                                                     kMachine));
      Check(OTF2_GlobalDefWriter_WriteLocationGroup(
          definitions_, p, clock, OTF2_LOCATION_GROUP_TYPE_PROCESS, kMachine + 1 + p,
          OTF2_UNDEFINED_LOCATION_GROUP));
      Check(OTF2_GlobalDefWriter_WriteLocation(definitions_, p, String(process.name),
                                               OTF2_LOCATION_TYPE_CPU_THREAD, event_counts_[p], p));
    }
  }

  void WriteCommunicator() {
    std::vector<uint64_t> members(traces_.processes.size());
    for (uint64_t p = 0; p < members.size(); ++p) members[p] = p;
    const auto size = static_cast<uint32_t>(members.size());
    Check(OTF2_GlobalDefWriter_WriteGroup(definitions_, kLocationsGroup, empty_,
                                          OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, size, members.data()));
    Check(OTF2_GlobalDefWriter_WriteGroup(definitions_, kWorldGroup, empty_,
                                          OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, size, members.data()));
    Check(OTF2_GlobalDefWriter_WriteComm(definitions_, kWorld, String("MPI_COMM_WORLD"),
                                         kWorldGroup, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }

  std::string folder_;
  std::string building_;
  TraceSet traces_;
  std::vector<std::string> names_;
  std::vector<Name> region_names_;  // by number of the region
  std::vector<size_t> regions_;     // the region of each name that is one
  OTF2_Archive* archive_ = nullptr;
  std::vector<OTF2_EvtWriter*> writers_;  // by process; the archive owns them
  std::vector<uint64_t> event_counts_;
  std::vector<int64_t> last_ns_;  // by process
  uint64_t first_ns_ = UINT64_MAX;
  uint64_t latest_ns_ = 0;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  OTF2_StringRef strings_ = 0;
  OTF2_StringRef empty_ = 0;
  OTF2_ErrorCode code_ = OTF2_SUCCESS;
};

bool HasOtf2Writer() { return true; }

Result<Otf2TraceWriter> Otf2TraceWriter::Create(const std::string& folder,
                                                const Simulation& simulation, IfExists if_exists) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (if_exists == IfExists::kFail) {
      return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", folder);
    }
    if (!fs::exists(fs::path(folder) / "traces.otf2", error)) {
      return Fail(ErrorCode::kUsage, "exists and holds no archive, so it is not replaced", folder);
    }
  }
  auto archive = std::make_unique<Archive>(folder, simulation.traces(), simulation.names());
  if (auto opened = archive->Open(); !opened) return tl::unexpected(opened.error());
  return Otf2TraceWriter(std::move(archive));
}

Otf2TraceWriter::Otf2TraceWriter(std::unique_ptr<Archive> archive) : archive_(std::move(archive)) {}
Otf2TraceWriter::Otf2TraceWriter(Otf2TraceWriter&&) noexcept = default;
Otf2TraceWriter::~Otf2TraceWriter() = default;
Result<void> Otf2TraceWriter::Write(const SimulatedEvent& event) { return archive_->Write(event); }
Result<void> Otf2TraceWriter::Finish() { return archive_->Finish(); }

}  // namespace syncline
