#include "record/counter/cores.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include <pthread.h>
#include <sched.h>

namespace syncline {
namespace {

constexpr uint64_t kMostExchanges = 20'000;
constexpr int64_t kMostNs = 50'000'000;
constexpr uint64_t kStop = UINT64_MAX;

std::vector<int> PermittedCores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

bool BindTo(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  return ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set) == 0;
}

// Odd turns belong to the other core, even ones to the first; the reading goes with the turn.
struct Mailbox {
  alignas(64) std::atomic<uint64_t> turn = 0;
  std::atomic<int64_t> reading = 0;
};

class CorePair {
 public:
  CorePair(CounterKind counter, int first, int other)
      : counter_(counter), first_(first), other_(other) {}

  std::optional<CoreOffset> Compare() {
    std::jthread other([this] { AnswerReadings(); });
    std::jthread first([this] { SendReadings(); });
    first.join();
    other.join();
    if (exchanges_ == 0) return std::nullopt;
    return CoreOffset{other_, first_, back_.low(), there_.high(), exchanges_};
  }

 private:
  void SendReadings() {
    const bool is_bound = BindTo(first_);
    const int64_t start = ReadSystemNs(CLOCK_MONOTONIC);
    uint64_t turn = 0;
    while (is_bound && exchanges_ < kMostExchanges) {
      box_.reading.store(ReadCounter(counter_), std::memory_order_relaxed);
      box_.turn.store(++turn, std::memory_order_release);
      ++turn;
      while (box_.turn.load(std::memory_order_acquire) != turn) {
        if (box_.turn.load() == kStop || ReadSystemNs(CLOCK_MONOTONIC) - start > kMostNs) {
          box_.turn.store(kStop);
          return;
        }
      }
      const int64_t now = ReadCounter(counter_);
      back_.AddBack(box_.reading.load(std::memory_order_relaxed), now);
      ++exchanges_;
    }
    box_.turn.store(kStop);
  }

  void AnswerReadings() {
    if (!BindTo(other_)) {
      box_.turn.store(kStop);
      return;
    }
    for (uint64_t turn = 1;; turn += 2) {
      uint64_t seen = box_.turn.load(std::memory_order_acquire);
      while (seen != turn && seen != kStop) seen = box_.turn.load(std::memory_order_acquire);
      if (seen == kStop) return;
      const int64_t now = ReadCounter(counter_);
      there_.AddThere(box_.reading.load(std::memory_order_relaxed), now);
      box_.reading.store(ReadCounter(counter_), std::memory_order_relaxed);
      // The first core may have given up meanwhile.
      if (!box_.turn.compare_exchange_strong(seen, turn + 1)) return;
    }
  }

  CounterKind counter_;
  int first_;
  int other_;
  Mailbox box_;
  // Each bounded from one side, by the thread of the core that receives.
  OffsetBounds there_;
  OffsetBounds back_;
  uint64_t exchanges_ = 0;
};

}  // namespace

void OffsetBounds::AddThere(int64_t sent, int64_t received) {
  int64_t seen = 0;
  if (__builtin_sub_overflow(received, sent, &seen)) return;
  high_ = std::min(high_, seen);
}

void OffsetBounds::AddBack(int64_t sent, int64_t received) {
  int64_t seen = 0;
  if (__builtin_sub_overflow(sent, received, &seen)) return;
  low_ = std::max(low_, seen);
}

std::vector<CoreOffset> CompareCores(CounterKind counter) {
  const std::vector<int> cores = PermittedCores();
  std::vector<CoreOffset> offsets;
  for (size_t i = 1; i < cores.size(); ++i) {
    if (auto offset = CorePair(counter, cores[0], cores[i]).Compare()) offsets.push_back(*offset);
  }
  return offsets;
}

}  // namespace syncline
