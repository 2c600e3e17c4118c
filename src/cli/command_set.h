// The program: its commands with their options, and what they do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "syncline/result.h"

namespace syncline {

class CommandSet {
 public:
  CommandSet();

  // `words` are those behind the program's name. Throws what CLI11 throws.
  void Parse(const std::vector<std::string>& words);
  // Runs the command that was parsed; `command_line` is what its summary records.
  Result<int> Run(const std::string& command_line) const;

  // Where the parser ended early: prints the help, or the version, that was asked for; or what is
  // wrong with the words. The exit code.
  int Answer(const CLI::Success& asked, const std::vector<std::string>& words) const;
  int Refuse(const CLI::ParseError& error, const std::vector<std::string>& words) const;

  const CLI::App& app() const { return app_; }

 private:
  struct Command {
    CLI::App* app = nullptr;
    std::function<Result<int>(const std::string& command_line)> run;
    bool says_which_signals = false;  // end it; all end the others
  };
  template <typename Options, typename Declare, typename RunIt>
  Command& Add(const char* name, const char* about, Declare declare, RunIt run);

  CLI::App app_;
  std::vector<Command> commands_;
};

}  // namespace syncline
