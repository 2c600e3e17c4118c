#include "record/mpi/recorder.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/try.h"
#include "record/mpi/archive_writer.h"
#include "record/mpi/file_size_signal.h"

namespace syncline::mpi {
namespace {

// The library is there from the program's start, so the fastest way to a thread's own is possible.
__attribute__((tls_model("initial-exec"))) thread_local ThreadState* own_thread = nullptr;

// Releases the log when the thread ends. The thread may still call MPI, in destructors.
struct LogKeeper {
  LogKeeper() = default;
  LogKeeper(const LogKeeper&) = delete;
  LogKeeper& operator=(const LogKeeper&) = delete;
  ~LogKeeper() {
    if (own_thread != nullptr) TheRecorder().Detach(*own_thread);
  }
  void Touch() {}
};
thread_local LogKeeper log_keeper;

// The handle of two requests that are both over, if that is one.
template <typename Function>
RequestTable::Handle CommonHandle(const Function& post) {
  std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (MPI_Request& request : requests) post(&request);
  const bool is_common = requests[0] == requests[1];
  const RequestTable::Handle handle = HandleOf(requests[0]);
  PMPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  return is_common ? handle : RequestTable::kNone;
}

}  // namespace

Recorder& TheRecorder() {
  // Never destroyed: programs call MPI in destructors and from threads that outlive main().
  static auto* recorder = new Recorder;
  return *recorder;
}

Result<void> Recorder::Begin(const Options& options, std::string log_folder, int thread_level) {
  options_ = options;
  clock_ = ClockReader(options.clock);
  log_folder_ = std::move(log_folder);
  process_ = ::getpid();
  is_shared_ = thread_level == MPI_THREAD_MULTIPLE;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  rank_ = static_cast<uint32_t>(rank);
  const std::string path = fmt::format("{}/{}", log_folder_, DefinitionsName(rank_));
  definitions_fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (definitions_fd_ < 0) {
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be created: {}", std::strerror(errno)),
                path);
  }
  common_send_ = CommonHandle([](MPI_Request* request) {
    PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
  });
  common_collective_ =
      CommonHandle([](MPI_Request* request) { PMPI_Ibarrier(MPI_COMM_SELF, request); });
  Attach();
  if (!problem_.empty()) return Fail(ErrorCode::kUnreadable, problem_);
  return {};
}

ThreadState* Recorder::Thread() {
  if (own_thread != nullptr) return own_thread;
  return Attach();
}

ThreadState* Recorder::Attach() {
  const std::lock_guard lock(threads_mutex_);
  log_keeper.Touch();
  auto thread = std::make_unique<ThreadState>();
  if (auto log = NewLog(); log) {
    thread->log = std::move(*log);
  } else {
    thread->log = EventLog::Without("the thread has no log");
    if (problem_.empty()) problem_ = log.error().ToString();
  }
  own_thread = threads_.emplace_back(std::move(thread)).get();
  return own_thread;
}

Result<EventLog> Recorder::NewLog() {
  auto log = EventLog::Create(fmt::format("{}/{}", log_folder_, LogName(rank_, logs_)),
                              options_.most_bytes);
  if (log) ++logs_;
  return log;
}

void Recorder::Detach(ThreadState& thread) {
  // In a forked child the file is the parent's.
  if (::getpid() != process_) return;
  const std::lock_guard lock(threads_mutex_);
  thread.log.Release();
}

CommunicatorInfo Recorder::CommunicatorOf(ThreadState& thread, MPI_Comm handle) {
  const uint64_t generation = communicators_.generation();
  if (handle == thread.cached_handle && generation == thread.cached_generation)
    return thread.cached;
  const std::unique_lock<std::mutex> lock = Lock();
  thread.cached = communicators_.Find(handle);
  thread.cached_handle = handle;
  thread.cached_generation = generation;
  return thread.cached;
}

bool Recorder::IsOverAtOnce(MPI_Request request, PendingKind kind) const {
  if (kind == PendingKind::kReceive) return false;
  if (kind == PendingKind::kCollective) return HandleOf(request) == common_collective_;
  if (HandleOf(request) == common_send_) return true;
  int is_over = 0;
  PMPI_Request_get_status(request, &is_over, MPI_STATUS_IGNORE);
  return is_over != 0;
}

uint32_t Recorder::NewRequest() {
  // 0 is no request.
  uint32_t request = 0;
  while (request == 0) request = next_request_.fetch_add(1, std::memory_order_relaxed);
  return request;
}

CommunicatorInfo Recorder::AddCommunicator(MPI_Comm handle, const char* name) {
  if (handle == MPI_COMM_NULL) return {};
  const std::unique_lock<std::mutex> lock = Lock();
  Add(communicators_.Add(handle, name));
  return communicators_.Find(handle);
}

void Recorder::AddCommunicatorOf(MPI_Comm parent, MPI_Comm handle) {
  const std::unique_lock<std::mutex> lock = Lock();
  const std::optional<uint64_t> origin = communicators_.NextOrigin(parent);
  if (origin && handle != MPI_COMM_NULL) Add(communicators_.Add(handle, "", *origin));
}

void Recorder::AddCommunicatorOfGroup(MPI_Comm parent, int tag, MPI_Comm handle) {
  if (handle == MPI_COMM_NULL) return;
  const std::unique_lock<std::mutex> lock = Lock();
  const std::optional<uint64_t> origin = communicators_.OriginOfGroupIn(parent, tag);
  if (origin) Add(communicators_.Add(handle, "", *origin));
}

void Recorder::AddCommunicatorLike(MPI_Comm handle, MPI_Comm parent) {
  const std::unique_lock<std::mutex> lock = Lock();
  Add(communicators_.AddLike(handle, parent));
}

void Recorder::Add(const CommunicatorDefinition& definition) {
  // Without a name it stays unknown.
  if (!definition.name.empty()) AddLine(LineOf(definition));
}

void Recorder::ForgetCommunicator(MPI_Comm handle) {
  const std::unique_lock<std::mutex> lock = Lock();
  communicators_.Forget(handle);
}

void Recorder::AddLine(const std::string& line) {
  const std::lock_guard lock(text_mutex_);
  const FileSizeSignalBlock too_large;
  text_ += line;
  // What cannot be written is lost only if the process dies; at the end the text itself is used.
  [[maybe_unused]] const ssize_t ignored = ::write(definitions_fd_, line.data(), line.size());
}

Result<std::string> Recorder::End() try {
  const std::lock_guard lock(threads_mutex_);
  for (const auto& thread : threads_) thread->log.Close();
  SYNCLINE_ASSIGN(auto definitions, CountThreads(log_folder_, rank_));
  for (const ThreadDefinition& thread : definitions) AddLine(LineOf(thread));
  const std::lock_guard text_lock(text_mutex_);
  ::close(std::exchange(definitions_fd_, -1));
  return text_;
} catch (const std::bad_alloc&) {
  return Fail(ErrorCode::kUnreadable, "no memory is left");
}

}  // namespace syncline::mpi
