// What became of the events that a rule names.
#pragma once

#include <cstdint>

namespace syncline {

// Of one rule. Every event of `sends` and `receives` is in exactly one of the groups from
// `matched_sends` on.
struct RuleMatchCounts {
  uint64_t messages = 0;
  uint64_t broadcasts = 0;
  uint64_t without_key = 0;  // events without a field that their class has; not among the others
  uint64_t sends = 0;
  uint64_t receives = 0;
  uint64_t matched_sends = 0;     // part of a message
  uint64_t matched_receives = 0;  // part of a message, or of a broadcast without recorded send
  uint64_t unmatched_sends = 0;
  uint64_t unmatched_receives = 0;
  uint64_t ambiguous = 0;
  uint64_t to_itself = 0;  // both ends in one process
  friend bool operator==(const RuleMatchCounts&, const RuleMatchCounts&) = default;
};

}  // namespace syncline
