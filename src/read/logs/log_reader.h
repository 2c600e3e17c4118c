// Reads the lines of a log: which of them are records, whose, of what kind, and when.
//
// A line is read by the first source that fits it: its form, and a time that can be read. All other
// lines are handed out too, so that writing all lines copies the file.
// Errors: those of the file; kUsage where a time says no year and its source does not either, or a
// field has too many values to be that of hosts; kMalformed where no line at all fits. Ownership: a
// line is valid until the next Next(). Memory: one line, of at most LineBuffer::kMaxLine bytes
// (longer ones are no records), and the names of hosts. Tested by: log_reader_test.cc,
// fuzz/logs_fuzz.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "base/decimal_counts.h"
#include "read/logs/log_fields.h"
#include "read/logs/log_time.h"

namespace syncline {

struct LogMomentName {
  LocalTime time;
  std::string_view suffix;  // of the kind: "", ":begin", ":end"
};

struct LogLine {
  std::string_view bytes;  // as it stands, its end included
  uint64_t number = 0;     // from 1
  bool is_header = false;  // names the columns of a source
  bool is_record = false;  // what follows is of records, and headers have their source
  uint32_t source = 0;
  uint32_t host = 0;   // its number, LogReader::hosts()
  uint64_t index = 0;  // of its first moment, among the host's in this file
  // One, or the begin and the end of what took some time.
  std::array<LogMomentName, 2> moments;
  size_t moment_count = 0;
  size_t written_moment = 0;  // the one whose time stands in the line
  int64_t took_ns = 0;
  int64_t took_tick_ns = 0;  // which the other one is early by
  std::string_view kind;
  std::span<const LogField> fields;  // as asked for
  LogField time_field;
  LogTime time;
};

// Of the times of one source in a file.
struct LogPrecision {
  uint64_t records = 0;
  int most_decimals = 0;
  int least_decimals = 0;
  int64_t tick_ns = 0;  // of the finest
  int64_t took_tick_ns = 0;
  DecimalCounts decimals;  // of a second
  // What all times are exact to: the finest one's tick, or that of shorter ones.
  int64_t CertainTickNs() const;
  // How far behind the true instant a time of such a tick may be.
  int64_t ReadingNs(int64_t stamp_ns) const;
};

struct LogReaderOptions {
  std::vector<std::string> fields;  // that are wanted of every record
  bool is_of_one_host = false;      // whatever the lines say
  // By source, of durations that are coarser than they are written; empty: none is known to be.
  std::vector<int64_t> took_ticks_ns;
};

class LogReader {
 public:
  static constexpr size_t kMaxHosts = 10'000;
  static constexpr size_t kMaxHostName = 255;  // bytes

  // `sources` must outlive the reader, and `text` too.
  static Result<LogReader> Open(const std::string& path, std::span<const LogSource> sources,
                                LogReaderOptions options = {});
  static LogReader FromMemory(std::string_view text, std::string name,
                              std::span<const LogSource> sources, LogReaderOptions options = {});
  LogReader(LogReader&&) noexcept;
  ~LogReader();

  // nullptr at the end and at an error.
  const LogLine* Next();
  const std::optional<Error>& error() const;
  // By number; empty for lines that say none.
  const std::vector<std::string>& hosts() const;
  // By source, of the lines so far.
  const std::vector<LogPrecision>& precisions() const;
  // Counted: "lines-without-record" (info), "lines-with-unknown-time", "lines-too-long",
  // "time-out-of-range" (warning).
  const Diagnostics& diagnostics() const;
  uint64_t bytes_read() const;

 private:
  class Walk;
  explicit LogReader(std::unique_ptr<Walk> walk);
  std::unique_ptr<Walk> walk_;
};

// Whether some whole line of a file's first bytes is a record.
bool LooksLikeLog(std::string_view head, const std::string& name,
                  std::span<const LogSource> sources);

}  // namespace syncline
