// What exchanges cost between real machines, from the JSON of `syncline clock probe`.
//
// Units: nanoseconds. Errors: kUnreadable; kMalformed where the file is no such JSON, or no host in
// it answered. Method: means over the hosts that answered, of their least round trips and of the
// mean round trips of exchanges; a way is half a round trip. Tested by: scale_command_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "syncline/result.h"

namespace syncline {

struct MeasuredCosts {
  int64_t exchange_cost_ns = 0;  // a mean round trip; programs need more
  int64_t least_delay_ns = 0;
  int64_t mean_excess_ns = 0;
};

Result<MeasuredCosts> ReadMeasuredCosts(const std::string& path);

}  // namespace syncline
