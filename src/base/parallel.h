// Runs independent pieces of work in a few threads.
//
// Who calls decides what the pieces write: each to a place of its own, so that results are the same
// whatever the number of threads. Errors: an exception of a piece is the caller's once all threads
// have ended; pieces that had not begun by then are left out. Cost: a thread each, about 20 µs.
// Tested by: parallel_test.cc.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace syncline {

inline constexpr size_t kMaxThreads = 8;

// How many cores this process may use: those that it is bound to, as by taskset, or what was set.
size_t Cores();
// Where other processes of the same run have the same cores. Requires: at least 1.
void SetCores(size_t count);

inline size_t ThreadsFor(size_t pieces) { return std::min({pieces, Cores(), kMaxThreads}); }

// Calls work(0, own) … work(count − 1, own), each once, the lower numbers first; returns when all
// are done. `own`: a State of the thread, which serves its pieces one after the other.
template <typename State, typename Work>
void ForEachParallelWith(size_t count, const Work& work) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failed;
  const auto run = [&] {
    try {
      State own;
      for (size_t i = next++; i < count; i = next++) work(i, own);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      failed = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  try {
    for (size_t i = 1; i < ThreadsFor(count); ++i) helpers.emplace_back(run);
  } catch (const std::system_error&) {
    // Where the system has no more threads, those that there are do all.
  }
  run();
  helpers.clear();
  if (failed) std::rethrow_exception(failed);
}

// The same, of pieces that share nothing.
template <typename Work>
void ForEachParallel(size_t count, const Work& work) {
  struct Nothing {};
  ForEachParallelWith<Nothing>(count, [&](size_t i, Nothing&) { work(i); });
}

}  // namespace syncline
