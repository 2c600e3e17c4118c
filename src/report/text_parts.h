// Sentences and lines that the texts of several commands share. For the sources of this folder, and
// commands without a summary.
#pragma once

#include <string>

#include "syncline/diagnostics.h"

#include "report/summary_parts.h"

namespace syncline {

// "Of 4 messages, 3 were received before sent; after correction none is."
std::string CorrectedInversionSentence(const SummaryMessages& messages);
// The same of a trace that nothing was done to.
std::string RecordedInversionSentence(const SummaryMessages& messages);
// One finding a line.
std::string DiagnosticsText(const Diagnostics& diagnostics);

}  // namespace syncline
