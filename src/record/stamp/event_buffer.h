// One thread's stamps: a ring of fixed size that its thread fills and any other may copy meanwhile.
//
// Units: ticks of the recording's counter. Requires: one thread adds. Cost: Add() writes half a
// cache line and takes no lock; memory 32 bytes per event, touched beforehand, so that no page has
// to be found while stamping. Errors: a full ring refuses or overwrites, and counts either.
// Method: the copy is a seqlock's (Boehm, Can seqlocks get along with programming language memory
// models?, 2012): the writer says which event it is about to overwrite before it does, and the
// copier drops what may have been overwritten while it copied.
// Tested by: event_buffer_test.cc.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace syncline {

enum class StampKind : uint32_t {
  kMark,
  kEnter,
  kLeave,
  kBlock,
  kSend,
  kReceive,
  // The messages of a burst: questions and answers, numbered by who asks.
  kAsk,
  kAsked,
  kAnswer,
  kAnswered,
};

struct Stamp {
  int64_t ticks = 0;
  StampKind kind = StampKind::kMark;
  int32_t subject = 0;  // a name or a peer
  uint64_t message = 0;
  uint64_t bytes = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

enum class WhenFull { kKeepOldest, kKeepNewest };

class EventBuffer {
 public:
  // `capacity` becomes the next power of two.
  explicit EventBuffer(size_t capacity);

  // In no thread while events are added.
  void Reset(WhenFull when_full);

  // In the owning thread. False: refused.
  bool Add(const Stamp& stamp) {
    const uint64_t n = done_.load(std::memory_order_relaxed);
    if (n >= capacity_ && when_full_ == WhenFull::kKeepOldest) {
      refused_.store(refused_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return false;
    }
    begun_.store(n + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    Slot& slot = slots_[n & (capacity_ - 1)];
    constexpr auto kRelaxed = std::memory_order_relaxed;
    slot[0].store(static_cast<uint64_t>(stamp.ticks), kRelaxed);
    slot[1].store(static_cast<uint64_t>(stamp.kind) << 32 | static_cast<uint32_t>(stamp.subject),
                  kRelaxed);
    slot[2].store(stamp.message, kRelaxed);
    slot[3].store(stamp.bytes, kRelaxed);
    done_.store(n + 1, std::memory_order_release);
    return true;
  }

  // Those that are kept, oldest first. In any thread, at any time.
  std::vector<Stamp> Copy() const;

  size_t capacity() const { return capacity_; }
  uint64_t kept() const;
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  uint64_t overwritten() const;

 private:
  using Slot = std::array<std::atomic<uint64_t>, 4>;

  // Apart from what other threads' buffers write to.
  alignas(64) std::atomic<uint64_t> begun_ = 0;  // events, the one being written included
  std::atomic<uint64_t> done_ = 0;
  std::atomic<uint64_t> refused_ = 0;
  WhenFull when_full_ = WhenFull::kKeepOldest;
  size_t capacity_ = 0;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace syncline
