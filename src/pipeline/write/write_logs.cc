#include "pipeline/write/write_logs.h"

#include <vector>

#include "base/try.h"
#include "trace/kept_logs.h"
#include "write/logs/log_rewriter.h"

namespace syncline {

Result<void> WriteLog(const LoadedInput& input, const std::string& add_field, OutputFile& output,
                      const RetimeLogEvent& retime) {
  const KeptLog& kept = LogOf(input);
  std::vector<LogEventNumbers> numbers(kept.hosts.begin(), kept.hosts.end());
  bool has_changed = false;
  const auto retime_record = [&](const LogLine& line) {
    GlobalTime written;
    has_changed = has_changed || line.host >= numbers.size();
    for (size_t i = 0; i < line.moment_count && !has_changed; ++i) {
      LogEventNumbers& of_host = numbers[line.host];
      if (of_host.HasEarliest()) of_host.Take();
      const uint64_t index = of_host.Take();
      has_changed = index >= kept.hosts[line.host].times.size();
      if (has_changed) break;
      const GlobalTime time = retime(ProcessId(line.host), index, line.moments[i].time);
      if (i == line.written_moment) written = time;
    }
    return written;
  };
  SYNCLINE_ASSIGN(auto reader, LogReader::Open(input.input.path, *kept.sources, kept.reading));
  SYNCLINE_TRY(RewriteLog(reader, input.input.path,
                          {.sources = *kept.sources,
                           .precisions = kept.precisions,
                           .add_field = add_field,
                           .retime = retime_record},
                          ByteSink(output)));
  if (!has_changed) return {};
  return Fail(ErrorCode::kMalformed, "has changed while it was read", input.input.path);
}

}  // namespace syncline
