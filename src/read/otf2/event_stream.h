// The event records of one location as plain values, with look-ahead.
//
// Every record of the file is one Otf2Record, whatever its type, in the file's order.
// Errors: what libotf2 cannot read; the records before it are delivered.
// Ownership: one OTF2_Reader of its own, of this location only. Pointers to records are valid until
// the next call.
// Cost: records are read in batches of kBatch; memory: two chunks of the library and the records
// looked ahead for, 64 bytes each.
// Tested by: archive_test.cc, bad_input_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "read/otf2/layout.h"
#include "read/otf2/library.h"
#include "read/otf2/record_types.h"

namespace syncline {

enum class Otf2RecordKind : uint8_t {
  kMark,
  kEnter,
  kLeave,
  kSend,
  kImmediateSend,
  kSendComplete,
  kReceive,
  kReceivePosted,
  kReceiveComplete,
  kCancelled,
  kCollectiveBegin,
  kCollectiveEnd,
  kCollectivePosted,
  kCollectiveComplete,
};

// Numbers are OTF2's. Fields that a kind does not use stay at their defaults.
struct Otf2Record {
  uint64_t time = 0;            // recorded ticks
  uint64_t bytes = 0;           // of a message; what a collective sent
  uint64_t bytes_received = 0;  // by a collective
  uint64_t request = 0;
  uint64_t end = 0;           // of a BufferFlush: its second time
  uint32_t communicator = 0;  // also of ThreadTeamBegin and -End
  uint32_t number = 0;        // enter, leave: region; messages: rank of the peer; collectives: root
  uint32_t tag = 0;           // messages: tag; collectives: OTF2_CollectiveOp
  Otf2RecordKind kind = Otf2RecordKind::kMark;
  Otf2MarkType mark = Otf2MarkType::kUnknown;
};

class Otf2EventStream {
 public:
  static constexpr size_t kBatch = 512;

  static Result<Otf2EventStream> Open(const Otf2Layout& layout, ProcessId process);
  // Of a location without events.
  Otf2EventStream() = default;

  // The next record; nullptr at the end or at an error.
  const Otf2Record* Take() {
    if (next_ == size() && !Fill()) return nullptr;
    return &(*records_)[next_++];
  }
  // The record that Take() will return after `ahead` others.
  const Otf2Record* Peek(size_t ahead) {
    while (size() - next_ <= ahead) {
      if (!Fill()) return nullptr;
    }
    return &(*records_)[next_ + ahead];
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  size_t size() const { return records_ ? records_->size() : 0; }
  // Reads more; false when there is nothing more.
  bool Fill();

  std::string file_;
  ReaderHandle reader_;
  OTF2_EvtReader* events_ = nullptr;                  // belongs to reader_
  std::unique_ptr<std::vector<Otf2Record>> records_;  // where the library's callbacks put them
  size_t next_ = 0;
  uint64_t read_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace syncline
