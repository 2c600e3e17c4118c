// A computation of which several meters each have a share: some of its processes, with what others
// tell of theirs.
//
// A meter tells each send that is delivered elsewhere as it happens, and of each collective with
// members in several shares what the ends elsewhere may wait for: the root's begin, each begin of a
// prefix, else all begins that are here together, once the last one has happened: their stamps
// merged, which is all that an end makes of them. So n members in m shares cost m (m − 1) stamps
// rather than n (m − 1).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "logical/logical_event.h"
#include "measure/concurrency/stamp.h"

namespace syncline {

struct SendElsewhere {
  uint64_t message = 0;
  EventOrigin origin;
};

struct BeginsElsewhere {
  struct Member {
    EventOrigin origin;
    bool is_root = false;
    bool takes_part = true;
  };

  uint32_t group = 0;
  CollectiveFlow flow = CollectiveFlow::kNone;
  uint64_t instance = 0;
  uint64_t use = 0;  // of the instance's number, from 0
  uint64_t count = 0;
  std::optional<PastStamp> stamp;  // of those that take part, or the root's
  // Of a prefix the one; of others all that `stamp` is of, and none where origins are not kept.
  std::vector<Member> members;
};

struct MeterShare {
  std::vector<bool> is_here;  // by process
  std::function<void(const SendElsewhere&, const PastStamp&)> tell_send;
  std::function<void(const BeginsElsewhere&)> tell_begins;
};

}  // namespace syncline
