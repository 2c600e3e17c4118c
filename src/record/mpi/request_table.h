// Finds what is known of a pending operation by MPI's handle of it; open addressing, no allocation
// but to grow.
//
// A handle that comes again while it is still in the table stands for an operation that is over
// (implementations give one common handle to all sends that were complete at once); Insert hands
// the old one out. Cost: O(1), about 5 ns. Memory: 80 bytes per place, at most half of them used.
// Tested by: request_table_test.cc (against std::map).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "record/mpi/raw_event.h"

namespace syncline::mpi {

enum class PendingKind : uint8_t { kSend, kReceive, kCollective };

struct Pending {
  PendingKind kind = PendingKind::kSend;
  bool is_persistent = false;
  bool is_active = true;  // of persistent ones: started and not complete
  bool may_be_cancelled = false;
  // Messages: the slot of the stamp; matched ones: other than 0 where there is one. Collectives:
  // the number of the one that shares stamps.
  uint32_t stamp = 0;
  // As the operation's event will say; for persistent sends also peer, tag and bytes.
  RawEvent event = {};
};

class RequestTable {
 public:
  using Handle = uintptr_t;
  static constexpr Handle kNone = 0;  // is no handle

  // Returns what was there under this handle.
  std::optional<Pending> Insert(Handle handle, const Pending& pending) {
    if (2 * (size_ + 1) > places_.size()) Grow();
    Place& place = places_[Find(handle)];
    std::optional<Pending> old;
    if (place.handle == handle) {
      old = place.pending;
    } else {
      ++size_;
    }
    place = {handle, pending};
    return old;
  }
  // Null where there is none; until the table changes.
  Pending* Get(Handle handle) {
    if (size_ == 0) return nullptr;
    Place& place = places_[Find(handle)];
    return place.handle == handle && handle != kNone ? &place.pending : nullptr;
  }
  void Erase(Handle handle) {
    if (size_ == 0 || handle == kNone) return;
    size_t hole = Find(handle);
    if (places_[hole].handle != handle) return;
    --size_;
    // Moves back what could not have its own place.
    for (size_t i = Next(hole); places_[i].handle != kNone; i = Next(i)) {
      const size_t home = Home(places_[i].handle);
      const bool stays = hole <= i ? hole < home && home <= i : hole < home || home <= i;
      if (stays) continue;
      places_[hole] = places_[i];
      hole = i;
    }
    places_[hole] = {};
  }
  size_t size() const { return size_; }

 private:
  struct Place {
    Handle handle = kNone;
    Pending pending;
  };

  size_t Home(Handle handle) const {
    return static_cast<size_t>((static_cast<uint64_t>(handle) * 0x9E3779B97F4A7C15U) >> 20) &
           (places_.size() - 1);
  }
  size_t Next(size_t i) const { return (i + 1) & (places_.size() - 1); }
  // Its place, or the free one where it belongs.
  size_t Find(Handle handle) const {
    size_t i = Home(handle);
    while (places_[i].handle != kNone && places_[i].handle != handle) i = Next(i);
    return i;
  }
  void Grow() {
    std::vector<Place> old(places_.empty() ? 64 : 2 * places_.size());
    old.swap(places_);
    for (const Place& place : old) {
      if (place.handle != kNone) places_[Find(place.handle)] = place;
    }
  }

  std::vector<Place> places_;  // a power of two
  size_t size_ = 0;
};

}  // namespace syncline::mpi
