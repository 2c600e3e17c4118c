// The messages under way: records of sends and receives, found by their names, in lists by age.
//
// A record lives from its first event until both of its ends are final (or given up); its number
// is then used again. Named records can be found; a record that has both ends needs no name.
// Lists (doubly linked through the records) hold what waits for one process, oldest first.
// Cost: O(1) per operation, no allocation once the largest number under way is reached. The hash is
// seeded at random, so chosen names cannot make it slow; nothing depends on its order.
// Tested by: src/logical/message_table_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

inline constexpr uint32_t kNoRecord = UINT32_MAX;
// The receiver in the name of a broadcast.
inline constexpr uint32_t kEveryone = UINT32_MAX;

struct MessageName {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t message = 0;
  friend bool operator==(const MessageName&, const MessageName&) = default;
};

struct alignas(64) MessageRecord {
  enum class State : uint8_t {
    kFree,
    kHeld,            // a send that holds back its process's amortization
    kReleased,        // a send that has been waited for long enough; its receive may still come
    kBroadcast,       // a broadcast: any number of receives, each gets a record of its own
    kMatched,         // both ends are computed
    kForgotten,       // whose name is gone; free once its own event is final
    kReceiveGivenUp,  // a receive that went on without its send
  };
  MessageName name;
  State state = State::kFree;
  bool send_is_final = false;
  bool receive_is_final = false;
  bool is_broadcast = false;  // of a broadcast
  bool is_waiting = false;    // has a findable name and is in a list
  bool is_set_aside = false;  // a receive: of a cycle
  bool is_late = false;       // matched after its receive had gone on
  // Of a broadcast, or a send that came late: the first of its receives that wait for its final
  // time; these: the next of them. While a send waits: the receive that it came too late for,
  // unless another comes.
  uint32_t chain = kNoRecord;
  uint32_t previous = kNoRecord;
  uint32_t next = kNoRecord;
  uint32_t hash = 0;      // of the name
  uint64_t sequence = 0;  // of the send in its process
  uint64_t send_tag = 0;
  int64_t send_before = 0;  // C
  int64_t send_simple = 0;  // LC
  int64_t send_after = 0;   // LC', then the final time
  uint64_t bytes = 0;
  int64_t minimum_delay = 0;   // once matched
  uint64_t receive_tag = 0;    // once the receive is computed
  int64_t receive_before = 0;  // once the receive is computed: C
  int64_t receive_after = 0;   // once the receive is computed: LC', then the final time
  int64_t deadline = 0;        // while waiting: of the partner's clock
};

static_assert(sizeof(MessageRecord) <= 128);  // two cache lines

// A list of records; a record is in at most one.
struct RecordList {
  uint32_t first = kNoRecord;
  uint32_t last = kNoRecord;
};

class MessageTable {
 public:
  MessageTable();

  // A record in no list and without findable name. References end with the next Create().
  uint32_t Create(const MessageName& name);
  void Free(uint32_t record);
  MessageRecord& operator[](uint32_t record) { return records_[record]; }
  const MessageRecord& operator[](uint32_t record) const { return records_[record]; }

  // kNoRecord where no record has this name.
  uint32_t Find(const MessageName& name) const;
  // Makes the record findable. Requires: no other record has its name.
  void AddName(uint32_t record);
  // No effect where the record cannot be found.
  void RemoveName(uint32_t record);

  void Append(RecordList& list, uint32_t record);
  void Remove(RecordList& list, uint32_t record);

  size_t in_use() const { return records_.size() - free_.size(); }

 private:
  struct Slot {
    uint32_t record = kNoRecord;
    uint32_t hash = 0;  // to compare before the record is touched
  };
  uint32_t Hash(const MessageName& name) const;
  size_t SlotOf(uint32_t record) const;
  void Grow();
  void Place(Slot slot);

  uint64_t seed_;
  std::vector<MessageRecord> records_;
  std::vector<uint32_t> free_;
  std::vector<Slot> slots_;  // open addressing, linear probing
  size_t mask_ = 0;
  size_t named_ = 0;
};

}  // namespace syncline
