// The options that commands have in common, whatever they do.
#pragma once

#include <CLI/CLI.hpp>

namespace syncline {

template <typename Target>
CLI::Option* AddOption(CLI::App& command, const char* names, Target& target, const char* help) {
  return command.add_option(names, target, help);
}
// `type`: what stands for its value in the help.
template <typename Target>
CLI::Option* AddOption(CLI::App& command, const char* names, Target& target, const char* type,
                       const char* help) {
  return command.add_option(names, target, help)->type_name(type);
}

// Requires of Options: strings json and config, and bools quiet and force.
template <typename Options>
void DeclareOutputOptions(CLI::App& command, Options& o, const char* json_help) {
  AddOption(command, "--json", o.json, "FILE", json_help);
  command.add_flag("--quiet,-q", o.quiet, "Print errors only");
  command.add_flag("--force,-f", o.force, "Replace existing outputs");
  AddOption(command, "--config", o.config, "FILE",
            "Read options from this file, lines of NAME = VALUE without the dashes; what the "
            "command line says counts more");
}

// Requires of Options: a bool verbose.
template <typename Options>
void DeclareVerbose(CLI::App& command, Options& o) {
  command.add_flag("--verbose,--all,-v", o.verbose,
                   "Print all rows of long tables, and how the logical clock worked");
}

// The same of commands that may take long. Requires of Options: also a bool progress.
template <typename Options>
void DeclareCommonOptions(CLI::App& command, Options& o, const char* json_help) {
  DeclareOutputOptions(command, o, json_help);
  command.add_flag("--progress", o.progress, "Show progress, if standard error is a terminal");
}

// Requires of Options: lists of strings match and rules.
template <typename Options>
void DeclareRuleOptions(CLI::App& command, Options& o) {
  AddOption(command, "--match", o.match, "RULE",
            "CTF, logs: what events are messages, as 'SEND_EVENT(KEYS) -> RECEIVE_EVENT(KEYS)': "
            "those whose KEYS, fields of the events, are equal. Can be given several times. "
            "Without any rule the kernel's network events are used")
      ->allow_extra_args(false);
  AddOption(command, "--rules", o.rules, "FILE",
            "CTF, logs: the same from a file, a rule per line, and how lines of logs are read; "
            "several times")
      ->allow_extra_args(false);
}

}  // namespace syncline
