// Sends and receives that wait for their other end, by sender, receiver and message.
//
// Numbers of messages mostly increase from each sender to each receiver, and are asked for in that
// order: such wait in a queue for each two, at whose front they are found. All others are in a hash
// table: words, and all of two whose numbers turned out to have no order. It is seeded at random,
// so that chosen numbers cannot make it slow. Cost: 5 ns in order; else 30, with a million in the
// table 60. Memory: 24 to 48 bytes each in order, 200 where most of those about them were taken;
// else 38 to 76; and up to 1.6 kB of each two, at most kMostQueues. Tested by:
// waiting_transfers_test.cc (against a map).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/id.h"
#include "syncline/message.h"

#include "base/int128.h"

namespace syncline {

// Sender and receiver share one word.
struct TransferKey {
  uint64_t message = 0;
  uint64_t ends = 0;
  friend bool operator==(const TransferKey&, const TransferKey&) = default;
};

struct TransferKeyHash {
  uint64_t seed_message = 0;
  uint64_t seed_ends = 0;
  size_t operator()(const TransferKey& key) const {
    const UInt128 product = static_cast<UInt128>(key.message ^ seed_message) *
                            static_cast<UInt128>(key.ends ^ seed_ends);
    return static_cast<size_t>(product) ^ static_cast<size_t>(product >> 64);
  }
};

enum class TransferState : uint8_t { kSend, kReceive, kAmbiguous, kTaken };

class WaitingTransfer {
 public:
  // `index` below 2^62.
  WaitingTransfer(TransferState state, uint64_t index, LocalTime time)
      : word_(index << 2 | static_cast<uint64_t>(state)), time_(time) {}
  TransferState state() const { return static_cast<TransferState>(word_ & 3); }
  void Become(TransferState state) {
    word_ = (word_ & ~uint64_t{3}) | static_cast<uint64_t>(state);
  }
  EventRef At(ProcessId process) const { return {process, word_ >> 2, time_}; }

 private:
  uint64_t word_;  // the index, and the state in the two lowest bits
  LocalTime time_;
};

class WaitingTransfers {
  struct Entry {
    uint64_t message;
    WaitingTransfer transfer;
  };
  // Messages increase.
  struct Queue {
    std::vector<Entry> entries;
    size_t first = 0;  // all before it are taken
    size_t taken = 0;  // behind it
    // So far: those that came in order, and those that did not and went to the table.
    uint64_t added = 0, strays = 0;
    bool has_order = true;  // else all are there

    size_t Search(uint64_t message) const;
    bool Holds(size_t entry, uint64_t message) const {
      return entry < entries.size() && entries[entry].message == message &&
             entries[entry].transfer.state() != TransferState::kTaken;
    }
    void Take(size_t entry);
    void DropTaken();
  };

 public:
  static constexpr size_t kMostQueues = size_t{1} << 16;
  // Numbers from here on stand for words, which have no order.
  static constexpr uint64_t kFirstWord = uint64_t{1} << 63;

  explicit WaitingTransfers(TransferKeyHash hash) : table_(0, hash) {}

  // Has the memory that a look-up needs on its way to the cache.
  void Prefetch(const TransferKey& key) const {
    if (!table_.empty()) table_.prefetch(key);
  }

  // What waits under this key, until something else is added or erased. Null where nothing did:
  // from now on this one does.
  WaitingTransfer* FindOrAdd(const TransferKey& key, const WaitingTransfer& transfer);
  // What FindOrAdd() found.
  void Erase(const TransferKey& key);

  // In any order.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const auto& [key, transfer] : table_) visit(key, transfer);
    for (const auto& [ends, number] : numbers_) {
      for (const Entry& entry : queues_[number].entries) {
        if (entry.transfer.state() == TransferState::kTaken) continue;
        visit(TransferKey{entry.message, ends}, entry.transfer);
      }
    }
  }

 private:
  // None: all of these two are in the table.
  Queue* QueueOf(const TransferKey& key);
  void AddStray(Queue& queue, uint64_t ends);

  absl::flat_hash_map<TransferKey, WaitingTransfer, TransferKeyHash> table_;
  std::vector<Queue> queues_;
  absl::flat_hash_map<uint64_t, uint32_t> numbers_;  // of queues, by ends
  uint64_t last_ends_ = 0;                           // successive ones are often of the same two
  std::optional<uint32_t> last_number_;
};

}  // namespace syncline
