#include "record/mpi/archive_writer.h"

#include <algorithm>
#include <cstdarg>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "base/try.h"
#include "record/mpi/clock_line.h"
#include "record/mpi/event_log.h"

namespace syncline::mpi {
namespace {

constexpr const char* kArchiveName = "traces";
constexpr uint64_t kChunkBytes = uint64_t{1} << 20;

// libotf2 crashes when it closes a file that it could not write to, so it is not let write where
// space may run out: all processes may write a block at the same time.
bool HasRoom(const ArchivePlan& plan) {
  constexpr uint64_t kMostWriters = 256;
  struct statvfs system = {};
  if (::statvfs(plan.folder.c_str(), &system) != 0) return true;
  const uint64_t writers = std::min(uint64_t{plan.processes.size()}, kMostWriters);
  return uint64_t{system.f_bavail} * system.f_frsize >= 2 * kChunkBytes * writers;
}

// Errors are reported through Result alone.
OTF2_ErrorCode StaySilent(void* /*data*/, const char* /*file*/, uint64_t /*line*/,
                          const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                          va_list /*arguments*/) {
  return code;
}

OTF2_ErrorCode WriteRecord(OTF2_EvtWriter* writer, const RawEvent& event, uint64_t time,
                           uint32_t communicator) {
  const auto peer = static_cast<uint32_t>(event.peer);
  const auto tag = static_cast<uint32_t>(event.tag);
  const auto region = static_cast<OTF2_RegionRef>(event.call);
  const uint32_t root = event.peer == kNoRoot ? OTF2_UNDEFINED_UINT32 : peer;
  switch (event.kind) {
    case RawKind::kEnter: return OTF2_EvtWriter_Enter(writer, nullptr, time, region);
    case RawKind::kLeave: return OTF2_EvtWriter_Leave(writer, nullptr, time, region);
    case RawKind::kSend:
      return OTF2_EvtWriter_MpiSend(writer, nullptr, time, peer, communicator, tag, event.bytes);
    case RawKind::kImmediateSend:
      return OTF2_EvtWriter_MpiIsend(writer, nullptr, time, peer, communicator, tag, event.bytes,
                                     event.request);
    case RawKind::kSendComplete:
      return OTF2_EvtWriter_MpiIsendComplete(writer, nullptr, time, event.request);
    case RawKind::kReceive:
      return OTF2_EvtWriter_MpiRecv(writer, nullptr, time, peer, communicator, tag, event.bytes);
    case RawKind::kReceivePosted:
      return OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, time, event.request);
    case RawKind::kReceiveComplete:
      return OTF2_EvtWriter_MpiIrecv(writer, nullptr, time, peer, communicator, tag, event.bytes,
                                     event.request);
    case RawKind::kCancelled:
      return OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, time, event.request);
    case RawKind::kCollectiveBegin: return OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, time);
    case RawKind::kCollectiveEnd:
      return OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, time, CollectiveOf(event.call),
                                             communicator, root, event.bytes, event.received);
    case RawKind::kCollectivePosted:
      return OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, time, event.request);
    case RawKind::kCollectiveComplete:
      return OTF2_EvtWriter_NonBlockingCollectiveComplete(
          writer, nullptr, time, CollectiveOf(event.call), communicator, root, event.bytes,
          event.received, event.request);
    case RawKind::kEnd: break;
  }
  return OTF2_SUCCESS;
}

bool HasCommunicator(RawKind kind) {
  return kind == RawKind::kSend || kind == RawKind::kImmediateSend || kind == RawKind::kReceive ||
         kind == RawKind::kReceiveComplete || kind == RawKind::kCollectiveEnd ||
         kind == RawKind::kCollectiveComplete;
}

class ArchiveWriter {
 public:
  explicit ArchiveWriter(const ArchivePlan& plan) : plan_(plan) {}
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;
  ~ArchiveWriter() {
    if (archive_ != nullptr) OTF2_Archive_Close(archive_);
  }

  // All processes go through all steps, whatever goes wrong in one: others would wait for it.
  Result<ArchiveCounts> Write() {
    OTF2_Error_RegisterCallback(StaySilent, nullptr);
    Try([this] { Open(); });
    if (!plan_.all_agree(!problem_)) return Failed();
    Note(plan_.set_collectives(archive_));
    if (!plan_.all_agree(!problem_)) return Failed();
    WriteEvents();
    WriteLocalDefinitions();
    if (plan_.is_master) {
      Try([this] {
        Note(WriteGlobalDefinitions(OTF2_Archive_GetGlobalDefWriter(archive_), plan_.processes,
                                    global_));
      });
    }
    Note(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
    if (problem_) return Failed();
    return counts_;
  }

 private:
  static OTF2_FlushType FlushWhereThereIsRoom(void* data, OTF2_FileType /*type*/,
                                              OTF2_LocationRef /*location*/, void* /*caller*/,
                                              bool /*is_final*/) {
    auto* writer = static_cast<ArchiveWriter*>(data);
    if (!writer->is_full_ && HasRoom(writer->plan_)) return OTF2_FLUSH;
    writer->is_full_ = true;
    if (!writer->problem_) {
      writer->problem_ = Error{ErrorCode::kUnreadable, "cannot be written: the disk is nearly full",
                               writer->plan_.folder};
    }
    return OTF2_NO_FLUSH;
  }

  Result<ArchiveCounts> Failed() const {
    return tl::unexpected(problem_.value_or(
        Error{ErrorCode::kUnreadable, "another process cannot write it", plan_.folder}));
  }

  // What this process does alone.
  template <typename Function>
  void Try(const Function& function) {
    try {
      function();
    } catch (const std::bad_alloc&) {
      if (!problem_) problem_ = Error{ErrorCode::kUnreadable, "no memory is left", plan_.folder};
    }
  }

  void Open() {
    global_ = Unify(plan_.processes);
    archive_ = OTF2_Archive_Open(plan_.folder.c_str(), kArchiveName, OTF2_FILEMODE_WRITE,
                                 kChunkBytes, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr) {
      problem_ = Error{ErrorCode::kUnreadable, "cannot create the archive", plan_.folder};
      return;
    }
    static const OTF2_FlushCallbacks kFlush = {.otf2_pre_flush = FlushWhereThereIsRoom,
                                               .otf2_post_flush = nullptr};
    Note(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, this));
    Note(OTF2_Archive_SetCreator(archive_, "Syncline"));
  }

