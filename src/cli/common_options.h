// The options that commands have in common, whatever they do.
#pragma once

#include <CLI/CLI.hpp>

namespace syncline {

// Requires of Options: strings json and config, and bools quiet and force.
template <typename Options>
void DeclareOutputOptions(CLI::App& command, Options& o, const char* json_help) {
  command.add_option("--json", o.json, json_help)->type_name("FILE");
  command.add_flag("--quiet,-q", o.quiet, "Print errors only");
  command.add_flag("--force,-f", o.force, "Replace existing outputs");
  command
      .add_option("--config", o.config,
                  "Read options from this file, lines of NAME = VALUE without the dashes; what the "
                  "command line says counts more")
      ->type_name("FILE");
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
  command
      .add_option(
          "--match", o.match,
          "CTF, logs: what events are messages, as 'SEND_EVENT(KEYS) -> RECEIVE_EVENT(KEYS)': "
          "those whose KEYS, fields of the events, are equal. Can be given several times. "
          "Without any rule the kernel's network events are used")
      ->type_name("RULE")
      ->allow_extra_args(false);
  command
      .add_option("--rules", o.rules,
                  "CTF, logs: the same from a file, a rule per line, and how lines of logs are "
                  "read; several "
                  "times")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

}  // namespace syncline
