// The filter's protocol as JSON and as text for a person.
#pragma once

#include <string>

#include "report/logical_protocol.h"

namespace syncline {

// Pretty-printed, ends with a newline. Integers are JSON integers, also above 2^53.
std::string FilterSummaryToJson(const FilterSummary& summary);
std::string FilterSummaryToText(const FilterSummary& summary, const TextStyle& style = {});

// Processes by what people call them, in the protocol and where the largest change of an interval
// is.
void UseTitles(LogicalProtocol& protocol, SummaryIntervals& intervals);
// The part about the logical clock alone: what it moved, and what it gave up or advises; in all
// detail how it went, too.
std::string ProtocolText(const LogicalProtocol& protocol, const TextStyle& style);
// How many intervals changed, by how much at most, and where.
std::string IntervalText(const SummaryIntervals& intervals);

}  // namespace syncline
