// The summary as text for a person: a verdict in plain sentences, tables of clocks and pairs,
// findings.
#pragma once

#include <string>

#include "report/summary.h"

namespace syncline {

// Several lines in UTF-8, for a terminal at least 100 columns wide.
// Usually tables have the rows that matter most, and say how many there are besides.
std::string SummaryToText(const Summary& summary, TextDetail detail = TextDetail::kUsual);
// The first lines alone: what was wrong, what is now, how far to trust it.
std::string VerdictText(const Summary& summary);

}  // namespace syncline
