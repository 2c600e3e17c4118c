// What a process makes of the messages that it holds (match/team_messages.h), as it travels.
//
// An answer is what was asked for, or why there is none, with the name of the process.
// Tested by: src/cli/distributed_command_test.cc.
#pragma once

#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/parcel.h"
#include "distributed/communicator.h"
#include "trace/message_pass.h"

namespace syncline {

// The answer to a task.
Parcel DoTask(const MessageShare& share, ParcelReader& task, const Communicator& communicator);
Parcel AnswerOf(const Result<std::vector<Message>>& messages, const Communicator& communicator);
// The rest of an answer; its error, of the process that has it.
Result<ParcelReader> OpenAnswer(ParcelReader answer);

void PutError(const Error& error, Parcel& parcel);
Error TakeError(ParcelReader& parcel);

}  // namespace syncline
