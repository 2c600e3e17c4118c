#include "pipeline/write/write_kept.h"

#include <utility>
#include <vector>

#include "base/try.h"
#include "trace/kept_logs.h"
#include "trace/kept_spans.h"
#include "write/logs/log_rewriter.h"
#include "write/spans/span_rewriter.h"

namespace syncline {
namespace {

Result<void> CheckUnchanged(const LoadedInput& input, bool has_changed) {
  if (!has_changed) return {};
  return Fail(ErrorCode::kMalformed, "has changed while it was read", input.input.path);
}

}  // namespace

Result<void> WriteLog(const LoadedInput& input, const std::string& add_field, OutputFile& output,
                      const RetimeEvent& retime) {
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
  LogReaderOptions reading = kept.reading;
  if (!add_field.empty()) reading.fields.push_back(add_field);
  SYNCLINE_ASSIGN(auto reader,
                  LogReader::Open(input.input.path, *kept.sources, std::move(reading)));
  SYNCLINE_TRY(RewriteLog(reader, input.input.path,
                          {.sources = *kept.sources,
                           .precisions = kept.precisions,
                           .add_field = add_field,
                           .retime = retime_record},
                          ByteSink(output)));
  return CheckUnchanged(input, has_changed);
}

Result<void> WriteSpans(const LoadedInput& input, OutputFile& output, const RetimeEvent& retime) {
  const KeptSpans& kept = SpansOf(input);
  std::vector<GlobalTime> corrected(kept.times);  // in the order of the file
  for (uint32_t i = 0; i < kept.lanes.size(); ++i) {
    for (size_t e = 0; e < kept.lanes[i].size(); ++e) {
      const KeptSpanEvent& event = kept.lanes[i][e];
      corrected[event.in_file] = retime(ProcessId(i), e, event.time);
    }
  }
  bool has_changed = false;
  SYNCLINE_TRY(RewriteSpans(input.input.path, output, [&](uint64_t number, LocalTime) {
    has_changed = has_changed || number >= corrected.size();
    return number < corrected.size() ? corrected[number] : GlobalTime{};
  }));
  return CheckUnchanged(input, has_changed);
}

}  // namespace syncline
