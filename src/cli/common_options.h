// The options that commands have in common, whatever they do.
#pragma once

#include <CLI/CLI.hpp>

namespace syncline {

// Requires of Options: strings json and config, and bools quiet, force and progress.
template <typename Options>
void DeclareCommonOptions(CLI::App& command, Options& o, const char* json_help) {
  command.add_option("--json", o.json, json_help)->type_name("FILE");
  command.add_flag("--quiet,-q", o.quiet, "Print errors only");
  command.add_flag("--force,-f", o.force, "Replace existing outputs");
  command.add_flag("--progress", o.progress, "Show progress, if standard error is a terminal");
  command
      .add_option("--config", o.config,
                  "Read options from this file, lines of NAME = VALUE without the dashes; what the "
                  "command line says counts more")
      ->type_name("FILE");
}

}  // namespace syncline
