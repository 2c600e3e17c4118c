#include "cli/finish.h"

#include <cstdio>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/file.h"
#include "report/summary_json.h"
#include "report/summary_text.h"

namespace syncline {

uint64_t PeakMemoryBytes() {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

Result<void> WriteJson(const Summary& summary, const std::string& path) {
  auto file = OutputFile::Create(path, IfExists::kReplace);
  if (!file) return tl::unexpected(file.error());
  if (auto done = file->Write(SummaryToJson(summary)); !done) return done;
  return file->Commit();
}

void Print(const Summary& summary, const EstimateOptions& options) {
  if (options.quiet) return;
  fmt::print(options.json == "-" ? stderr : stdout, "{}", SummaryToText(summary));
}

}  // namespace syncline
