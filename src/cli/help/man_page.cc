
#include <algorithm>

#include <absl/strings/ascii.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/help_text.h"

namespace syncline {
namespace {

// Text as roff: no word of it is a request, dashes stay dashes that can be copied.
std::string Roff(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else if ((c == '.' || c == '\'') && (roff.empty() || roff.back() == '\n')) {
      roff += std::string("\\&") + c;
    } else {
      roff += c;
    }
  }
  return roff;
}

std::string Dashed(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

void AddOption(std::string& page, const OptionModel& option) {
  page += fmt::format(".TP\n\\fB{}\\fR", Roff(fmt::format("{}", fmt::join(option.names, ", "))));
  if (!option.value.empty() && !option.is_positional) page += " \\fI" + Roff(option.value) + "\\fR";
  page += "\n" + Roff(option.text + OptionTail(option)) + "\n";
}

void AddPreformatted(std::string& page, const std::string& text) {
  page += ".PP\n.nf\n" + Roff(text);
  page += text.ends_with('\n') ? ".fi\n" : "\n.fi\n";
}

}  // namespace

std::string ManPage(const CommandModel& program, const CommandModel& command,
                    std::string_view version) {
  std::string about = command.about;
  std::ranges::replace(about, '\n', ' ');
  std::string page =
      fmt::format(".TH \"{}\" \"1\" \"\" \"Syncline {}\" \"Syncline\"\n.SH NAME\n{} \\- {}\n",
                  absl::AsciiStrToUpper(Dashed(command.name)), version, Roff(Dashed(command.name)),
                  Roff(about));
  page += fmt::format(".SH SYNOPSIS\n{}\n", Roff(UsageLine(command)));
  if (!command.examples.empty()) {
    page += ".SH EXAMPLES\n";
    AddPreformatted(page, fmt::format("{}", fmt::join(command.examples, "\n")));
  }
  if (!command.positionals.empty()) page += ".SH ARGUMENTS\n";
  for (const OptionModel& option : command.positionals) AddOption(page, option);
  if (!command.commands.empty()) page += ".SH COMMANDS\n";
  for (const CommandModel& one : command.commands) {
    page += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", Roff(Dashed(one.name)), Roff(one.about));
  }
  for (const std::string& group : GroupsOf(command.options)) {
    page += fmt::format(".SH \"{}\"\n", group);
    for (const OptionModel& option : command.options) {
      if (option.group == group) AddOption(page, option);
    }
  }
  if (!command.footer.empty()) {
    page += ".SH NOTES\n";
    AddPreformatted(page, command.footer);
  }
  if (&command != &program) page += ".SH SEE ALSO\n\\fBsyncline\\fR(1)\n";
  return page;
}

}  // namespace syncline
