// Which events of the inputs are the ends of matched messages.
//
// Requires: events are known by process and number, as MessageStore numbers them. Memory: 8 bytes
// per send and 16 per receive. Tested by: concurrency_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "trace/load.h"

namespace syncline {

class MessageLinks {
 public:
  static Result<MessageLinks> Of(const LoadedTraces& loaded);

  // How many receives the process's event number `index` has; 0 where it is no matched send.
  uint32_t CopiesOf(ProcessId process, uint64_t index) const;
  // What a send and its receives have in common, and nothing else.
  static uint64_t NumberOfSend(ProcessId process, uint64_t index);
  // Of the copy-th message that the event receives; empty where there is none.
  std::optional<uint64_t> NumberOfReceive(ProcessId process, uint64_t index, uint32_t copy) const;

 private:
  struct Process {
    std::vector<uint64_t> sends;                          // once per receive
    std::vector<std::pair<uint64_t, uint64_t>> receives;  // index, number
  };
  std::vector<Process> processes_;
};

}  // namespace syncline
