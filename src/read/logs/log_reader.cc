#include "read/logs/log_reader.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/glob.h"
#include "base/line_buffer.h"
#include "base/try.h"
#include "base/utf8.h"

namespace syncline {
namespace {

static_assert(LineBuffer::kPadding >= LogFields::kPadding);

// Places of the fields that say what a line is; those that were asked for follow.
enum Place : size_t { kTime, kTook, kHost, kKind, kAsked };

bool IsFor(const LogSource& source, const std::string& name) {
  return !source.in || MatchesGlob(*source.in, std::filesystem::path(name).filename().string());
}

std::string_view WithoutEnd(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string Shown(std::string_view text) {
  constexpr size_t kMost = 60;
  return PrintableName(text.substr(0, kMost)) + (text.size() > kMost ? "…" : "");
}

// Of a second, until the last that is worth so much.
int DecimalsUntil(int64_t tick_ns) {
  int decimals = DecimalCounts::kMost;
  for (; tick_ns > 1; tick_ns /= 10) --decimals;
  return decimals;
}

// Numbers in JSON leave out zeros at the end.
LogDuration TookOf(const LogField& field, const LogSource& source, LogDuration took) {
  constexpr int kLeastDecimals = 3;
  const bool may_be_shortened = source.form == LogForm::kJson && !field.is_quoted &&
                                field.text.find('.') != std::string_view::npos;
  if (may_be_shortened) {
    took.tick_ns = std::min(took.tick_ns, LogTickNs(LogUnitNs(source.took_unit), kLeastDecimals));
  }
  return took;
}

}  // namespace

int64_t LogPrecision::CertainTickNs() const {
  return LogTickNs(LogUnitNs(LogUnit::kSeconds), decimals.Certain());
}

int64_t LogPrecision::ReadingNs(int64_t stamp_ns) const {
  const int64_t both_ns = stamp_ns + took_tick_ns;
  return both_ns > 1 ? both_ns : 0;
}

class LogReader::Walk {
 public:
  Walk(LineBuffer lines, std::string name, std::span<const LogSource> sources,
       LogReaderOptions options)
      : lines_(std::move(lines)),
        name_(std::move(name)),
        options_(std::move(options)),
        precisions_(sources.size()) {
    lines_.TakeLongLines(LongLines::kInPieces);
    for (uint32_t i = 0; i < sources.size(); ++i) {
      const LogSource& source = sources[i];
      if (!IsFor(source, name_)) continue;
      std::vector<std::string> names = {source.time, source.took, source.host, source.kind};
      names.insert(names.end(), options_.fields.begin(), options_.fields.end());
      sources_.push_back({&source, i, LogFields(source, std::move(names))});
    }
  }

  const LogLine* Next() {
    if (error_) return nullptr;
    if (!lines_.HasLine()) return End();
    line_ = {.number = line_.number};
    const bool is_at_piece = lines_.IsAtPiece();
    const bool goes_on = std::exchange(is_in_long_line_, is_at_piece);
    if (!goes_on) ++line_.number;
    if (is_at_piece && !goes_on) Count("lines-too-long", Severity::kWarning, {});
    line_.bytes = is_at_piece ? lines_.ConsumePiece() : lines_.ConsumeLine();
    if (!is_at_piece && !goes_on) ReadLine();
    return error_ ? nullptr : &line_;
  }

  const std::optional<Error>& error() const { return error_; }
  const std::vector<std::string>& hosts() const { return hosts_; }
  const std::vector<LogPrecision>& precisions() const { return precisions_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  uint64_t bytes_read() const { return lines_.offset(); }

 private:
  struct OpenSource {
    const LogSource* source = nullptr;
    uint32_t number = 0;
    LogFields fields;
  };

  enum class Fit { kRecord, kOtherForm, kNoTime, kUnknownTime, kOutOfRange, kStopped };

  const LogLine* End() {
    if (lines_.error()) error_ = lines_.error();
    // A file that no source fits was named by mistake, or its source was.
    const bool has_records =
        std::ranges::any_of(precisions_, [](const LogPrecision& p) { return p.records > 0; });
    if (!error_ && !has_records && line_.number > 0) {
      error_ = Error{ErrorCode::kMalformed,
                     sources_.empty() ? "no source is for files of this name"
                                      : "no line is a record: " + why_not_,
                     name_};
      if (!sources_.empty()) error_->position = LineColumn{why_not_line_, 1};
    }
    return nullptr;
  }

  void Count(std::string_view name, Severity severity, std::string_view what) {
    // The first one is the example; making it costs.
    if (diagnostics_.count(name) > 0) return diagnostics_.Count(name, severity);
    diagnostics_.Count(
        name, severity, 1,
        fmt::format("{}:{}{}{}", name_, line_.number, what.empty() ? "" : ": ", what));
  }

  void ReadLine() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    std::string_view text = WithoutEnd(line_.bytes);
    const bool has_mark = line_.number == 1 && text.starts_with(kByteOrderMark);
    if (has_mark) text.remove_prefix(kByteOrderMark.size());
    ReadText(text);
    if (has_mark) line_.time_field.at += kByteOrderMark.size();
  }

