#include "cli/help/command_model.h"

#include <algorithm>
#include <array>

#include <CLI/App.hpp>
#include <absl/strings/str_split.h>

namespace syncline {
namespace {

// What most people need of a command: how it is called, and the options that they use.
struct Essentials {
  std::string_view command;
  std::array<std::string_view, 3> examples;
  std::string_view options;  // long names without dashes, each behind a space, in their order
};

constexpr std::array kEssentials{
    Essentials{"syncline",
               {"syncline check hostA.pcap hostB.pcap             # what is wrong with the clocks?",
                "syncline sync hostA.pcap hostB.pcap -o corrected # correct them",
                "syncline help sync                               # options of a command"},
               " help help-all version"},
    Essentials{"syncline sync",
               {"syncline sync hostA.pcap hostB.pcap -o corrected",
                "syncline sync archive/traces.otf2 -o corrected --report page.html",
                "syncline sync hostA hostB -o out --match 'msg:send(id) -> msg:recv(id)'"},
               " output force report merge reference max-drift-ppm min-delay match truth json"},
    Essentials{"syncline check",
               {"syncline check hostA.pcap hostB.pcap", "syncline check traces/ --min-delay auto",
                "syncline check web=cap1.pcap db=cap2.pcapng --reference db --json -"},
               " reference max-drift-ppm min-delay match json"},
    Essentials{"syncline compare",
               {"syncline compare a.pcap b.pcap", "syncline compare a.pcap b.pcap --plots charts",
                "syncline compare traces/ --truth truth.json --report page.html"},
               " truth plots report max-drift-ppm min-delay match json"},
    Essentials{"syncline convert",
               {"syncline convert a.pcap b.pcap --to perfetto -o trace.pftrace",
                "syncline convert archive/traces.otf2 --to chrome -o trace.json",
                "syncline convert a.pcap b.pcap --to csv -o tables"},
               " to output force recorded max-drift-ppm min-delay match"},
    Essentials{
        "syncline filter",
        {"syncline filter trace.txt corrected.txt", "recorder | syncline filter - - | viewer",
         "syncline filter archive/traces.otf2 corrected"},
        " min-delay output force online report json"},
    Essentials{"syncline concurrency",
               {"syncline concurrency archive/traces.otf2",
                "syncline concurrency trace.txt --report page.html",
                "syncline concurrency a.pcap b.pcap --waits replies"},
               " waits report match json"},
    Essentials{"syncline report",
               {"syncline report corrected/syncline.json -o page.html",
                "syncline check a.pcap b.pcap --json s.json", "syncline report s.json -o s.html"},
               " output force"},
    Essentials{"syncline simulate",
               {"syncline simulate ring -o out", "syncline simulate grid --seed 7 -o out",
                "syncline simulate client-server --format otf2 -o out"},
               " output force format seed processes duration clock"},
    Essentials{"syncline simulate scale",
               {"syncline simulate scale", "syncline simulate scale --processes 2..1000000",
                "syncline simulate scale --strategies tree --json -"},
               " processes strategies measured json"},
    Essentials{"syncline clock",
               {"syncline clock calibrate", "syncline clock serve --listen 10.0.0.2",
                "syncline clock probe 10.0.0.2"},
               ""},
    Essentials{"syncline clock calibrate",
               {"syncline clock calibrate", "syncline clock calibrate --json clock.json",
                "syncline clock calibrate --bound-ppm 1"},
               " bound-ppm json"},
    Essentials{"syncline clock serve",
               {"syncline clock serve", "syncline clock serve --listen 10.0.0.2",
                "syncline clock serve --listen 10.0.0.2 --key key.txt"},
               " listen port key"},
    Essentials{"syncline clock probe",
               {"syncline clock probe 10.0.0.2", "syncline clock probe 10.0.0.2 --log clocks.txt",
                "syncline clock probe hostA hostB --duration 1min"},
               " duration log key max-drift-ppm json"},
    Essentials{"syncline clock characterize",
               {"syncline clock characterize", "syncline clock characterize --plot clock.svg",
                "syncline clock characterize --duration 1h"},
               " duration interval plot json"},
};

const Essentials* EssentialsOf(std::string_view command) {
  const auto* found = std::ranges::find(kEssentials, command, &Essentials::command);
  return found == kEssentials.end() ? nullptr : found;
}

// Of "TEXT:{a,b}" and the like.
std::vector<std::string> ChoicesOf(const std::string& type) {
  const size_t begin = type.find('{');
  const size_t end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return absl::StrSplit(type.substr(begin + 1, end - begin - 1), ',', absl::SkipEmpty());
}

OptionModel ModelOf(const CLI::Option& option, std::string_view essentials) {
  OptionModel model;
  model.is_positional = option.get_positional();
  if (model.is_positional) {
    model.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) model.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) {
      model.names.push_back("--" + name);
      const std::string word = " " + name;
      const size_t at = essentials.find(word);
      if (at == std::string_view::npos) continue;
      const size_t behind = at + word.size();
      if (behind == essentials.size() || essentials[behind] == ' ') model.rank = at + 1;
    }
  }
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    model.choices = ChoicesOf(type);
    model.value = type.substr(0, type.find(':'));
    if (model.value.empty() || model.value == "TEXT") model.value = "WORD";
  }
  model.default_value = option.get_default_str();
  model.text = option.get_description();
  model.group = option.get_group();
  model.is_required = option.get_required();
  model.is_repeatable = option.get_expected_max() > 1;
  if (model.is_required && model.rank == 0) model.rank = 1;
  return model;
}

CommandModel ModelOf(const CLI::App& app, const std::string& above) {
  CommandModel model;
  model.name = above.empty() ? app.get_name() : above + " " + app.get_name();
  model.about = app.get_description();
  model.footer = app.get_footer();
  const Essentials* essentials = EssentialsOf(model.name);
  if (essentials != nullptr) {
    model.examples.assign(essentials->examples.begin(), essentials->examples.end());
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    OptionModel one = ModelOf(*option, essentials != nullptr ? essentials->options : "");
    (one.is_positional ? model.positionals : model.options).push_back(std::move(one));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    model.commands.push_back(ModelOf(*command, model.name));
  }
  return model;
}

}  // namespace

CommandModel Model(const CLI::App& app) { return ModelOf(app, {}); }

NamedCommand CommandOf(const CommandModel& program, const std::vector<std::string>& words) {
  const CommandModel* command = &program;
  size_t named = 0;
  for (; named < words.size(); ++named) {
    const auto next = std::ranges::find_if(command->commands, [&](const CommandModel& candidate) {
      return LastWord(candidate.name) == words[named];
    });
    if (next == command->commands.end()) break;
    command = &*next;
  }
  return {*command, named};
}

const OptionModel* FindOption(const CommandModel& command, std::string_view name) {
  for (const OptionModel& option : command.options) {
    if (std::ranges::find(option.names, name) != option.names.end()) return &option;
  }
  return nullptr;
}

std::string_view LastWord(std::string_view name) {
  const size_t space = name.rfind(' ');
  return space == std::string_view::npos ? name : name.substr(space + 1);
}

}  // namespace syncline
