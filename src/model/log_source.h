// How lines of a log are read: what a line looks like, and which of its fields is what.
//
// Written as a line of a file of rules (docs/formats/logs.md); parsed by match/rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/pattern.h"

namespace syncline {

enum class LogForm : uint8_t { kJson, kCsv, kTsv, kText };

// What a number counts.
enum class LogUnit : uint8_t { kByMagnitude, kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };

// What happened at the time that a line tells.
enum class LogMoment : uint8_t { kAll, kBegin, kEnd };

struct LogSource {
  LogForm form = LogForm::kJson;
  std::optional<Pattern> pattern;  // of kText; its groups are the fields
  // Fields; empty: none. A path in JSON, a column's name or number, a group.
  std::string time;
  std::string took;  // how long it took, with kBegin and kEnd
  std::string host;
  std::string kind;
  LogMoment moment = LogMoment::kAll;
  LogUnit time_unit = LogUnit::kByMagnitude;
  LogUnit took_unit = LogUnit::kSeconds;
  std::string as;                 // the kind of lines that do not say theirs
  std::optional<std::string> in;  // only files of this name; * stands for any run of characters
  std::optional<int> year;        // of the first time that says none
  int zone_s = 0;                 // of times that say none, east of Greenwich
  std::string text;               // as written, without comment
  std::string place;              // "FILE:LINE"
};

}  // namespace syncline
