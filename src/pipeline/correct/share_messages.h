// What a process of an MPI run has of an archive of whose events each process holds some, and the
// messages that begin or end among them, from the processes that have matched them.
//
// Cost: 32 bytes of each message to each of its ends that is held elsewhere than it was matched.
// Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "logical/replay_team.h"
#include "logical/replay_trace.h"
#include "match/message_store.h"
#include "trace/load.h"

namespace syncline {

struct TraceShare {
  const LoadedTraces& archive;       // the only input, with events of the processes here
  const LoadedTraces& held;          // the messages that were matched here
  std::span<const uint32_t> shares;  // by process: who holds its events
  ReplayTeam& team;

  std::vector<bool> IsHere() const;  // by process
};

// All shares at once. `matched`: those that were matched here; `visit` sees each of them. Where
// another share has failed, nothing of use.
Result<std::vector<ReplayTrace::Message>> FetchMessages(
    const TraceShare& share, const MessageStore& matched,
    const std::function<void(const Message&)>& visit);

// For a step that ends for all shares where that of one has failed: this one's error, or an empty
// T, since the error is told by the share that has it.
template <typename T, typename U>
Result<T> OwnError(const Result<U>& step) {
  if (step) return T();
  return tl::unexpected(step.error());
}

}  // namespace syncline
