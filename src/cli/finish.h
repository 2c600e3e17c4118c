// What every command does at its end: print the summary, write it as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "syncline/result.h"

#include "cli/options.h"
#include "report/summary.h"

namespace syncline {

uint64_t PeakMemoryBytes();
// "-" is standard output; a file is replaced.
Result<void> WriteJson(const Summary& summary, const std::string& path);
// The text, unless --quiet; on standard error when the JSON takes standard output.
void Print(const Summary& summary, const EstimateOptions& options);

}  // namespace syncline
