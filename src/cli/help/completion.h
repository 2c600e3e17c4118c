// Scripts by which shells complete commands, options and their choices; file names elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "cli/help/command_model.h"

namespace syncline {

// Empty for other shells than "bash", "zsh" and "fish".
std::string CompletionScript(const CommandModel& program, std::string_view shell);

}  // namespace syncline
