// Logs from any bytes: all lines come out, in order and whole; with the times that were read, and
// with others, the file keeps all else.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "match/rules/rule.h"
#include "read/logs/log_reader.h"
#include "write/logs/log_rewriter.h"

namespace syncline {
namespace {

constexpr std::string_view kSources =
    "read json in \"fuzz\" time=time host=host kind=msg\n"
    "read csv in \"fuzz\" time=time kind=2\n"
    "read text \"^(?P<time>[A-Z][a-z]{2} [ \\d]\\d \\S+) (?P<host>\\S+) (?P<kind>\\S+)\" "
    "year=2026\n"
    "read text \"^\\[(?P<time>[^\\]]+)\\] (?P<took>\\S+)\" begin=time took=took(ms)\n";

const std::vector<LogSource>& Sources() {
  static const std::vector<LogSource> sources = [] {
    auto rules = ParseRules(kSources, "fuzz.rules");
    SYNCLINE_CHECK(rules.has_value());
    return std::move(rules->sources);
  }();
  return sources;
}

std::string Rewritten(std::string_view input, std::span<const LogPrecision> precisions,
                      int64_t shift_ns) {
  std::string text;
  LogReader reader = LogReader::FromMemory(input, "fuzz", Sources());
  const LogRewriting rewriting = {
      .sources = Sources(), .precisions = precisions, .retime = [&](const LogLine& line) {
        return GlobalTime{line.moments[line.written_moment].time.ticks + shift_ns};
      }};
  ByteSink sink([&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  const auto done = RewriteLog(reader, "fuzz", rewriting, std::move(sink));
  return done ? text : std::string(input);
}

}  // namespace
}  // namespace syncline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace syncline;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  LogReader reader = LogReader::FromMemory(input, "fuzz", Sources());
  size_t bytes = 0;
  while (const LogLine* line = reader.Next()) {
    SYNCLINE_CHECK(input.substr(bytes, line->bytes.size()) == line->bytes);
    SYNCLINE_CHECK(line->moment_count <= 2);
    bytes += line->bytes.size();
  }
  if (reader.error()) return 0;
  SYNCLINE_CHECK(bytes == size);
  const std::vector<LogPrecision> precisions = reader.precisions();
  SYNCLINE_CHECK(Rewritten(input, precisions, 0) == input);
  Rewritten(input, precisions, 1'000'000'000);
  return 0;
}
