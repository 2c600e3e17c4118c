// Passes over the messages of loaded traces, as estimation asks for them.
//
// Tested by: message_pass_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "estimate/message_pass.h"
#include "trace/load.h"

namespace syncline {

// Every message that relates clocks, what complete collectives stand for, and what messages imply,
// numbered as they come: messages first.
Result<void> VisitNumbered(const LoadedTraces& loaded,
                           const std::function<void(const Message&, uint64_t id)>& visit);

// Those between different clocks, but for the ids left out (ascending). Ownership: both must
// outlive the pass.
MessagePass PassOver(const LoadedTraces& loaded, std::span<const uint64_t> left_out = {});

// Likely messages between different clocks, but for those left out (by their number); their ids
// count from `first_id`. Ownership: as PassOver.
MessagePass PassOverLikely(const LoadedTraces& loaded, uint64_t first_id,
                           const std::vector<bool>& is_left_out);

}  // namespace syncline
