// A numbered MPI event in compact form, for those who keep them for later passes: a send, a
// receive, or the begin or end of a collective.
//
// Requires: event numbers below 2^40, as the message store does. Memory: 32 bytes. Lost: the number
// of bytes that a collective received, but for whether it was 0. Tested by: mpi_matcher_test.cc.
#pragma once

#include <cstdint>

#include "syncline/event.h"

#include "base/check.h"

namespace syncline {

inline constexpr int kEventIndexBits = 40;
inline constexpr uint64_t kLastEventIndex = (uint64_t{1} << kEventIndexBits) - 1;

class NumberedRecord {
 public:
  NumberedRecord() = default;
  NumberedRecord(const Event& event, uint64_t index, bool has_received)
      : message_(event.message),
        bytes_(event.bytes),
        peer_or_group_(IsTransfer(event.kind) ? event.peer.value : event.group),
        name_(event.name),
        index_(index & kLastEventIndex),
        kind_(static_cast<uint64_t>(event.kind)),
        is_root_(event.is_root),
        has_received_(has_received) {
    SYNCLINE_CHECK(index <= kLastEventIndex);
  }

  uint64_t index() const { return index_; }
  EventKind kind() const { return static_cast<EventKind>(kind_); }
  bool is_transfer() const { return IsTransfer(kind()); }
  bool has_received() const { return has_received_ != 0; }
  uint64_t message() const { return message_; }
  // Without a process.
  Event event(LocalTime time) const {
    Event event{.time = time,
                .kind = kind(),
                .is_root = is_root_ != 0,
                .message = message_,
                .bytes = bytes_,
                .name = name_};
    (is_transfer() ? event.peer.value : event.group) = peer_or_group_;
    return event;
  }

 private:
  static bool IsTransfer(EventKind kind) {
    return kind == EventKind::kSend || kind == EventKind::kReceive;
  }

  uint64_t message_ = 0;
  uint64_t bytes_ = 0;
  uint32_t peer_or_group_ = 0;
  uint32_t name_ = 0;
  uint64_t index_ : kEventIndexBits = 0;
  uint64_t kind_ : 8 = 0;
  uint64_t is_root_ : 1 = 0;
  uint64_t has_received_ : 1 = 0;
};
static_assert(sizeof(NumberedRecord) == 32);

}  // namespace syncline
