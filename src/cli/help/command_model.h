// The commands and options of the program as plain values, from which help, manual pages,
// completions and what is said of wrong words are made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace syncline {

struct OptionModel {
  std::vector<std::string> names;  // with dashes, short ones first; of a positional: its name
  std::string value;               // what stands for the value; empty: none is taken
  std::vector<std::string> choices;
  std::string default_value;
  std::string text;
  std::string group;
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;
  size_t rank = 0;  // among those that --help shows, from 1; 0: --help-all alone shows it
};

struct CommandModel {
  std::string name;  // "syncline", "syncline clock probe"
  std::string about;
  std::string footer;
  std::vector<std::string> examples;
  std::vector<OptionModel> positionals;
  std::vector<OptionModel> options;  // that are to be shown
  std::vector<CommandModel> commands;
};

CommandModel Model(const CLI::App& app);
struct NamedCommand {
  const CommandModel& command;
  size_t words = 0;  // that name it
};
// The command that the first of `words` name, as far as they do.
NamedCommand CommandOf(const CommandModel& program, const std::vector<std::string>& words);
// Null: there is none. `name` with its dashes.
const OptionModel* FindOption(const CommandModel& command, std::string_view name);
// "sync" of "syncline sync".
std::string_view LastWord(std::string_view name);

}  // namespace syncline
