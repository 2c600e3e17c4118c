#include "cli/config_file.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/file.h"
#include "cli/help/command_model.h"

namespace syncline {
namespace {

std::optional<std::string> ConfigFileOf(const std::vector<std::string>& arguments) {
  static constexpr std::string_view kName = "--config";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == kName && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(std::string(kName) + "=")) {
      return arguments[i].substr(kName.size() + 1);
    }
  }
  return std::nullopt;
}

class ConfigReader {
 public:
  ConfigReader(const CLI::App& command, ConfigFile file)
      : command_(command), file_(std::move(file)) {}

  ConfigFile Read(const std::string& text) {
    std::istringstream lines(text);
    uint64_t last_line = 0;
    for (std::string line; std::getline(lines, line);) {
      line_ = ++last_line;
      CLI::detail::trim(line);
      if (line.empty() || line[0] == '#' || line[0] == ';') continue;
      for (std::string more; IsOpenList(line); line += "\n" + CLI::detail::trim(more)) {
        if (!std::getline(lines, more)) Refuse("the list has no end");
        ++last_line;
      }
      std::istringstream one(line);
      Add(CLI::ConfigTOML().from_config(one));
    }
    return std::move(file_);
  }

 private:
  // As the parser of lines has it.
  static bool IsOpenList(const std::string& line) {
    const size_t at = line.find('=');
    if (at == std::string::npos) return false;
    const size_t first_end = std::min(line.find('#', at), line.find('\n', at));
    std::string value = line.substr(at + 1, first_end - at - 1);
    CLI::detail::trim(value);
    if (value.size() < 2 || value[0] != '[') return false;
    const size_t break_at = line.rfind('\n');
    return (break_at == std::string::npos ? value : line).back() != ']';
  }

  void Add(const std::vector<CLI::ConfigItem>& items) {
    const bool is_one = items.size() == 1 && items[0].parents.empty() && !items[0].name.empty() &&
                        !items[0].inputs.empty();
    if (!is_one) Refuse("expected NAME = VALUE, or the NAME of a flag");
    const std::string name = "--" + items[0].name;
    if (name == "--config") Refuse("a file of options cannot name another one");
    const CLI::Option* option = command_.get_option_no_throw(name);
    if (option != nullptr &&
        option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast) {
      if (items[0].inputs.size() > 1) {
        Refuse(name + " takes one value; spaces and commas of a value need quotes around it");
      }
      if (!given_.insert(option).second) Refuse(name + " is given twice");
    }
    ConfigFile::Option& added = file_.options.emplace_back();
    added.name = name;
    added.line = line_;
    for (const std::string& value : items[0].inputs) {
      if (value.empty()) Refuse(name + " needs a value");
      added.words.push_back(name + "=" + value);
    }
  }

  [[noreturn]] void Refuse(const std::string& why) const {
    throw CLI::FileError(fmt::format("{}:{}: {}", file_.path, line_, why));
  }

  const CLI::App& command_;
  ConfigFile file_;
  std::set<const CLI::Option*> given_;
  uint64_t line_ = 0;  // where the option begins
};

// As a whole word.
bool Mentions(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end == text.size()) return true;
    if (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '-') return true;
  }
  return false;
}

}  // namespace

ConfigFile ReadConfigFile(const CLI::App& program, const std::vector<std::string>& words) {
  const std::optional<std::string> path = ConfigFileOf(words);
  if (!path || path->empty()) return {};  // the parser refuses an empty one
  const Result<std::string> text = ReadWholeFile(*path);
  if (!text) throw CLI::FileError(text.error().ToString());
  ConfigFile file{*path, CommandOf(Model(program), words).words, {}};
  const CLI::App* command = &program;
  for (size_t i = 0; i < file.behind; ++i) command = command->get_subcommand(words[i]);
  return ConfigReader(*command, std::move(file)).Read(*text);
}

std::vector<std::string> WithOptions(std::vector<std::string> words, const ConfigFile& file) {
  auto at = static_cast<ptrdiff_t>(file.behind);
  for (const ConfigFile::Option& option : file.options) {
    words.insert(words.begin() + at, option.words.begin(), option.words.end());
    at += static_cast<ptrdiff_t>(option.words.size());
  }
  return words;
}

std::string PlacesOfOptions(const ConfigFile& file, std::string_view problem,
                            const std::vector<std::string>& words) {
  std::string places;
  for (const ConfigFile::Option& option : file.options) {
    const bool is_overridden = std::any_of(words.begin(), words.end(), [&](const auto& word) {
      return word.substr(0, word.find('=')) == option.name;
    });
    if (is_overridden || !Mentions(problem, option.name)) continue;
    places += fmt::format("{}:{}: {} is given here\n", file.path, option.line, option.name);
  }
  return places;
}

}  // namespace syncline
