// The inputs of a command: paths, the names of their clocks, and their formats by content.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/file.h"
#include "match/rules/rule.h"

namespace syncline {

// kMemory: messages without files (LoadMessages() of load.h).
enum class Format { kText, kCapture, kOtf2, kCtf, kSpans, kChrome, kLog, kMemory };
std::string_view FormatName(Format format);  // "text", "capture", "otf2", "chrome", "log", …

struct Input {
  std::string path;
  std::string name;       // of the clock; for text, OTF2, CTF and spans "" unless given
  bool is_named = false;  // by NAME=PATH
  Format format = Format::kText;
  uint64_t bytes = 0;
  Compression compression = Compression::kNone;  // what is written is compressed alike
  // CTF, whose traces are folders: where the trace lies, from the folder on that was given.
  std::string below;
};

struct ResolvedInputs {
  std::vector<Input> inputs;
  Diagnostics diagnostics;            // input-skipped: what in a folder is no trace
  std::string clock_per = "process";  // OTF2: whose timestamps are one clock's
  std::string clock_by;               // spans: the attribute of a machine; empty: the usual ones
  std::vector<Rule> rules;            // CTF, logs: what events are messages
  std::vector<LogSource> sources;     // how logs are read
  bool needs_messages = true;         // else logs may have none
  bool needs_events = true;           // else those that were read are not opened again
};

// Each argument is a file, a folder (every file in it whose format is recognised, in order of
// name), NAME=PATH, or "-" for text on standard input. The clock of a capture or Chrome JSON is
// called as given, else as its file without the ending. An OTF2 archive is its anchor file; a CTF
// trace the folder of its metadata, and folders are searched for such at any depth. Errors:
// kUnreadable, kUnsupported (unknown format, or a pipe), kUsage (two unnamed inputs of one name;
// nothing in a folder).
// With sources, a file that they can read is a log, and one that is nothing else is taken for one.
Result<ResolvedInputs> ResolveInputs(std::span<const std::string> arguments, RuleSet rules = {});
// The same of paths whose clocks' names are told apart; empty: not given.
struct NamedPath {
  std::string name;
  std::string path;
};
Result<ResolvedInputs> ResolvePaths(std::span<const NamedPath> paths, RuleSet rules = {});

// A file's name without the endings that captures, profiles and logs have.
std::string StemOf(const std::string& path);

// Whether inputs are still what they were when a command began: it reads them more than once, and
// what it writes mixes both states otherwise. A state is the size, the time of the last change and
// the identity of every file of an input: of a folder or an archive all that its folder holds.
// Cost: one look at each file. Tested by: input_states_test.cc.
class InputStates {
 public:
  InputStates() = default;
  explicit InputStates(std::span<const Input> inputs);
  // Errors: kMalformed for the first file, by name, that is gone, is another one, or was changed.
  Result<void> CheckUnchanged() const;

 private:
  // Device, number, size, and seconds and nanoseconds of the last change.
  using State = std::tuple<uint64_t, uint64_t, int64_t, int64_t, int64_t>;
  std::map<std::string, State> states_;  // by file
};

}  // namespace syncline
