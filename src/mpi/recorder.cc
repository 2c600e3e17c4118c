#include "mpi/recorder.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "mpi/archive_writer.h"

namespace syncline::mpi {
namespace {

// The library is there from the program's start, so the fastest way to a thread's own is possible.
__attribute__((tls_model("initial-exec"))) thread_local ThreadState* own_thread = nullptr;

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
  if (Attach() == nullptr) return Fail(ErrorCode::kUnreadable, problem_);
  return {};
}

ThreadState* Recorder::Thread() {
  if (own_thread != nullptr) return own_thread;
  return Attach();
}

ThreadState* Recorder::Attach() {
  const std::lock_guard lock(threads_mutex_);
  if (!problem_.empty()) return nullptr;
  const std::string path = fmt::format("{}/{}", log_folder_, LogName(rank_, threads_.size()));
  auto log = EventLog::Create(path, options_.most_bytes);
  if (!log) {
    problem_ = log.error().ToString();
    return nullptr;
  }
  auto thread = std::make_unique<ThreadState>();
  thread->log = std::move(*log);
  own_thread = threads_.emplace_back(std::move(thread)).get();
  return own_thread;
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

uint32_t Recorder::NewRequest() {
  // 0 is no request.
  uint32_t request = 0;
  while (request == 0) request = next_request_.fetch_add(1, std::memory_order_relaxed);
  return request;
}

CommunicatorInfo Recorder::AddCommunicator(MPI_Comm handle, const char* name) {
  if (handle == MPI_COMM_NULL) return {};
  const std::unique_lock<std::mutex> lock = Lock();
  AddLine(LineOf(communicators_.Add(handle, name)));
  return communicators_.Find(handle);
}

void Recorder::AddCommunicatorLike(MPI_Comm handle, MPI_Comm model) {
  const std::unique_lock<std::mutex> lock = Lock();
  const CommunicatorDefinition definition = communicators_.AddLike(handle, model);
  if (!definition.name.empty()) AddLine(LineOf(definition));
}

void Recorder::ForgetCommunicator(MPI_Comm handle) {
  const std::unique_lock<std::mutex> lock = Lock();
  communicators_.Forget(handle);
}

void Recorder::AddLine(const std::string& line) {
  text_ += line;
  // What cannot be written is lost only if the process dies; at the end the text itself is used.
  [[maybe_unused]] const ssize_t ignored = ::write(definitions_fd_, line.data(), line.size());
}

Result<std::string> Recorder::End() {
  const std::lock_guard lock(threads_mutex_);
  for (const auto& thread : threads_) thread->log.Close();
  auto definitions = CountThreads(log_folder_, rank_);
  if (!definitions) return tl::unexpected(definitions.error());
  for (const ThreadDefinition& thread : *definitions) AddLine(LineOf(thread));
  ::close(std::exchange(definitions_fd_, -1));
  return text_;
}

}  // namespace syncline::mpi
