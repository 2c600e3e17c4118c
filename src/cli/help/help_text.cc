#include "cli/help/help_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/terminal_text.h"

namespace syncline {
namespace {

// "How all clocks are brought together. drift-bounded (default): …" in a line.
std::string InShort(const OptionModel& option) {
  constexpr size_t kLeast = 12;  // "CTF: …" and the like say nothing yet
  size_t end = option.text.size();
  for (const std::string_view stop : {". ", "; ", ": ", " ("}) {
    end = std::min(end, option.text.find(stop, kLeast));
  }
  const std::string first = option.text.substr(0, end);
  return option.default_value.empty() ? first : fmt::format("{} [{}]", first, option.default_value);
}

void AddRow(std::string& out, std::string_view head, std::string_view text, size_t column,
            size_t width) {
  out += fmt::format("  {}", head);
  size_t at = 2 + head.size();
  if (at + 1 >= column && !text.empty()) {
    out += '\n';
    at = 0;
  }
  for (const std::string& line : WrapText(text, width > column + 20 ? width - column : 20)) {
    out += fmt::format("{:{}}{}\n", "", column - at, line);
    at = 0;
  }
  if (at > 0 && text.empty()) out += '\n';
}

size_t ColumnOf(const std::vector<OptionModel>& options) {
  constexpr size_t kMost = 30;
  size_t column = 14;
  for (const OptionModel& option : options) {
    const size_t wanted = OptionHead(option).size() + 4;
    if (wanted <= kMost) column = std::max(column, wanted);
  }
  return column;
}

// The options that --help shows, in that order.
std::vector<OptionModel> EssentialOnes(std::vector<OptionModel> options) {
  std::erase_if(options, [](const OptionModel& option) { return option.rank == 0; });
  std::ranges::stable_sort(options, {}, &OptionModel::rank);
  return options;
}

}  // namespace

std::string HelpText(const CommandModel& command, bool whole, size_t width) {
  std::string out;
  for (const std::string& line : WrapText(command.about, width)) out += line + "\n";
  out += fmt::format("\nUsage: {}\n", UsageLine(command));
  if (!command.examples.empty()) {
    out += "\nExamples:\n";
    for (const std::string& example : command.examples) out += fmt::format("  {}\n", example);
  }
  if (!command.positionals.empty()) out += '\n';
  for (const OptionModel& option : command.positionals) {
    AddRow(out, OptionHead(option), option.text + OptionTail(option), 14, width);
  }
  if (!command.commands.empty()) {
    out += "\nCommands:\n";
    for (const CommandModel& one : command.commands) {
      AddRow(out, LastWord(one.name), one.about, 16, width);
    }
  }
  const std::vector<OptionModel> options = whole ? command.options : EssentialOnes(command.options);
  const size_t column = ColumnOf(options);
  for (const std::string& group : GroupsOf(options)) {
    out += fmt::format("\n{}:\n", group);
    for (const OptionModel& option : options) {
      if (option.group != group) continue;
      const std::string text = whole ? option.text + OptionTail(option) : InShort(option);
      AddRow(out, OptionHead(option), text, column, width);
    }
  }
  const size_t hidden = command.options.size() - options.size();
  if (hidden > 0) {
    out += fmt::format("\n{} --help-all tells more, also of {} other {}.\n", command.name, hidden,
                       hidden == 1 ? "option" : "options");
  }
  if (whole && !command.footer.empty()) {
    out += "\n" + command.footer;
    if (!out.ends_with('\n')) out += '\n';
  }
  return out;
}

size_t HelpWidth() { return std::clamp<size_t>(TerminalColumns(stdout).value_or(100), 60, 100); }

std::string UsageLine(const CommandModel& command) {
  std::string line = command.name;
  if (!command.options.empty()) line += " [OPTIONS]";
  for (const OptionModel& option : command.positionals) {
    const std::string dots = option.is_repeatable ? "..." : "";
    line += option.is_required ? fmt::format(" {}{}", option.names.front(), dots)
                               : fmt::format(" [{}{}]", option.names.front(), dots);
  }
  for (const OptionModel& option : command.options) {
    if (option.is_required) line += fmt::format(" {} {}", option.names.front(), option.value);
  }
  if (!command.commands.empty()) line += command.positionals.empty() ? " COMMAND" : " [COMMAND]";
  return line;
}

std::string OptionHead(const OptionModel& option) {
  std::string head = fmt::format("{}", fmt::join(option.names, ","));
  if (option.is_positional) return head + (option.is_repeatable ? "..." : "");
  if (!option.value.empty()) head += " " + option.value;
  return head;
}

std::string OptionTail(const OptionModel& option) {
  std::string tail;
  const bool are_told = std::ranges::all_of(option.choices, [&](const std::string& choice) {
    return option.text.find(choice) != std::string::npos;
  });
  if (!are_told) tail += fmt::format(". One of {}", fmt::join(option.choices, ", "));
  if (!option.default_value.empty()) tail += fmt::format(" [{}]", option.default_value);
  if (option.is_repeatable && !option.is_positional) tail += " (may be repeated)";
  return tail;
}

std::vector<std::string> GroupsOf(const std::vector<OptionModel>& options) {
  std::vector<std::string> groups;
  for (const OptionModel& option : options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  return groups;
}

std::vector<std::string> WrapText(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(std::exchange(line, {}));
    }
    if (!line.empty() && !word.empty()) line += ' ';
    line += word;
    if (end < text.size() && text[end] == '\n') lines.push_back(std::exchange(line, {}));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace syncline