  void ReadText(std::string_view text) {
    if (line_.number == 1) {
      for (OpenSource& source : sources_) source.fields.Begin(text);
    }
    std::string_view odd_time;
    Fit best = Fit::kOtherForm;
    for (OpenSource& source : sources_) {
      const Fit fit = Read(source, text);
      if (fit == Fit::kRecord || fit == Fit::kStopped) return;
      if (fit == Fit::kUnknownTime || fit == Fit::kOutOfRange) {
        odd_time = text.substr(line_.time_field.at, line_.time_field.length);
      }
      best = std::max(best, fit);
      if (line_.number == 1 && (source.fields.has_header() || IsHeadLine(*source.source, fit))) {
        line_.is_header = true;
        line_.source = source.number;
      }
    }
    if (line_.is_header) return;
    if (why_not_.empty() && !text.empty() && !sources_.empty()) TellWhyNot(best, odd_time);
    CountOther(best, odd_time);
  }

  // Of columns that go by number: what stands for the time are words.
  bool IsHeadLine(const LogSource& source, Fit fit) const {
    const bool has_columns = source.form == LogForm::kCsv || source.form == LogForm::kTsv;
    return has_columns && fit == Fit::kUnknownTime &&
           line_.time_field.text.find_first_of("0123456789") == std::string_view::npos;
  }

  void CountOther(Fit best, std::string_view odd_time) {
    if (best == Fit::kUnknownTime) {
      Count("lines-with-unknown-time", Severity::kWarning, Shown(odd_time));
    } else if (best == Fit::kOutOfRange) {
      Count("time-out-of-range", Severity::kWarning, Shown(odd_time));
    } else {
      Count("lines-without-record", Severity::kInfo, {});
    }
  }

  // What is wrong with the first line, for files that hold no record.
  void TellWhyNot(Fit best, std::string_view odd_time) {
    why_not_line_ = line_.number;
    const LogSource& source = *sources_.front().source;
    if (best == Fit::kUnknownTime || best == Fit::kOutOfRange) {
      why_not_ = fmt::format("\"{}\" is no time that can be read", Shown(odd_time));
    } else if (best == Fit::kNoTime) {
      why_not_ =
          fmt::format("there is no field {}, which is the time by {}", source.time, source.place);
    } else {
      why_not_ = fmt::format("it is not what {} says: {}", source.place, source.text);
    }
  }

  Fit Read(OpenSource& open, std::string_view text) {
    const LogSource& source = *open.source;
    if (!open.fields.Read(text)) return Fit::kOtherForm;
    const std::span<const LogField> fields = open.fields.fields();
    if (!fields[kTime].is_there) return Fit::kNoTime;
    line_.time_field = fields[kTime];
    // What was escaped in the line is no time.
    const std::string_view as_written = text.substr(fields[kTime].at, fields[kTime].length);
    line_.time = ParseLogTime(as_written, source, last_ns_);
    switch (line_.time.defect) {
      case LogTimeDefect::kNone: break;
      case LogTimeDefect::kNotATime: return Fit::kUnknownTime;
      case LogTimeDefect::kOutOfRange: return Fit::kOutOfRange;
      case LogTimeDefect::kYearMissing:
        return Stop(fmt::format("\"{}\" says no year: say it in the source, {}, as year=2026",
                                Shown(as_written), source.place));
    }
    std::optional<LogDuration> took;
    if (source.moment != LogMoment::kAll) {
      if (!fields[kTook].is_there) return Fit::kNoTime;
      took = ParseLogDuration(fields[kTook].text, source.took_unit);
      line_.time_field = took ? line_.time_field : fields[kTook];
      if (!took) return Fit::kUnknownTime;
      took = TookOf(fields[kTook], source, *took);
      if (open.number < options_.took_ticks_ns.size()) {
        took->tick_ns = std::max(took->tick_ns, options_.took_ticks_ns[open.number]);
      }
    }
    return Take(open, took);
  }

  Fit Take(const OpenSource& open, const std::optional<LogDuration>& took) {
    const LogSource& source = *open.source;
    const std::span<const LogField> fields = open.fields.fields();
    const bool has_host = !options_.is_of_one_host && fields[kHost].is_there;
    const auto host = HostOf(has_host ? fields[kHost].text : std::string_view());
    if (!host)
      return Stop(
          fmt::format("the field {} has more than {} values, or one of more than {} "
                      "bytes, so it is not the host",
                      source.host, kMaxHosts, kMaxHostName));
    SetMoments(source, took);
    if (line_.moments[0].time.ticks < 0) return Fit::kOutOfRange;
    line_.is_record = true;
    line_.source = open.number;
    line_.host = *host;
    line_.index = moments_[*host];
    moments_[*host] += line_.moment_count;
    line_.kind = !source.as.empty()       ? std::string_view(source.as)
                 : fields[kKind].is_there ? fields[kKind].text
                                          : std::string_view("line");
    line_.fields = fields.subspan(kAsked);
    last_ns_ = line_.time.ns;
    Include(precisions_[open.number], took);
    return Fit::kRecord;
  }

