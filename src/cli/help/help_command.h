// `syncline help` and `syncline completion`.
#pragma once

#include <string>
#include <vector>

#include "syncline/result.h"

#include "cli/help/command_model.h"

namespace syncline {

struct HelpOptions {
  std::vector<std::string> command;
  bool man = false;
};
struct CompletionOptions {
  std::string shell;
};

void DeclareHelp(CLI::App& command, HelpOptions& options);
void DeclareCompletion(CLI::App& command, CompletionOptions& options);
Result<int> RunHelp(const CommandModel& program, const HelpOptions& options);
Result<int> RunCompletion(const CommandModel& program, const CompletionOptions& options);

}  // namespace syncline