  void WriteEvents() {
    Note(OTF2_Archive_OpenEvtFiles(archive_));
    for (const uint32_t rank : plan_.own_ranks) {
      for (size_t thread = 0; thread < plan_.processes[rank].threads.size(); ++thread) {
        Try([&] { WriteThread(rank, thread); });
      }
    }
    Note(OTF2_Archive_CloseEvtFiles(archive_));
  }

  void WriteThread(uint32_t rank, size_t thread) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, LocationOf(rank, thread));
    if (writer == nullptr) return Note(OTF2_ERROR_PROCESSED_WITH_FAULTS);
    auto log = EventLogReader::Open(fmt::format("{}/{}", plan_.log_folder, LogName(rank, thread)));
    if (!log) {
      if (!problem_) problem_ = log.error();
    } else {
      WriteLog(writer, *log, global_.numbers[rank]);
    }
    Note(OTF2_Archive_CloseEvtWriter(archive_, writer));
  }

  void WriteLog(OTF2_EvtWriter* writer, const EventLogReader& log,
                const std::vector<uint32_t>& numbers) {
    uint64_t last = 0;
    for (const RawEvent& event : log) {
      if (is_full_) return;
      uint32_t communicator = 0;
      if (HasCommunicator(event.kind)) {
        communicator = event.communicator < numbers.size() ? numbers[event.communicator]
                                                           : GlobalCommunicators::kUnknown;
        if (communicator == GlobalCommunicators::kUnknown) {
          ++counts_.left_out;
          continue;
        }
      }
      if (event.kind == RawKind::kEnter) {
        counts_.one_sided += IsOneSided(event.call) ? 1 : 0;
        counts_.on_files += IsOnFile(event.call) ? 1 : 0;
      }
      if (event.time < last) ++counts_.steps_back;
      last = std::max(last, event.time);
      const OTF2_ErrorCode code = WriteRecord(writer, event, last, communicator);
      if (code != OTF2_SUCCESS) return Note(code);
      ++counts_.events;
    }
  }

  void WriteLocalDefinitions() {
    Note(OTF2_Archive_OpenDefFiles(archive_));
    for (const uint32_t rank : plan_.own_ranks) Try([&] { WriteClockOffsets(rank); });
    Note(OTF2_Archive_CloseDefFiles(archive_));
  }

  void WriteClockOffsets(uint32_t rank) {
    const RankDefinitions& process = plan_.processes[rank];
    const auto [first, last] = ClockLine(process.offsets, TicksPerSecondOf(plan_.processes));
    for (size_t thread = 0; thread < process.threads.size(); ++thread) {
      OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, LocationOf(rank, thread));
      if (writer == nullptr) {
        Note(OTF2_ERROR_PROCESSED_WITH_FAULTS);
        continue;
      }
      for (const OffsetPoint& point : {first, last}) {
        Note(OTF2_DefWriter_WriteClockOffset(writer, point.ticks, point.added,
                                             static_cast<double>(point.uncertainty)));
      }
      Note(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
  }

  void Note(OTF2_ErrorCode code) {
    if (code == OTF2_SUCCESS || problem_) return;
    problem_ =
        Error{ErrorCode::kUnreadable,
              fmt::format("cannot be written: {}", OTF2_Error_GetDescription(code)), plan_.folder};
  }

  const ArchivePlan& plan_;
  GlobalCommunicators global_;
  OTF2_Archive* archive_ = nullptr;
  ArchiveCounts counts_;
  std::optional<Error> problem_;
  bool is_full_ = false;
};

}  // namespace

Result<ArchiveCounts> WriteArchive(const ArchivePlan& plan) { return ArchiveWriter(plan).Write(); }

Result<std::vector<ThreadDefinition>> CountThreads(const std::string& log_folder, uint32_t rank) {
  std::vector<ThreadDefinition> threads;
  for (;;) {
    const std::string path = fmt::format("{}/{}", log_folder, LogName(rank, threads.size()));
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error) return threads;
    SYNCLINE_ASSIGN(auto log, EventLogReader::Open(path));
    ThreadDefinition thread{.events = log.size()};
    if (log.size() > 0) {
      thread.first = log.begin()->time;
      thread.last = (log.end() - 1)->time;
    }
    threads.push_back(thread);
  }
}

uint64_t LocationOf(uint32_t rank, size_t thread) { return uint64_t{thread} << 32 | rank; }
std::string LogName(uint32_t rank, size_t thread) {
  return fmt::format("rank-{}.{}.events", rank, thread);
}
std::string DefinitionsName(uint32_t rank) { return fmt::format("rank-{}.definitions", rank); }

}  // namespace syncline::mpi
