#include "cli/command_set.h"

#include <type_traits>

#include <CLI/App.hpp>

#include "base/exit_code.h"
#include "base/temporaries.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/clock/clock_command.h"
#include "cli/commands.h"
#include "cli/compare/compare_command.h"
#include "cli/concurrency/concurrency_command.h"
#include "cli/convert/convert_command.h"
#include "cli/filter/filter_command.h"
#include "cli/help/command_model.h"
#include "cli/help/help_text.h"
#include "cli/report/report_command.h"
#include "cli/simulate/simulate_command.h"

namespace syncline {
namespace {

// `syncline help` and `syncline completion`.
struct HelpOptions {
  std::vector<std::string> command;
  bool man = false;
};
struct CompletionOptions {
  std::string shell;
};

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

constexpr const char* kAbout =
    "Syncline puts traces of machines whose clocks do not agree onto one time,\n"
    "with guaranteed bounds, from the messages they exchanged.";

constexpr const char* kExitCodes =
    "Exit codes: 0 done, all guarantees hold; 1 wrong usage; 2 input unreadable; 3 done, with a\n"
    "stated weakness (quality below accurate, data lost in the input, unrelated clocks);\n"
    "4 no correction possible.";

// An option given as '' would be taken for one that was not given.
void RefuseEmptyValues(CLI::App& app) {
  const auto needs_some = [](const std::string& value) {
    return value.empty() ? std::string("needs a value") : std::string();
  };
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(needs_some);
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    RefuseEmptyValues(*command);
  }
}

// Of --NAME= the parser would take the next word for the value.
void RefuseEmptyWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return;
    if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    throw CLI::ValidationError(word.substr(0, word.size() - 1), "needs a value");
  }
}

}  // namespace

// Its options live as long as the program does.
template <typename Options, typename Declare, typename RunIt>
CommandSet::Command& CommandSet::Add(const char* name, const char* about, Declare declare,
                                     RunIt run) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app_.add_subcommand(name, about);
  declare(*command, *options);
  const auto run_it = [options, run, command](const std::string& command_line) -> Result<int> {
    if constexpr (std::is_invocable_v<RunIt, const CLI::App&, const Options&>) {
      return run(*command, *options);
    } else if constexpr (std::is_invocable_v<RunIt, const Options&>) {
      return run(*options);
    } else {
      return run(*options, command_line);
    }
  };
  return commands_.emplace_back(Command{command, run_it});
}

CommandSet::CommandSet() : app_(kAbout, "syncline") {
  app_.footer(kExitCodes);
  app_.set_version_flag("-V,--version", "syncline " SYNCLINE_VERSION, "Tell the version");
  app_.get_help_ptr()->description("Tell the options that most people need");
  app_.set_help_all_flag("--help-all", "Tell all options");
  app_.require_subcommand(1);

  Add<SyncOptions>("sync", "Correct the clocks of traces and write the traces back",
                   DeclareSyncOptions, RunSync);
  Add<EstimateOptions>("check",
                       "Show inversions, clocks, bounds and delays of traces; change nothing",
                       DeclareCheckOptions, RunCheck);
  Add<CompareOptions>("compare",
                      "Show what every method makes of traces, side by side; change nothing",
                      DeclareCompareOptions, RunCompare);
  Add<ConvertOptions>(
      "convert",
      "Write traces for other tools: Chrome JSON, Perfetto, ShiViz, tables, text, OTF2, CTF",
      DeclareConvertOptions, RunConvert);
  Add<ConcurrencyCommandOptions>(
      "concurrency", "Measure how concurrent a computation was, and where it lost time waiting",
      DeclareConcurrencyOptions, RunConcurrency);
  Add<FilterOptions>("filter",
                     "Run the controlled logical clock over a trace, as a stream in bounded memory",
                     DeclareFilterOptions, RunFilter);
  Add<ReportOptions>("report", "Make an HTML report of a summary that sync or check has written",
                     DeclareReportCommand, RunReport);
  Add<SimulateOptions>("simulate", "Write traces of processes whose true clocks are known",
                       DeclareSimulateOptions, RunSimulate);
  Add<ClockOptions>("clock", "Clocks of running machines: calibrate, characterize, serve, probe",
                    DeclareClockCommands, RunClock)
      .says_which_signals = true;
  for (Command& command : commands_) {
    if (command.app->get_footer().empty()) command.app->footer(kExitCodes);
  }
  Add<HelpOptions>("help", "Tell the options of a command", DeclareHelp,
                   [this](const HelpOptions& options) { return RunHelp(Model(app_), options); });
  Add<CompletionOptions>(
      "completion", "Write the script by which a shell completes this command", DeclareCompletion,
      [this](const CompletionOptions& options) { return RunCompletion(Model(app_), options); });
  RefuseEmptyValues(app_);
}

void CommandSet::Parse(const std::vector<std::string>& words) {
  RefuseEmptyWords(words);
  app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as the parser wants them
}

Result<int> CommandSet::Run(const std::string& command_line) const {
  for (const Command& command : commands_) {
    if (!command.app->parsed()) continue;
    if (!command.says_which_signals) RemoveTemporariesOnSignals();
    return command.run(command_line);
  }
  return kExitUsage;  // the parser requires one
}

int CommandSet::Answer(const CLI::Success& asked, const std::vector<std::string>& words) const {
  const bool whole = asked.get_name() == "CallForAllHelp";
  if (!whole && asked.get_name() != "CallForHelp") return app_.exit(asked);
  const CommandModel program = Model(app_);
  (void)PrintText(HelpText(CommandOf(program, words).command, whole, HelpWidth()), stdout);
  return kExitDone;
}

int CommandSet::Refuse(const CLI::ParseError& error, const std::vector<std::string>& words) const {
  const CommandModel program = Model(app_);
  (void)PrintText(words.empty() ? HelpText(program, false, HelpWidth())
                                : UsageError(program, words, error.what()),
                  stderr);
  return kExitUsage;
}

}  // namespace syncline
