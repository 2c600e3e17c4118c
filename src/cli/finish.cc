#include "cli/finish.h"

#include <cstdio>

#include "base/exit_code.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "report/summary.h"

namespace syncline {

IfExists IfExistsOf(const EstimateOptions& options) {
  return options.force ? IfExists::kReplace : IfExists::kFail;
}

std::vector<std::string> FilesRead(const EstimateOptions& options) {
  std::vector<std::string> files = {options.min_delay, options.config};
  files.insert(files.end(), options.rules.begin(), options.rules.end());
  return files;
}

int Accepted(int code, const EstimateOptions& options) {
  return code == kExitWeak && options.accepts_weakness ? kExitDone : code;
}

Result<void> WriteJson(const Summary& summary, const std::string& path, IfExists if_exists) {
  SYNCLINE_ASSIGN(auto file, OutputFile::Create(path, if_exists));
  SYNCLINE_TRY(file.Write(SummaryToJson(summary)));
  return file.Commit();
}

Result<void> Print(const Summary& summary, const EstimateOptions& options) {
  if (options.quiet) return {};
  return PrintText(SummaryToText(summary, options.verbose ? TextDetail::kAll : TextDetail::kUsual),
                   options.json == "-" ? stderr : stdout);
}

}  // namespace syncline
