// Stamps on their way to another share of a computation (meter_share.h), told as what has changed
// since the last one from the same source: a process's past only grows.
//
//   stamp  = height event-height entry* 0
//   entry  = gap computed delayed events height     gap: from the entry before, the first from -1
//
// all as varints; but for gaps, steps from what the last stamp had. Both ends keep that. Entries of
// any kind can be told, those that grow by little are short.
// Requires: each end has one object for the other, and stamps arrive in the order in which they
// were put. Cost: O(differing nodes of both pasts). Memory at each end: a past per source, shared
// in memory with others where it was not changed since.
// Tested by: stamp_changes_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/varint.h"
#include "measure/concurrency/stamp.h"

namespace syncline {

class StampChanges {
 public:
  explicit StampChanges(size_t processes) : first_{PastVector(processes)} {}

  // `source`: any number that both ends give to stamps which mostly grow.
  void Put(uint64_t source, const PastStamp& stamp, std::vector<std::byte>& bytes);
  PastStamp Take(uint64_t source, VarintReader& reader);

 private:
  PastStamp& LastOf(uint64_t source) { return last_.try_emplace(source, first_).first->second; }

  PastStamp first_;  // knows nothing
  absl::flat_hash_map<uint64_t, PastStamp> last_;
};

}  // namespace syncline
