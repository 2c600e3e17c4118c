// Which operations, recorded by each member of a group for itself, are one: collectives, and sends
// with their receives.
//
// Method, for each collective the first that it allows: by the name of its instance; by its number
// within the group; by its order among those of its group, which is assumed and therefore checked:
// kinds and sizes have to agree, and where members recorded different numbers of them only one
// shift may make them agree. Transfers by their order among those of their group, sender and
// receiver alone: each member counts its own, with whomever they are, and names are made of these
// numbers.
// What is in doubt is not matched: kinds or, of allreduce, bcast and reduce, sizes that differ; a
// member that has more operations of one name or number than another.
// Cost: O(n log n), by order in the worst case the product of two members' numbers. Memory: that of
// external_sort.h, 112 bytes of temporary disk space per operation, and 32 KiB for each member.
// Errors: those of temporary storage, and of who visits. Ownership: texts stay the caller's. Tested
// by: group_operations_test.cc.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/external_sort.h"
#include "match/key_hash.h"

namespace syncline {

// A text of which only order and equality count, in 32 bytes. Texts of up to 16 bytes are in order
// as such, longer ones that begin alike by a hash. Requires texts without NUL.
struct TextKey {
  uint64_t head[2] = {};  // its first bytes, the first one highest
  uint64_t hash[2] = {};

  TextKey() = default;
  explicit TextKey(std::string_view text) {
    if (text.empty()) return;
    for (size_t i = 0; i < 16; ++i) {
      head[i / 8] = head[i / 8] << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
    }
    KeyHash hashed;
    hashed.AddBytes(std::as_bytes(std::span(text)));
    hash[0] = hashed.First();
    hash[1] = hashed.Second();
  }
  friend auto operator<=>(const TextKey&, const TextKey&) = default;
  // Equality alone, in 8 bytes: 0 for the empty text.
  uint64_t Digest() const { return hash[0]; }
  bool empty() const { return *this == TextKey(); }
};

// A number that may not be known.
struct KnownNumber {
  static constexpr int64_t kNone = INT64_MIN;
  int64_t value = kNone;

  KnownNumber() = default;
  KnownNumber(int64_t number) : value(number) {}
  KnownNumber(const std::optional<int64_t>& number) : value(number.value_or(kNone)) {}
  explicit operator bool() const { return value != kNone; }
  int64_t operator*() const { return value; }
  friend bool operator==(const KnownNumber&, const KnownNumber&) = default;
};

struct GroupOperation {
  uint32_t member = 0;  // who recorded it
  uint32_t track = 0;   // the member's
  uint64_t index = 0;   // of its begin; the end is the next event
  LocalTime begin, end;
  std::string_view kind;  // as ShapeOf() takes it; "send" and "recv". Of up to 255 characters.
  std::string_view group;
  TextKey instance;      // the same for all of a collective; empty: none is recorded
  KnownNumber sequence;  // of collectives, within the group
  uint64_t size = 0;     // TextKey's digest of what the producer wrote; 0: nothing
  KnownNumber from, to;  // of transfers: ranks. None: not known, and nothing is matched.
  bool is_root = false;
  bool only_orders = false;  // part of nothing, but counts where order tells which belong together
};

struct MatchedOperations {
  uint64_t by_order = 0;  // of collectives and transfers
  // Operations that are part of nothing, without those that only order.
  uint64_t unmatched_collectives = 0, unmatched_sends = 0, unmatched_receives = 0;
  uint64_t ambiguous = 0;
  std::optional<GroupOperation> first_by_order, first_ambiguous;
};

// Those of a member in the order of their begins, and of arrival.
class GroupOperations {
 public:
  // Of each member that recorded it one, two at least.
  using OnCollective = std::function<Result<void>(std::span<const GroupOperation> members)>;
  using OnTransfer =
      std::function<Result<void>(const GroupOperation& send, const GroupOperation& receive)>;

  explicit GroupOperations(size_t memory_bytes = kSortMemory,
                           std::shared_ptr<SpillSpace> space = std::make_shared<SpillSpace>(0))
      : operations_(memory_bytes, std::move(space)) {}

  Result<void> Add(const GroupOperation& operation);
  // All of other members. The texts of `other` must outlive this object.
  Result<void> Take(GroupOperations other);
  // Leaves nothing in memory.
  Result<void> PutAllAway() { return operations_.PutAllAway(); }
  // Once, at the end: collectives first.
  Result<MatchedOperations> Match(const OnCollective& on_collective, const OnTransfer& on_transfer);

  enum class IdentifiedBy : uint8_t { kInstance, kSequence, kOrder, kEnds };
  // What of an operation counts once it has a key: those of one key may belong together. Small, for
  // it goes to disk.
  struct Keyed {
    IdentifiedBy by = IdentifiedBy::kOrder;  // kEnds: of transfers
    uint8_t kind_size = 0;
    bool is_root = false;
    bool only_orders = false;
    uint32_t group_size = 0;
    TextKey name;             // of the instance, else of the group
    int64_t numbers[2] = {};  // the sequence, or from and to
    uint32_t member = 0;
    uint32_t track = 0;
    LocalTime begin, end;
    uint64_t index = 0;
    uint64_t size = 0;
    const char* kind_text = nullptr;
    const char* group_text = nullptr;

    std::string_view kind() const { return {kind_text, kind_size}; }
    // Without what only its key was made of.
    GroupOperation Operation() const;
  };
  struct InOrder {
    bool operator()(const Keyed& a, const Keyed& b) const;
  };

 private:
  ExternalSort<Keyed, InOrder> operations_;
  std::array<uint64_t, 3> added_{};  // collectives, sends, receives
  std::string_view group_;           // the latest one
  TextKey group_key_;
};

}  // namespace syncline