  // Both the end and the duration are rounded down, so that the difference may be late by what the
  // duration was cut by; it becomes early instead, as readings are.
  void SetMoments(const LogSource& source, const std::optional<LogDuration>& took) {
    const int64_t ns = line_.time.ns;
    line_.moment_count = took ? 2 : 1;
    line_.took_ns = took ? took->ns : 0;
    line_.took_tick_ns = took ? took->tick_ns : 0;
    if (!took) {
      line_.moments[0] = {{ns}, {}};
    } else if (source.moment == LogMoment::kBegin) {
      line_.moments = {{{{ns}, ":begin"}, {{SaturatedSum(ns, took->ns)}, ":end"}}};
    } else {
      const int64_t before_ns = SaturatedSum(took->ns, took->tick_ns);
      line_.moments = {{{{SaturatedDifference(ns, before_ns)}, ":begin"}, {{ns}, ":end"}}};
      line_.written_moment = 1;
    }
  }

  void Include(LogPrecision& precision, const std::optional<LogDuration>& took) const {
    const int decimals = line_.time.decimals();
    const int64_t tick_ns = LogTickNs(line_.time.layout.unit_ns, decimals);
    const bool is_first = precision.records++ == 0;
    precision.most_decimals = std::max(precision.most_decimals, decimals);
    precision.least_decimals = is_first ? decimals : std::min(precision.least_decimals, decimals);
    precision.tick_ns = is_first ? tick_ns : std::min(precision.tick_ns, tick_ns);
    if (line_.time.layout.is_epoch) precision.decimals.AllowForFloats();
    precision.decimals.Add(DecimalsUntil(tick_ns), line_.time.ns / tick_ns);
    if (took) precision.took_tick_ns = std::max(precision.took_tick_ns, took->tick_ns);
  }

  std::optional<uint32_t> HostOf(std::string_view name) {
    const auto known = host_numbers_.find(absl::string_view(name.data(), name.size()));
    if (known != host_numbers_.end()) return known->second;
    if (hosts_.size() == kMaxHosts || name.size() > kMaxHostName) return std::nullopt;
    const auto number = static_cast<uint32_t>(hosts_.size());
    host_numbers_.emplace(name, number);
    hosts_.push_back(PrintableName(name));
    moments_.push_back(0);
    return number;
  }

  Fit Stop(std::string message) {
    error_ = Error{ErrorCode::kUsage, std::move(message), name_, LineColumn{line_.number, 1}};
    return Fit::kStopped;
  }

  LineBuffer lines_;
  std::string name_;
  LogReaderOptions options_;
  std::vector<OpenSource> sources_;  // that are for this file
  std::vector<LogPrecision> precisions_;
  LogLine line_;
  bool is_in_long_line_ = false;
  std::optional<int64_t> last_ns_;
  absl::flat_hash_map<std::string, uint32_t> host_numbers_;
  std::vector<std::string> hosts_;
  std::vector<uint64_t> moments_;  // by host, so far
  std::string why_not_;
  uint64_t why_not_line_ = 1;
  Diagnostics diagnostics_;
  std::optional<Error> error_;
};

Result<LogReader> LogReader::Open(const std::string& path, std::span<const LogSource> sources,
                                  LogReaderOptions options) {
  SYNCLINE_ASSIGN(auto file, InputFile::Open(path));
  return LogReader(
      std::make_unique<Walk>(LineBuffer(std::move(file)), path, sources, std::move(options)));
}

LogReader LogReader::FromMemory(std::string_view text, std::string name,
                                std::span<const LogSource> sources, LogReaderOptions options) {
  return LogReader(
      std::make_unique<Walk>(LineBuffer(text), std::move(name), sources, std::move(options)));
}

LogReader::LogReader(std::unique_ptr<Walk> walk) : walk_(std::move(walk)) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

const LogLine* LogReader::Next() { return walk_->Next(); }
const std::optional<Error>& LogReader::error() const { return walk_->error(); }
const std::vector<std::string>& LogReader::hosts() const { return walk_->hosts(); }
const std::vector<LogPrecision>& LogReader::precisions() const { return walk_->precisions(); }
const Diagnostics& LogReader::diagnostics() const { return walk_->diagnostics(); }
uint64_t LogReader::bytes_read() const { return walk_->bytes_read(); }

bool LooksLikeLog(std::string_view head, const std::string& name,
                  std::span<const LogSource> sources) {
  LogReader reader = LogReader::FromMemory(head, name, sources);
  while (const LogLine* line = reader.Next()) {
    if (line->is_record) return true;
  }
  return reader.error() && reader.error()->code == ErrorCode::kUsage;
}

}  // namespace syncline
