#include "record/stamp/thread_log.h"

#include <bit>
#include <memory>
#include <mutex>
#include <vector>

#include "syncline/stamp.h"

#include "record/stamp/recorder.h"

namespace syncline {
namespace {

// In this model, reading the variable never allocates, as it may in others when a thread reads a
// shared library's variables for the first time.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadLog* own_log = nullptr;

struct LogPool {
  std::mutex mutex;
  std::vector<std::unique_ptr<ThreadLog>> logs;
};

// Never destroyed: threads may stamp until the program has ended.
LogPool& Pool() {
  static LogPool* const pool = new LogPool;
  return *pool;
}

// Lets go of the log when the thread ends.
struct LogKeeper {
  LogKeeper() = default;
  LogKeeper(const LogKeeper&) = delete;
  LogKeeper& operator=(const LogKeeper&) = delete;
  ~LogKeeper() { LetGo(); }
  static void LetGo() {
    if (own_log == nullptr) return;
    own_log->has_thread.store(false, std::memory_order_release);
    own_log = nullptr;
  }
  void Touch() {}
};
thread_local LogKeeper log_keeper;

bool IsFree(const ThreadLog& log, size_t capacity) {
  return log.recorder.load() == nullptr && !log.has_thread.load(std::memory_order_acquire) &&
         log.events.capacity() == std::bit_ceil(capacity);
}

bool IsHandle(const std::atomic<int32_t>& count, int32_t handle) {
  return handle >= 0 && handle < count.load(std::memory_order_relaxed);
}

bool HasSubject(const ThreadLog& log, StampKind kind, int32_t subject) {
  switch (kind) {
    case StampKind::kBlock: return true;
    case StampKind::kMark:
    case StampKind::kEnter:
    case StampKind::kLeave: return IsHandle(log.handles->names, subject);
    default: return IsHandle(log.handles->peers, subject);
  }
}

// Not inlined, so that the way that stamps usually take stays short.
[[gnu::noinline, gnu::cold]] int Refuse(const ThreadLog* log) {
  if (log != nullptr && log->is_open.load(std::memory_order_acquire)) return SYNCLINE_STAMP_FULL;
  return Recorder::Global().RefuseStamp();
}

[[gnu::noinline, gnu::cold]] int RefuseSubject(ThreadLog& log) {
  log.bad_handles.fetch_add(1, std::memory_order_relaxed);
  return SYNCLINE_STAMP_BAD_NAME;
}

template <typename ReadTicks>
int AddWith(ReadTicks ticks, StampKind kind, int32_t subject, uint64_t message, uint64_t bytes) {
  ThreadLog* const log = own_log;
  if (log == nullptr || !log->is_open.load(std::memory_order_acquire)) return Refuse(log);
  if (!HasSubject(*log, kind, subject)) return RefuseSubject(*log);
  const bool is_kept = log->events.Add({ticks(*log), kind, subject, message, bytes});
  return is_kept ? SYNCLINE_STAMP_OK : Refuse(log);
}

}  // namespace

ThreadLog& LeaseThreadLog(size_t capacity) {
  log_keeper.Touch();
  LogKeeper::LetGo();
  LogPool& pool = Pool();
  const std::lock_guard lock(pool.mutex);
  ThreadLog* lease = nullptr;
  for (const auto& log : pool.logs) {
    if (lease == nullptr && IsFree(*log, capacity)) lease = log.get();
  }
  if (lease == nullptr) {
    pool.logs.push_back(std::make_unique<ThreadLog>(capacity));
    lease = pool.logs.back().get();
  }
  lease->has_thread.store(true, std::memory_order_relaxed);
  own_log = lease;
  return *lease;
}

ThreadLog* OwnThreadLog() { return own_log; }

int AddStamp(StampKind kind, int32_t subject, uint64_t message, uint64_t bytes) {
  return AddWith([](const ThreadLog& log) { return log.ReadTicks(); }, kind, subject, message,
                 bytes);
}

int AddStampAt(int64_t ticks, StampKind kind, int32_t subject, uint64_t message, uint64_t bytes) {
  return AddWith([ticks](const ThreadLog&) { return ticks; }, kind, subject, message, bytes);
}

}  // namespace syncline
