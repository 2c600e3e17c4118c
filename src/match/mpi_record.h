// MPI events of a process in compact form, for those who keep them between matching's two passes
// and for later ones.
//
// An MpiRecord is an event with its operation before numbering, a NumberedRecord what numbering
// made of it. Events without an operation need no record: they are marks to matching. Requires:
// event numbers below 2^40, as the message store does. Memory: 40 and 32 bytes. Lost: the number of
// bytes that a collective received, but for whether it was 0; names of other events than
// collectives. Tested by: mpi_record_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "syncline/event.h"
#include "syncline/mpi.h"

#include "base/check.h"
#include "match/mpi_matcher.h"

namespace syncline {

inline constexpr int kEventIndexBits = 40;
inline constexpr uint64_t kLastEventIndex = (uint64_t{1} << kEventIndexBits) - 1;

class MpiRecord {
 public:
  MpiRecord(const Event& event, const MpiOperation& operation, uint64_t index)
      : bytes_(event.bytes),
        request_(operation.request),
        communicator_(operation.communicator),
        tag_or_name_(IsCollective(operation.kind) ? event.name : operation.tag),
        own_(operation.own),
        peer_(operation.peer),
        index_(index & kLastEventIndex),
        kind_(static_cast<uint64_t>(event.kind)),
        mpi_kind_(static_cast<uint64_t>(operation.kind)),
        is_root_(event.is_root),
        has_received_(operation.bytes_received > 0) {
    SYNCLINE_CHECK(index <= kLastEventIndex);
  }

  uint64_t index() const { return index_; }
  // Without a time and a process.
  Event event() const {
    Event event{.kind = static_cast<EventKind>(kind_), .is_root = is_root_ != 0, .bytes = bytes_};
    event.peer = peer_;
    if (!IsCollective(operation_kind())) return event;
    event.name = tag_or_name_;
    event.group = communicator_;
    return event;
  }
  MpiOperation operation() const {
    return {.kind = operation_kind(),
            .communicator = communicator_,
            .tag = IsCollective(operation_kind()) ? 0 : tag_or_name_,
            .own = own_,
            .peer = peer_,
            .request = request_,
            .bytes_received = has_received_};
  }

 private:
  static bool IsCollective(MpiKind kind) {
    return kind == MpiKind::kCollectiveBegin || kind == MpiKind::kCollectiveEnd ||
           kind == MpiKind::kCollectiveComplete;
  }
  MpiKind operation_kind() const { return static_cast<MpiKind>(mpi_kind_); }

  uint64_t bytes_;
  uint64_t request_;
  uint32_t communicator_;
  uint32_t tag_or_name_;
  ProcessId own_;
  ProcessId peer_;
  uint64_t index_ : kEventIndexBits;
  uint64_t kind_ : 8;
  uint64_t mpi_kind_ : 8;
  uint64_t is_root_ : 1;
  uint64_t has_received_ : 1;
};
static_assert(sizeof(MpiRecord) == 40);

class NumberedRecord {
 public:
  // `event` is a send, a receive, or the begin or end of a collective, with its number.
  NumberedRecord(const Event& event, uint64_t index, bool has_received)
      : message_(event.message),
        bytes_(event.bytes),
        peer_or_group_(IsTransfer(event.kind) ? event.peer.value : event.group),
        name_(event.name),
        index_(index & kLastEventIndex),
        kind_(static_cast<uint64_t>(event.kind)),
        is_root_(event.is_root),
        has_received_(has_received) {}

  uint64_t index() const { return index_; }
  EventKind kind() const { return static_cast<EventKind>(kind_); }
  bool is_transfer() const { return IsTransfer(kind()); }
  bool has_received() const { return has_received_ != 0; }
  uint64_t message() const { return message_; }
  ProcessId peer() const { return ProcessId(peer_or_group_); }
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

  uint64_t message_;
  uint64_t bytes_;
  uint32_t peer_or_group_;
  uint32_t name_;
  uint64_t index_ : kEventIndexBits;
  uint64_t kind_ : 8;
  uint64_t is_root_ : 1;
  uint64_t has_received_ : 1;
};
static_assert(sizeof(NumberedRecord) == 32);

// The records of a process, in its order, with their numbers; those without a number are left out.
std::vector<NumberedRecord> NumberRecords(std::shared_ptr<const MpiPairing> pairing,
                                          ProcessId process, std::vector<MpiRecord> records);

}  // namespace syncline
