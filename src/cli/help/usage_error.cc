#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/help_text.h"

namespace syncline {
namespace {

// At most three, nearest first: a few letters away, or with `word` as their beginning.
std::vector<std::string> Nearest(std::string_view word, const std::vector<std::string>& names) {
  std::vector<std::pair<size_t, std::string>> near;
  const size_t most = std::max<size_t>(1, word.size() / 3);
  for (const std::string& name : names) {
    size_t distance = EditDistance(word, name);
    const bool is_beginning = word.size() > 3 && name.starts_with(word);
    if (is_beginning) distance = 0;
    if (distance <= most) near.emplace_back(distance, name);
  }
  std::ranges::sort(near);
  std::vector<std::string> nearest;
  for (const auto& [distance, name] : near) {
    // What is clearly nearer than the rest is what was meant.
    if (nearest.size() == 3 || distance > near.front().first + 1) break;
    nearest.push_back(name);
  }
  return nearest;
}

std::string Meant(const std::vector<std::string>& nearest) {
  if (nearest.empty()) return {};
  return fmt::format("; did you mean '{}'?", fmt::join(nearest, "' or '"));
}

std::vector<std::string> LongNames(const CommandModel& command) {
  std::vector<std::string> names;
  for (const OptionModel& option : command.options) {
    for (const std::string& name : option.names) {
      if (name.starts_with("--")) names.push_back(name);
    }
  }
  return names;
}

void FindCommandsWith(const CommandModel& command, std::string_view option,
                      std::vector<std::string>& found) {
  if (FindOption(command, option) != nullptr) found.push_back(command.name);
  for (const CommandModel& one : command.commands) FindCommandsWith(one, option, found);
}

std::string TryHelp(const CommandModel& command) {
  return fmt::format("Try '{} --help'.\n", command.name);
}

// "syncline: sync: ".
std::string Prefix(const CommandModel& program, const CommandModel& command) {
  if (&command == &program) return program.name + ": ";
  return fmt::format("{}: {}: ", program.name, command.name.substr(program.name.size() + 1));
}

std::string UnknownCommand(const CommandModel& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CommandModel& one : command.commands) names.emplace_back(LastWord(one.name));
  const std::vector<std::string> nearest = Nearest(word, names);
  std::string text = fmt::format("syncline: no command '{}'{}\n", word, Meant(nearest));
  std::error_code ignored;
  if (nearest.empty() && std::filesystem::exists(word, ignored)) {
    text += fmt::format("To correct traces: syncline sync {} ... -o DIR\n", word);
  } else if (nearest.empty()) {
    text += fmt::format("There are: {}\n", fmt::join(names, ", "));
  }
  return text + TryHelp(command);
}

// An option that the command does not have; nothing where all are known.
std::optional<std::string> UnknownOption(const CommandModel& program, const CommandModel& command,
                                         const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with("--") || word.size() == 2) continue;
    const std::string name = word.substr(0, word.find('='));
    if (FindOption(command, name) != nullptr) continue;
    std::string text = fmt::format("{}no option '{}'", Prefix(program, command), name);
    const std::vector<std::string> nearest = Nearest(name, LongNames(command));
    text += Meant(nearest);
    std::vector<std::string> others;
    FindCommandsWith(program, name, others);
    if (nearest.empty() && !others.empty()) {
      if (others.size() > 3) others.resize(3);
      text += fmt::format("; it is one of {}", fmt::join(others, ", "));
    }
    return text + "\n";
  }
  return std::nullopt;
}

}  // namespace

std::string UsageError(const CommandModel& program, const std::vector<std::string>& words,
                       std::string_view problem) {
  const auto [command, named] = CommandOf(program, words);
  const bool needs_command = !command.commands.empty() && command.positionals.empty();
  if (needs_command && named < words.size() && !words[named].starts_with('-')) {
    return UnknownCommand(command, words[named]);
  }
  if (const auto text = UnknownOption(program, command, words)) return *text + TryHelp(command);
  return fmt::format("{}{}\n{}", Prefix(program, command), problem, TryHelp(command));
}

size_t EditDistance(std::string_view a, std::string_view b) {
  // Rows of the table of distances of beginnings; two are needed for neighbours that are swapped.
  std::vector<size_t> before;
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace syncline
