// What the command line asks of the logical clock; shared by sync and filter.
#pragma once

#include <optional>
#include <string>

#include "syncline/result.h"

#include "logical/logical_options.h"

namespace CLI {
class App;
}

namespace syncline {

// As typed; empty: the default.
struct LogicalChoice {
  std::string controller = "revised";
  std::string min_event_gap = "0";
  std::string gamma_max, gamma_floor, q_low, q_high;             // revised; gamma_max of both
  std::string q_init, q_min, q_factor, gamma_step, l_up, l_low;  // original
  std::string amortization = "backward";
  std::string amortization_error = "0.5%";
  std::string clock_difference = "1000000";
};

void DeclareLogicalOptions(CLI::App& command, LogicalChoice& choice);

// `clock` is "simple" or "controlled". Errors: kUsage with the option's name.
Result<LogicalOptions> ParseLogicalOptions(const std::string& clock, const LogicalChoice& choice);
// The same; "none" asks for no clock, but its options are checked.
Result<std::optional<LogicalOptions>> ParseLogicalChoice(const std::string& clock,
                                                         const LogicalChoice& choice);

}  // namespace syncline
