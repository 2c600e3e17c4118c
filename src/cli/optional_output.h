// An output that a command writes only where it was asked to, created before the work begins.
//
// Tested by: calibrate, characterize, probe, serve and scale command tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

// What commands that print a text and write figures have in common (DeclareOutputOptions).
struct OutputOptions {
  std::string json;  // path, "-" for standard output, empty for none
  std::string config;
  bool quiet = false;
  bool force = false;

  IfExists if_exists() const { return force ? IfExists::kReplace : IfExists::kFail; }
  bool is_silent() const { return quiet || json == "-"; }
};

// That no output is a file that the command reads, such as a key, nor another output. Empty paths,
// and "-", are none. Error: kUsage, naming the file.
Result<void> CheckOutputs(const std::vector<std::string>& outputs,
                          const std::vector<std::string>& read);
// The file at `path`; none where that is empty.
Result<std::optional<OutputFile>> OptionalOutput(const std::string& path, IfExists if_exists);
// Writes and commits it, if there is one.
Result<void> FinishOutput(std::optional<OutputFile>& output, const std::string& text);

}  // namespace syncline
