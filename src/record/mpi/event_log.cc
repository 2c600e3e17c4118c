#include "record/mpi/event_log.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/mpi/file_size_signal.h"

namespace syncline::mpi {
namespace {

constexpr size_t kWindowBytes = EventLog::kWindowEvents * sizeof(RawEvent);

// Blocks signals: a program's timer, fast enough, would never let space be reserved.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    ::sigfillset(&all);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigdelset(&all, signal);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;
  ~SignalBlock() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

Result<RawEvent*> MapWindow(const std::string& path, off_t offset) {
  const FileSizeSignalBlock too_large;
  const SignalBlock block;
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be opened: {}", std::strerror(errno)));
  const int full = ::posix_fallocate(fd, offset, kWindowBytes);
  void* window = MAP_FAILED;
  if (full == 0)
    window = ::mmap(nullptr, kWindowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  const int error = errno;
  ::close(fd);
  if (full != 0)
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot grow: {}", std::strerror(full)));
  if (window == MAP_FAILED)
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be mapped: {}", std::strerror(error)));
  return static_cast<RawEvent*>(window);
}

}  // namespace

Result<EventLog> EventLog::Create(const std::string& path, uint64_t most_bytes) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) {
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be created: {}", std::strerror(errno)),
                path);
  }
  ::close(fd);
  EventLog log;
  log.path_ = path;
  if (most_bytes > 0) log.most_windows_ = std::max<uint64_t>(most_bytes / kWindowBytes, 1);
  if (!log.NextWindow()) {
    ::unlink(path.c_str());
    return Fail(ErrorCode::kUnreadable, log.problem_, path);
  }
  return log;
}

EventLog EventLog::Without(std::string problem) {
  EventLog log;
  log.problem_ = std::move(problem);
  return log;
}

EventLog& EventLog::operator=(EventLog&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(next_, other.next_);
  std::swap(end_, other.end_);
  std::swap(before_window_, other.before_window_);
  std::swap(most_windows_, other.most_windows_);
  std::swap(lost_, other.lost_);
  std::swap(path_, other.path_);
  std::swap(problem_, other.problem_);
  return *this;
}

EventLog::~EventLog() { Close(); }

void EventLog::Unmap() {
  if (begin_ != nullptr) ::munmap(begin_, kWindowBytes);
  begin_ = next_ = end_ = nullptr;
}

bool EventLog::NextWindow() {
  if (!problem_.empty() || path_.empty()) return false;
  const uint64_t first = size();
  const uint64_t window = first / kWindowEvents;
  if (window >= most_windows_) {
    problem_ = "SYNCLINE_MPI_MAX_BYTES is reached";
    return false;
  }
  auto mapped = MapWindow(path_, static_cast<off_t>(window * kWindowBytes));
  if (!mapped) {
    problem_ = mapped.error().message;
    return false;
  }
  Unmap();
  before_window_ = window * kWindowEvents;
  begin_ = *mapped;
  next_ = begin_ + (first - before_window_);
  end_ = begin_ + kWindowEvents;
  return true;
}

void EventLog::Release() {
  if (begin_ == nullptr) return;
  const uint64_t events = size();
  Unmap();
  before_window_ = events;
  // Where this fails, the reader finds the end all the same.
  [[maybe_unused]] const int ignored =
      ::truncate(path_.c_str(), static_cast<off_t>(events * sizeof(RawEvent)));
}

void EventLog::Close() {
  Release();
  path_.clear();
}

Result<EventLogReader> EventLogReader::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    const std::string why = std::strerror(errno);
    if (fd >= 0) ::close(fd);
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be read: {}", why), path);
  }
  const auto bytes = static_cast<size_t>(status.st_size);
  void* mapped = bytes == 0 ? nullptr : ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  const std::string why = mapped == MAP_FAILED ? std::strerror(errno) : "";
  ::close(fd);
  if (!why.empty())
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be mapped: {}", why), path);
  const auto* events = static_cast<const RawEvent*>(mapped);
  const size_t places = bytes / sizeof(RawEvent);
  const RawEvent* last = std::find_if(events, events + places, [](const RawEvent& event) {
    return event.kind == RawKind::kEnd || event.kind > RawKind::kCollectiveComplete ||
           event.call >= Call::kCount;
  });
  return EventLogReader(events, static_cast<size_t>(last - events), bytes);
}

EventLogReader::EventLogReader(EventLogReader&& other) noexcept
    : events_(std::exchange(other.events_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

EventLogReader::~EventLogReader() {
  if (mapped_bytes_ > 0) ::munmap(const_cast<RawEvent*>(events_), mapped_bytes_);
}

}  // namespace syncline::mpi
