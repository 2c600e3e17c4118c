// What is kept of a computed event until it is delivered.
#pragma once

#include <cstdint>

namespace syncline {

// What is to be told an event's final time.
class FinalLink {
 public:
  enum class Kind : uint8_t { kNone, kSend, kReceive, kEnter, kLeave };

  FinalLink() = default;
  // Of a message record, or a rank's part in a collective's instance. Requires: rank < 2^29.
  FinalLink(uint32_t index, uint32_t rank, Kind kind)
      : index_(index), rank_and_kind_(rank << 3 | static_cast<uint32_t>(kind)) {}
  uint32_t index() const { return index_; }
  uint32_t rank() const { return rank_and_kind_ >> 3; }
  Kind kind() const { return static_cast<Kind>(rank_and_kind_ & 7); }

 private:
  uint32_t index_ = 0;
  uint32_t rank_and_kind_ = 0;
};

struct ComputedEvent {
  int64_t before = 0;   // C
  uint64_t tag = 0;     // the caller's own
  int64_t arrival = 0;  // online: by the clock of Tick()
  FinalLink link;
};

static_assert(sizeof(ComputedEvent) == 32);

}  // namespace syncline
