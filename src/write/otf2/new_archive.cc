#include "write/otf2/new_archive.h"

#include <numeric>
#include <utility>

#include "base/try.h"
#include "write/otf2/archive_writer.h"

namespace syncline::otf2_write {
namespace {

constexpr const char* kArchiveName = "traces";
constexpr uint64_t kChunkBytes = uint64_t{1} << 18;  // the smallest that OTF2 allows
// Of ranks; communicators have the groups after it.
constexpr OTF2_GroupRef kLocationsGroup = 0;

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

}  // namespace

Result<std::unique_ptr<NewArchive>> NewArchive::Create(const std::string& folder,
                                                       const std::string& creator) {
  std::unique_ptr<NewArchive> archive(new NewArchive(folder));
  SYNCLINE_TRY(archive->Open(creator));
  return archive;
}

NewArchive::~NewArchive() {
  if (archive_ != nullptr && !HasFailed()) OTF2_Archive_Close(archive_);
}

Result<void> NewArchive::Open(const std::string& creator) {
  archive_ = OTF2_Archive_Open(folder_.c_str(), kArchiveName, OTF2_FILEMODE_WRITE, kChunkBytes,
                               OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                               OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr) {
    Check(OTF2_ERROR_FILE_INTERACTION);
    return Outcome();
  }
  Check(OTF2_Archive_SetFlushCallbacks(archive_, &kAlwaysFlush, nullptr));
  static const OTF2_MemoryCallbacks kMemory = {AllocateChunk, FreeChunks};
  Check(OTF2_Archive_SetMemoryCallbacks(archive_, &kMemory, nullptr));
  Check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  Check(OTF2_Archive_SetCreator(archive_, creator.c_str()));
  Check(OTF2_Archive_OpenEvtFiles(archive_));
  return Outcome();
}

Result<void> NewArchive::Outcome() {
  HasFailed();
  auto outcome = errors_.Check(code_, "cannot write the archive", folder_);
  if (outcome) return {};
  Error error = outcome.error();
  error.code = ErrorCode::kUnreadable;
  return tl::unexpected(error);
}

OTF2_EvtWriter* NewArchive::BeginLocation(uint64_t location) {
  if (HasFailed()) return nullptr;
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, location);
  if (writer == nullptr) Check(OTF2_ERROR_FILE_INTERACTION);
  return writer;
}

void NewArchive::EndLocation(uint64_t location, OTF2_EvtWriter* writer) {
  if (HasFailed()) return;
  if (events_.size() <= location) events_.resize(location + 1);
  Check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events_[location]));
  Check(OTF2_Archive_CloseEvtWriter(archive_, writer));
}

OTF2_GlobalDefWriter* NewArchive::BeginDefinitions() {
  if (HasFailed()) return nullptr;
  Check(OTF2_Archive_CloseEvtFiles(archive_));
  WriteLocalDefinitions();
  definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (definitions_ == nullptr) {
    Check(OTF2_ERROR_FILE_INTERACTION);
    return nullptr;
  }
  empty_ = String("");
  return definitions_;
}

// Readers expect a file for every location, even without records.
void NewArchive::WriteLocalDefinitions() {
  Check(OTF2_Archive_OpenDefFiles(archive_));
  for (uint64_t location = 0; location < events_.size(); ++location) {
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, location);
    Check(writer == nullptr ? OTF2_ERROR_FILE_INTERACTION
                            : OTF2_Archive_CloseDefWriter(archive_, writer));
  }
  Check(OTF2_Archive_CloseDefFiles(archive_));
}

OTF2_StringRef NewArchive::String(std::string_view text) {
  Check(OTF2_GlobalDefWriter_WriteString(definitions_, strings_, std::string(text).c_str()));
  return strings_++;
}

void NewArchive::DefineClock(uint64_t first_ns, uint64_t last_ns, uint64_t realtime_ns) {
  Check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000, first_ns,
                                                  last_ns - first_ns, realtime_ns));
}

void NewArchive::DefineLocation(uint64_t location, std::string_view name, std::string_view group,
                                OTF2_SystemTreeNodeRef node) {
  const auto number = static_cast<OTF2_LocationGroupRef>(location);
  Check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, number, String(group),
                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                                                OTF2_UNDEFINED_LOCATION_GROUP));
  Check(OTF2_GlobalDefWriter_WriteLocation(definitions_, location, String(name),
                                           OTF2_LOCATION_TYPE_CPU_THREAD, events_[location],
                                           number));
}

void NewArchive::DefineMpi() {
  Check(OTF2_GlobalDefWriter_WriteParadigm(definitions_, OTF2_PARADIGM_MPI, String("MPI"),
                                           OTF2_PARADIGM_CLASS_PROCESS));
  std::vector<uint64_t> all(events_.size());
  std::iota(all.begin(), all.end(), uint64_t{0});
  Check(OTF2_GlobalDefWriter_WriteGroup(
      definitions_, kLocationsGroup, empty_, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
      OTF2_GROUP_FLAG_NONE, static_cast<uint32_t>(all.size()), all.data()));
}

void NewArchive::DefineCommunicator(OTF2_CommRef number, std::string_view name,
                                    std::span<const uint64_t> members) {
  const OTF2_GroupRef group = kLocationsGroup + 1 + number;
  Check(OTF2_GlobalDefWriter_WriteGroup(definitions_, group, empty_, OTF2_GROUP_TYPE_COMM_GROUP,
                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                        static_cast<uint32_t>(members.size()), members.data()));
  Check(OTF2_GlobalDefWriter_WriteComm(definitions_, number, String(name), group,
                                       OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

Result<void> NewArchive::Finish() {
  Check(OTF2_Archive_CloseGlobalDefWriter(archive_, definitions_));
  SYNCLINE_TRY(Outcome());
  Check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
  return Outcome();
}

}  // namespace syncline::otf2_write
