// Which operations, recorded by each member of a group for itself, are one: collectives, and sends
// with their receives.
//
// Method, for each operation the first that it allows: by the name of its instance; by its number
// within the group; by its order among those of its group (for transfers: of its sender and
// receiver), which is assumed and therefore checked: kinds and sizes have to agree, and where
// members recorded different numbers of them only one shift may make them agree.
// What is in doubt is not matched: kinds or, of allreduce, bcast and reduce, sizes that differ; a
// member that has more operations of one name or number than another.
// Requires: a member's operations in order. Cost: O(n log n), by order in the worst case the
// product of two members' numbers. Ownership: texts stay the caller's. Tested by:
// group_operations_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "syncline/message.h"

namespace syncline {

struct GroupOperation {
  uint32_t member = 0;    // who recorded it
  std::string_view kind;  // as ShapeOf() takes it; "send" and "recv"
  std::string_view group;
  std::string_view instance;        // the same for all of one operation; empty: none is recorded
  std::optional<int64_t> sequence;  // within the group, of collectives and of transfers apart
  std::string_view size;            // in words of the producer; empty: not recorded
  // Transfers: ranks. None: not known, and nothing is matched.
  std::optional<int64_t> from, to;
  bool is_root = false;
  EventRef begin, end;
};

struct MatchedOperations {
  // Numbers of operations; of a collective one for each member that recorded it, two at least.
  std::vector<std::vector<size_t>> collectives;
  struct Transfer {
    size_t send = 0, receive = 0;
  };
  std::vector<Transfer> transfers;
  uint64_t by_order = 0;  // of both
  // Operations that are part of nothing.
  uint64_t unmatched_collectives = 0, unmatched_sends = 0, unmatched_receives = 0;
  uint64_t ambiguous = 0;
  std::optional<size_t> first_ambiguous;
};

MatchedOperations MatchGroupOperations(std::span<const GroupOperation> operations);

}  // namespace syncline
