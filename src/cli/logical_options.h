// What the command line asks of the logical clock; shared by sync, convert and filter.
#pragma once

#include <optional>
#include <string>

#include "syncline/result.h"

#include "logical/logical_options.h"

namespace CLI {
class App;
}

namespace syncline {

void DeclareLogicalOptions(CLI::App& command, LogicalOptions& options);

// With `clock`: "simple", "controlled", or "none", which asks for no clock, but its options are
// checked. Errors: kUsage with the option's name.
Result<std::optional<LogicalOptions>> WithClock(const std::string& clock, LogicalOptions options);

}  // namespace syncline
