#include "cli/help/help_command.h"

#include <CLI/App.hpp>

#include "base/exit_code.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/help/help_text.h"

namespace syncline {

void DeclareHelp(CLI::App& command, HelpOptions& options) {
  command.add_option("COMMAND", options.command, "Of which; the whole program where none is given");
  command.add_flag("--man", options.man, "The manual page instead, for man(1)");
}

void DeclareCompletion(CLI::App& command, CompletionOptions& options) {
  command.add_option("SHELL", options.shell, "Whose")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

Result<int> RunHelp(const CommandModel& program, const HelpOptions& options) {
  const NamedCommand named = CommandOf(program, options.command);
  if (named.words < options.command.size()) {
    SYNCLINE_TRY(PrintText(UsageError(program, options.command, "no such command"), stderr));
    return kExitUsage;
  }
  SYNCLINE_TRY(PrintText(options.man ? ManPage(program, named.command, SYNCLINE_VERSION)
                                     : HelpText(named.command, false, HelpWidth()),
                         stdout));
  return kExitDone;
}

Result<int> RunCompletion(const CommandModel& program, const CompletionOptions& options) {
  SYNCLINE_TRY(PrintText(CompletionScript(program, options.shell), stdout));
  return kExitDone;
}

}  // namespace syncline
