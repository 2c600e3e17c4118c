// What every command does at its end: print the summary, write it as JSON.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "cli/options.h"
#include "report/summary.h"

namespace syncline {

// The files besides the inputs that the options name.
std::vector<std::string> FilesRead(const EstimateOptions& options);
// What the program ends with, where a stated weakness may be none to it (--accept-weakness).
int Accepted(int code, const EstimateOptions& options);
// "-" is standard output.
Result<void> WriteJson(const Summary& summary, const std::string& path, IfExists if_exists);
// How a text is put that goes to `stream`: tables no wider than a terminal.
TextStyle StyleFor(std::FILE* stream, TextDetail detail = TextDetail::kUsual);
// The text, unless --quiet; on standard error when the JSON takes standard output.
Result<void> Print(const Summary& summary, const EstimateOptions& options);

}  // namespace syncline
