// The options of the file that --config names.
//
// Lines of NAME = VALUE without the dashes, or the NAME of a flag; several values as [A, B], which
// may go on over lines; # begins a comment. What is none of these, an option of one value that gets
// several, an empty value, and another --config are refused with file and line. Tested by:
// edge_cases_test.cc, sync_command_test.cc, filter_command_test.cc, clock_command_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace syncline {

struct ConfigFile {
  struct Option {
    std::string name;                // with its dashes
    std::vector<std::string> words;  // --NAME=VALUE
    uint64_t line = 0;
  };
  std::string path;
  size_t behind = 0;  // how many words of the command line: those that name the command
  std::vector<Option> options;
};

// Of a command line without the program's name; empty where it names none. Throws CLI::FileError.
ConfigFile ReadConfigFile(const CLI::App& program, const std::vector<std::string>& words);

// The words of that command line with the options of the file in their place.
std::vector<std::string> WithOptions(std::vector<std::string> words, const ConfigFile& file);

// Where the file gives the options that `problem` names and the command line does not; a line each.
std::string PlacesOfOptions(const ConfigFile& file, std::string_view problem,
                            const std::vector<std::string>& words);

}  // namespace syncline
