#include "match/waiting_transfers.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kFew = 64;  // entries that may stay though they are taken

}  // namespace

// The first entry of this message or a later one. It is sought from the front on: what is asked for
// is mostly near.
size_t WaitingTransfers::Queue::Search(uint64_t message) const {
  if (first == entries.size() || entries.back().message < message) return entries.size();
  if (entries[first].message >= message) return first;
  size_t before = first;
  size_t step = 1;
  while (step < entries.size() - before && entries[before + step].message < message) {
    before += step;
    step *= 2;
  }
  const auto begin = entries.begin() + static_cast<ptrdiff_t>(before);
  const auto end = begin + static_cast<ptrdiff_t>(std::min(step, entries.size() - before));
  const auto found = std::lower_bound(
      begin, end, message, [](const Entry& entry, uint64_t m) { return entry.message < m; });
  return static_cast<size_t>(found - entries.begin());
}

void WaitingTransfers::Queue::Take(size_t entry) {
  entries[entry].transfer.Become(TransferState::kTaken);
  ++taken;
  while (first < entries.size() && entries[first].transfer.state() == TransferState::kTaken) {
    ++first;
    --taken;
  }
  const bool are_many = first + taken > kFew && 2 * (first + taken) > entries.size();
  if (are_many || first == entries.size()) DropTaken();
}

void WaitingTransfers::Queue::DropTaken() {
  std::erase_if(entries,
                [](const Entry& e) { return e.transfer.state() == TransferState::kTaken; });
  first = taken = 0;
  if (entries.capacity() > kFew && entries.size() < entries.capacity() / 4) {
    entries.shrink_to_fit();
  }
}

WaitingTransfers::Queue* WaitingTransfers::QueueOf(const TransferKey& key) {
  if (key.message >= kFirstWord) return nullptr;
  const uint64_t ends = key.ends;
  if (!last_number_ || last_ends_ != ends) {
    const auto found = numbers_.find(ends);
    if (found == numbers_.end() && queues_.size() == kMostQueues) return nullptr;
    last_ends_ = ends;
    last_number_ = found == numbers_.end() ? static_cast<uint32_t>(queues_.size()) : found->second;
    if (found == numbers_.end()) {
      numbers_.emplace(ends, *last_number_);
      queues_.emplace_back();
    }
  }
  Queue& queue = queues_[*last_number_];
  return queue.has_order ? &queue : nullptr;
}

void WaitingTransfers::AddStray(Queue& queue, uint64_t ends) {
  if (++queue.strays <= queue.added + kFew) return;
  queue.DropTaken();
  for (const Entry& entry : queue.entries) {
    table_.emplace(TransferKey{entry.message, ends}, entry.transfer);
  }
  queue = {.has_order = false};
}

WaitingTransfer* WaitingTransfers::FindOrAdd(const TransferKey& key,
                                             const WaitingTransfer& transfer) {
  Queue* const queue = QueueOf(key);
  const size_t entry = queue != nullptr ? queue->Search(key.message) : 0;
  if (queue != nullptr && queue->Holds(entry, key.message)) return &queue->entries[entry].transfer;
  if (queue == nullptr || entry < queue->entries.size()) {
    const auto [in_table, is_first] = table_.try_emplace(key, transfer);
    if (!is_first) return &in_table->second;
    if (queue != nullptr) AddStray(*queue, key.ends);
    return nullptr;
  }
  if (!table_.empty()) {
    const auto in_table = table_.find(key);
    if (in_table != table_.end()) return &in_table->second;
  }
  queue->entries.push_back({key.message, transfer});
  ++queue->added;
  return nullptr;
}

void WaitingTransfers::Erase(const TransferKey& key) {
  if (Queue* const queue = QueueOf(key)) {
    const size_t entry = queue->Search(key.message);
    if (queue->Holds(entry, key.message)) return queue->Take(entry);
  }
  table_.erase(key);
}

}  // namespace syncline
