#include "cli/finish.h"

#include <cstdio>

#include "base/compression.h"
#include "base/exit_code.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "report/summary.h"

namespace syncline {

std::vector<std::string> FilesRead(const EstimateOptions& options) {
  std::vector<std::string> files = {options.min_delay, options.config};
  files.insert(files.end(), options.rules.begin(), options.rules.end());
  return files;
}

int Accepted(int code, const EstimateOptions& options) {
  return code == kExitWeak && options.accepts_weakness ? kExitDone : code;
}

Result<void> WriteJson(const Summary& summary, const std::string& path, IfExists if_exists) {
  SYNCLINE_ASSIGN(auto file, CreateAsNamed(path, if_exists));
  SYNCLINE_TRY(file.Write(SummaryToJson(summary)));
  return file.Commit();
}

TextStyle StyleFor(std::FILE* stream, TextDetail detail) {
  return {detail, TerminalColumns(stream).value_or(SIZE_MAX)};
}

Result<void> Print(const Summary& summary, const EstimateOptions& options) {
  if (options.quiet) return {};
  std::FILE* stream = options.json == "-" ? stderr : stdout;
  const TextDetail detail = options.verbose ? TextDetail::kAll : TextDetail::kUsual;
  return PrintText(SummaryToText(summary, StyleFor(stream, detail)), stream);
}

}  // namespace syncline
