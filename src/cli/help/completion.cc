#include <algorithm>
#include <vector>

#include <absl/strings/str_replace.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/help_text.h"

namespace syncline {
namespace {

void AddCommands(const CommandModel& command, std::vector<const CommandModel*>& commands) {
  commands.push_back(&command);
  for (const CommandModel& one : command.commands) AddCommands(one, commands);
}

std::vector<const CommandModel*> AllCommands(const CommandModel& program) {
  std::vector<const CommandModel*> commands;
  AddCommands(program, commands);
  return commands;
}

std::string Words(const CommandModel& command) {
  std::vector<std::string_view> words;
  for (const CommandModel& one : command.commands) words.push_back(LastWord(one.name));
  for (const OptionModel& option : command.positionals) {
    words.insert(words.end(), option.choices.begin(), option.choices.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string Options(const CommandModel& command) {
  std::vector<std::string_view> names;
  for (const OptionModel& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// What the scripts for bash and zsh do not have in common.
struct ShellSyntax {
  std::string_view begin;    // the function up to the loop over the words so far
  std::string_view choices;  // offers the words {}
  std::string_view end;      // offers $options or $subcommands
};

constexpr ShellSyntax kBash{
    "_syncline() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "  local at=syncline word options subcommands\n"
    "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n",
    "COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return",
    "  if [[ $cur == -* ]]; then\n"
    "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
    "  else\n"
    "    COMPREPLY=($(compgen -W \"$subcommands\" -- \"$cur\"; compgen -f -- \"$cur\"))\n"
    "  fi\n"
    "}\n"
    "complete -o filenames -F _syncline syncline\n"};
constexpr ShellSyntax kZsh{
    "#compdef syncline\n"
    "_syncline() {\n"
    "  local cur=${words[CURRENT]} prev=${words[CURRENT-1]}\n"
    "  local at=syncline word options subcommands\n"
    "  for word in \"${words[@]:1:$((CURRENT-2))}\"; do\n",
    "compadd -- {}; return",
    "  if [[ $cur == -* ]]; then\n"
    "    compadd -- ${=options}\n"
    "  else\n"
    "    compadd -- ${=subcommands}\n"
    "    _files\n"
    "  fi\n"
    "}\n"
    // Run by the completion system from a folder of functions, or read by a start-up file.
    "if [[ $funcstack[1] == _syncline ]]; then _syncline; else compdef _syncline syncline; fi\n"};

std::string ShellScript(const CommandModel& program, const ShellSyntax& syntax) {
  std::string steps = "    case \"$at $word\" in\n";
  std::string choices = "  case \"$at $prev\" in\n";
  std::string tables = "  case \"$at\" in\n";
  for (const CommandModel* command : AllCommands(program)) {
    if (command != &program) steps += fmt::format("      \"{0}\") at=\"{0}\" ;;\n", command->name);
    tables += fmt::format("    \"{}\") options='{}' subcommands='{}' ;;\n", command->name,
                          Options(*command), Words(*command));
    for (const OptionModel& option : command->options) {
      if (option.choices.empty()) continue;
      const std::string words = fmt::format("{}", fmt::join(option.choices, " "));
      for (const std::string& name : option.names) {
        choices += fmt::format("    \"{} {}\") {} ;;\n", command->name, name,
                               fmt::format(fmt::runtime(syntax.choices), words));
      }
    }
  }
  return fmt::format("{}{}    esac\n  done\n{}  esac\n{}  esac\n{}", syntax.begin, steps, choices,
                     tables, syntax.end);
}

std::string InFishQuotes(const std::string& text) {
  return "'" + absl::StrReplaceAll(text, {{"'", "\\'"}, {"\\", "\\\\"}, {"\n", " "}}) + "'";
}

// That the words so far name `command` and none below it.
std::string FishCondition(const CommandModel& program, const CommandModel& command) {
  std::string condition;
  if (&command == &program) return "__fish_use_subcommand";
  std::string_view words = std::string_view(command.name).substr(program.name.size() + 1);
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (!condition.empty()) condition += "; and ";
    condition += fmt::format("__fish_seen_subcommand_from {}", words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  if (command.commands.empty()) return condition;
  return fmt::format("{}; and not __fish_seen_subcommand_from {}", condition, Words(command));
}

std::string FishScript(const CommandModel& program) {
  std::string script;
  for (const CommandModel* command : AllCommands(program)) {
    const std::string when =
        fmt::format("complete -c syncline -n {}", InFishQuotes(FishCondition(program, *command)));
    for (const CommandModel& one : command->commands) {
      script += fmt::format("{} -a {} -d {}\n", when, LastWord(one.name), InFishQuotes(one.about));
    }
    for (const OptionModel& option : command->positionals) {
      if (option.choices.empty()) continue;
      script += fmt::format("{} -a '{}'\n", when, fmt::join(option.choices, " "));
    }
    for (const OptionModel& option : command->options) {
      script += when;
      for (const std::string& name : option.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.value.empty()) script += " -r";
      if (!option.choices.empty())
        script += fmt::format(" -f -a '{}'", fmt::join(option.choices, " "));
      script +=
          fmt::format(" -d {}\n", InFishQuotes(option.text.substr(0, option.text.find(". "))));
    }
  }
  return script;
}

}  // namespace

std::string CompletionScript(const CommandModel& program, std::string_view shell) {
  if (shell == "bash") return ShellScript(program, kBash);
  if (shell == "zsh") return ShellScript(program, kZsh);
  return shell == "fish" ? FishScript(program) : std::string();
}

}  // namespace syncline
