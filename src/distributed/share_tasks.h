// What a process makes of the messages that it holds (match/team_messages.h), as it travels.
//
// An answer is what was asked for, or why there is none, with the name of the process.
// Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <span>
#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/parcel.h"
#include "distributed/communicator.h"
#include "pipeline/correct/shared_stage.h"
#include "trace/kept_archive.h"
#include "trace/message_pass.h"

namespace syncline {

// What a process has of an archive that is the only input.
struct ShareOfArchive {
  const LoadedArchive& archive;
  const MessageShare& messages;
  std::span<const int> readers;  // by ProcessId: who has the location
  KeptShifts& kept;
};

// The answer to a task.
Parcel DoTask(const ShareOfArchive& share, ParcelReader& task, Communicator& communicator);
Parcel AnswerOf(const Result<std::vector<Message>>& messages, const Communicator& communicator);
// The rest of an answer; its error, of the process that has it.
Result<ParcelReader> OpenAnswer(ParcelReader answer);

}  // namespace syncline
