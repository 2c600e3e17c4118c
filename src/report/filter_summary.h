// The filter's protocol as JSON and as text for a person.
#pragma once

#include <string>

#include "report/logical_protocol.h"

namespace syncline {

// Pretty-printed, ends with a newline. Integers are JSON integers, also above 2^53.
std::string FilterSummaryToJson(const FilterSummary& summary);
std::string FilterSummaryToText(const FilterSummary& summary);

// The part about the logical clock alone: tables of processes, then one finding a line.
std::string ProtocolText(const LogicalProtocol& protocol);
// How many intervals changed, by how much at most, and where.
std::string IntervalText(const SummaryIntervals& intervals);

}  // namespace syncline
